/** A part of a line: text as it is, or a long run of blanks, which is told instead of drawn. */
export interface Piece {
  readonly text: string;
  /** How many blanks and tabs it is; 0 for text. */
  readonly blanks: number;
}

const LONG_BLANKS = /[^\S\n]{9,}/gu;

/** The lines of a text, each in pieces: a run of blanks that would push text to where a line of its own seems to begin is apart. */
export function linesOf(text: string): readonly (readonly Piece[])[] {
  return text.split("\n").map((line) => {
    const pieces: Piece[] = [];
    let end = 0;
    for (const run of line.matchAll(LONG_BLANKS)) {
      if (run.index > end) pieces.push({ text: line.slice(end, run.index), blanks: 0 });
      pieces.push({ text: run[0], blanks: run[0].length });
      end = run.index + run[0].length;
    }
    if (end < line.length) pieces.push({ text: line.slice(end), blanks: 0 });
    return pieces;
  });
}

/** How much of a reason is shown before its rest is unfolded. */
export const WHY_CHARS = 600;

/** A reason in what is shown at once and what is behind a fold, which is empty for a short one. No character is halved. */
export function reasonParts(why: string): readonly [string, string] {
  if (why.length <= WHY_CHARS) return [why, ""];
  const halves = /[\ud800-\udbff]/.test(why.charAt(WHY_CHARS - 1));
  const at = WHY_CHARS - (halves ? 1 : 0);
  return [why.slice(0, at), why.slice(at)];
}
