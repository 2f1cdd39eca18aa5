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

/** The names of what was written and not saved, in the order of the alphabet. */
export function draftNames(): string[] {
  const names: string[] = [];
  for (let index = 0; index < sessionStorage.length; index++) {
    const key = sessionStorage.key(index);
    if (key?.startsWith(KEY)) names.push(key.slice(KEY.length));
  }
  return names.sort();
}

export function draftOf(name: string): string | null {
  return sessionStorage.getItem(KEY + name);
}
