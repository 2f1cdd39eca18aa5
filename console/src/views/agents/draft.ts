/** An agent's files as they are being changed. Frozen values. */
export interface Draft {
  readonly agent: string;
  /** What was saved when it was read, and its digest. */
  readonly base: Readonly<Record<string, string>>;
  readonly digest: string;
  readonly files: Readonly<Record<string, string>>;
}

export interface Saved {
  readonly agent: string;
  readonly files: Readonly<Record<string, string>>;
  readonly digest: string;
}

export const SETTINGS = "agent.toml";
const FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_. -]{0,99}\.md$/;

export function begun({ agent, files, digest }: Saved): Draft {
  return { agent, base: files, digest, files };
}

export function edited(draft: Draft, file: string, text: string): Draft {
  return { ...draft, files: { ...draft.files, [file]: text } };
}

export function without(draft: Draft, file: string): Draft {
  return { ...draft, files: Object.fromEntries(Object.entries(draft.files).filter(([name]) => name !== file)) };
}

/** What `agent.update` is told: the files that are others now, and null for those that go. */
export function changesOf({ base, files }: Pick<Draft, "base" | "files">): Record<string, string | null> {
  const changes: Record<string, string | null> = {};
  for (const [name, text] of Object.entries(files)) if (base[name] !== text) changes[name] = text;
  for (const name of Object.keys(base)) if (!(name in files)) changes[name] = null;
  return changes;
}

export function isChanged(draft: Draft): boolean {
  return Object.keys(changesOf(draft)).length > 0;
}

/** Changes on top of what somebody else has saved meanwhile. */
export interface OnTop {
  readonly draft: Draft;
  /** The files that this draft makes others than they are saved now. */
  readonly changed: readonly string[];
  /** Those of them that both have changed: this draft's text is kept. */
  readonly both: readonly string[];
  /** The files that only the other has changed: theirs are kept. */
  readonly only: readonly string[];
}

/** The same changes on top of what somebody else has saved meanwhile. */
export function onTop(draft: Draft, saved: Saved): OnTop {
  const changes = changesOf(draft);
  const files: Record<string, string> = {};
  for (const [name, text] of Object.entries({ ...saved.files, ...changes })) if (text !== null) files[name] = text;
  const mine: Draft = { agent: draft.agent, base: saved.files, digest: saved.digest, files };
  const changed = inOrder(changesOf(mine));
  const others = inOrder({ ...draft.base, ...saved.files }).filter((name) => saved.files[name] !== draft.base[name]);
  return {
    draft: mine,
    changed,
    both: changed.filter((name) => others.includes(name)),
    only: others.filter((name) => !(name in changes)),
  };
}

/** Why a file cannot be called so; empty if it can. */
export function nameTrouble(name: string, files: Readonly<Record<string, string>>): "taken" | "form" | "" {
  if (name in files) return "taken";
  return name === SETTINGS || FILE_NAME.test(name) ? "" : "form";
}

/** In the order in which they are read: settings, soul, directives, environment, then the others by name. */
export function inOrder(files: Readonly<Record<string, unknown>>): readonly string[] {
  const first = [SETTINGS, "soul.md", "directives.md", "environment.md"];
  const rank = (name: string): number => (first.includes(name) ? first.indexOf(name) : first.length);
  return Object.keys(files).sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
}

/** Which file, and which line of it, a warning or an error is about; null if it names none of them. */
export function placeIn(said: string, files: Readonly<Record<string, string>>): { file: string; line: number } | null {
  for (const file of Object.keys(files)) {
    const at = said.indexOf(file);
    if (at < 0 || /[\w.-]/.test(said.charAt(at - 1))) continue;
    // As compilers write it, or in words where the library that read it says so.
    const line = /^:(\d+)|\bline (\d+)/.exec(said.slice(at + file.length))?.slice(1).find(Boolean);
    return { file, line: Number(line ?? 1) };
  }
  return null;
}

/** Where a line begins and ends in a text, to mark it. Lines count from 1. */
export function spanOfLine(text: string, line: number): { start: number; end: number } {
  const lines = text.split("\n");
  const index = Math.min(Math.max(1, line), lines.length) - 1;
  const start = lines.slice(0, index).reduce((sum, one) => sum + one.length + 1, 0);
  return { start, end: start + (lines[index]?.length ?? 0) };
}
