/** The status of a request whose head is too large: in a browser, by the cookies that come with it. */
const TOO_LARGE = 431;

/** What a person can do then; the daemon's plain page says the same (`HEAD_TOO_LARGE`). */
export const COOKIES =
  "The browser sends the cookies of all programs at this address, and they are more than the daemon reads. " +
  "Delete the cookies of this address in the browser's settings (of sites and their data), and load the page again. " +
  "It then asks for a token, or for a link that `sulla console` opens.";

export function isTooLarge(response: Pick<Response, "status">): boolean {
  return response.status === TOO_LARGE;
}

/** Whether the daemon reads no request to a path for its cookies. Of a WebSocket that fails, no page is told why. */
export async function cookiesStandInTheWay(path: string): Promise<boolean> {
  try {
    return isTooLarge(await fetch(path, { credentials: "same-origin", cache: "no-store", signal: AbortSignal.timeout(5_000) }));
  } catch {
    return false; // it cannot be reached at all, which is told already
  }
}
