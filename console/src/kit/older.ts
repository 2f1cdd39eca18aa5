import { RpcError } from "../protocol/errors";
import { catalog } from "../text/catalog";

const t = catalog("kit.older", {
  older: "This daemon is older than this page and does not offer this yet: {what}. Update and restart it; the rest of the page works.",
});

/** What is told of something that the daemon does not know yet. */
export function olderText(what: string): string {
  return t("older", { what });
}

/**
 * The answer to something that an older daemon may not know.
 *
 * @param what is told then.
 * @throws Error that tells so; every other failure stays what it is.
 */
export async function orOlder<R>(what: string, asked: Promise<R>): Promise<R> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RpcError && error.code === "unknown_method") throw new Error(olderText(what), { cause: error });
    throw error;
  }
}
