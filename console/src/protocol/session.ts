import { COOKIES, isTooLarge } from "./cookies";

/**
 * The way in: the page shows a ticket or a token once, and has a session from then on: a cookie that no script can read, and a
 * key that it keeps itself. One without the other opens nothing.
 */
const KEY = "sulla.session";
const ABOUT = "sulla.session.about";

export class WayInRefused extends Error {}

/** A token by its name, and what it may. */
export interface Who {
  readonly name: string;
  readonly scopes: readonly string[];
}

/** Somebody else is signed in, or was: the ticket is not used up, and the person has the word. */
export class SignedInAlready extends Error {
  constructor(
    readonly ticket: string,
    /** Null where that session has ended. */
    readonly now: Who | null,
    readonly then: Who,
    /** By which name this page was signed in; empty if it is not known. */
    readonly had: string,
  ) {
    super(`signed in as ${now?.name ?? had}`);
  }
}

export function sessionKey(): string | null {
  return localStorage.getItem(KEY);
}

export interface SessionAbout {
  /** Whose token it was begun with; empty if it is not known. */
  readonly name: string;
  /** Null if it is not known. */
  readonly expiresAt: string | null;
}

/** What the daemon said of the session when it began. */
export function sessionAbout(): SessionAbout {
  try {
    const kept = JSON.parse(localStorage.getItem(ABOUT) ?? "{}") as { name?: unknown; expires_at?: unknown };
    return { name: typeof kept.name === "string" ? kept.name : "", expiresAt: typeof kept.expires_at === "string" ? kept.expires_at : null };
  } catch {
    return { name: "", expiresAt: null }; // somebody else has written there; it is for people only
  }
}

/** Takes the ticket out of the address, so that it stays neither there nor in the history; null if there is none. */
export function ticketFromAddress(): string | null {
  const found = /^#ticket=([\w.~-]+)$/.exec(location.hash);
  if (found?.[1] === undefined) return null;
  history.replaceState(null, "", location.pathname);
  return found[1];
}

/** What the daemon answers to who signs in. */
interface Answer {
  readonly key?: string;
  readonly name?: string;
  readonly scopes?: readonly string[];
  readonly expires_at?: string;
  /** The session that is there is one of the same token, and stays. */
  readonly stays?: boolean;
  /** Null if the session has ended that the page had. */
  readonly signed_in?: Who | null;
  readonly would_be?: Who;
  readonly error?: { readonly message?: string };
}

/**
 * Begin a session. One that may not `read` is ended at once: it has no view. A session that is there already ends with that; by a
 * ticket of another token only if `replace` is said, also where the session has ended: a page at another port can have taken its
 * cookie away. What this page keeps, no page of another origin can touch.
 *
 * @throws WayInRefused with the daemon's words, that it cannot be reached, or that the token may see nothing.
 * @throws SignedInAlready if the person has to say first whose session it shall be.
 */
export async function enter(secret: { ticket: string; replace?: boolean } | { token: string }): Promise<void> {
  const before = sessionKey();
  const had = sessionAbout().name;
  let response: Response;
  try {
    response = await fetch("./console/session", {
      method: "POST",
      headers: { "content-type": "application/json", ...(before === null ? {} : { "x-sulla-session": before }) },
      body: JSON.stringify("ticket" in secret && had !== "" ? { ...secret, had } : secret),
      credentials: "same-origin",
      signal: AbortSignal.timeout(15_000),
    });
  } catch {
    throw new WayInRefused("The daemon does not answer. Is it running? `sulla status` says so.");
  }
  if (isTooLarge(response)) throw new WayInRefused(COOKIES);
  const answer = (await response.json().catch(() => ({}))) as Answer;
  if (response.ok && answer.stays === true) return;
  if ("ticket" in secret && answer.signed_in !== undefined && answer.would_be !== undefined) {
    if (!answer.would_be.scopes.includes("read")) throw new WayInRefused(seesNothing(answer.would_be.scopes));
    throw new SignedInAlready(secret.ticket, answer.signed_in, answer.would_be, had);
  }
  if (!response.ok || answer.key === undefined) {
    throw new WayInRefused(answer.error?.message ?? `The daemon refused it (${response.status}).`);
  }
  if (answer.scopes !== undefined && !answer.scopes.includes("read")) {
    // Its cookie has taken the place of the one before, whose key opens nothing any more.
    forget();
    await end(answer.key);
    throw new WayInRefused(seesNothing(answer.scopes));
  }
  localStorage.setItem(KEY, answer.key);
  localStorage.setItem(ABOUT, JSON.stringify({ name: answer.name, expires_at: answer.expires_at }));
}

function seesNothing(scopes: readonly string[]): string {
  return `This token may see nothing here: it needs the scope read, and has ${scopes.join(", ") || "none"}. \`sulla token create NAME --scope read\` prints one that may.`;
}

/** End the session, here and at the daemon. */
export async function leave(): Promise<void> {
  const key = sessionKey();
  forget();
  if (key !== null) await end(key);
}

/** Drop a key that opens nothing any more, unless another tab has begun a session since. Whose it was is known until somebody signs out. */
export function forgetKey(dead: string): void {
  if (sessionKey() === dead) localStorage.removeItem(KEY);
}

/** Have `began` called when another tab has begun a session. */
export function onOtherTab(began: () => void): void {
  addEventListener("storage", (event) => {
    if (event.key === KEY && event.newValue !== null) began();
  });
}

function forget(): void {
  localStorage.removeItem(KEY);
  localStorage.removeItem(ABOUT);
}

async function end(key: string): Promise<void> {
  // The key is gone from here whatever comes of it; the daemon forgets the session when its time is over.
  await fetch("./console/session", {
    method: "DELETE",
    headers: { "x-sulla-session": key },
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined);
}
