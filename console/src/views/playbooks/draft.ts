const KEY = "sulla.playbook.";
const MOST_CHARS = 600_000;

/** What was written and not saved, kept for this window until it is: going elsewhere on the page loses nothing. */
export function keepDraft(name: string, text: string | null): void {
  try {
    if (text === null || text.length > MOST_CHARS) sessionStorage.removeItem(KEY + name);
    else sessionStorage.setItem(KEY + name, text);
  } catch {
    // There is no room: the text stays in the editor, and is lost only if that is left.
  }
}

export function draftOf(name: string): string | null {
  return sessionStorage.getItem(KEY + name);
}
