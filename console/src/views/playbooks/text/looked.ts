/** What is saved under a name, as far as it matters here. */
interface Kept {
  readonly text: string;
  readonly digest: string | null;
}

/**
 * What to do when a file was looked at again while its text is in the editor.
 *
 * `same`: nothing. `adopt`: it says what the editor says already. `take`: it has changed and nothing was written here. `conflict`: it
 * has changed, and something was written here. `gone`: there is no file any more.
 */
export type Looked = "same" | "adopt" | "take" | "conflict" | "gone";

/** Pure. `found` is null where there is none any more. */
export function looked(saved: Kept, text: string, found: Kept | null): Looked {
  if (saved.digest === null) return "same"; // there was none to look at
  if (found === null) return "gone";
  if (found.digest === saved.digest) return "same";
  if (found.text === text) return "adopt";
  return text === saved.text ? "take" : "conflict";
}
