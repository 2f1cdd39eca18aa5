/** What is told of a call that was not sent, and is over once the connection is back. */
export const NO_CONNECTION = "There is no connection to the daemon: nothing was done. Try again when it is back.";

/** What the daemon refused or failed at, in its words. */
export class RpcError extends Error {
  constructor(
    message: string,
    /** The daemon's stable word, e.g. `not_found`. */
    readonly code: string,
    readonly retryable: boolean,
    readonly retryAfterS: number | null,
  ) {
    super(message);
    this.name = "RpcError";
  }
}

/** The connection was lost before the answer came, and the call may not be sent again by itself. */
export class ConnectionLost extends Error {
  constructor(method: string) {
    super(`The connection was lost before ${method} was answered; it may or may not have been done.`);
    this.name = "ConnectionLost";
  }
}

/** What went wrong, as a sentence for people. */
export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The daemon's stable word for it; null for what the daemon did not say. */
export function codeOf(error: unknown): string | null {
  return error instanceof RpcError ? error.code : null;
}
