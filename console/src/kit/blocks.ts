/**
 * How a text is cut into pieces that are read as Markdown one by one: while it grows only the last piece is read again, and no
 * piece is so large or so deep that reading it holds up the page.
 */
export interface Block {
  readonly text: string;
  /** Why it is not read as Markdown; empty if it is. */
  readonly plain: "" | "long" | "deep" | "wide" | "dense";
}

/** Characters of one piece; a longer one that cannot be cut is plain text. */
export const BLOCK_CHARS = 8_000;
/** Pieces are joined up to here: many small ones cost more than one. */
const JOINED_CHARS = 1_200;
/** Characters of a text that are read as Markdown until somebody asks for more. */
export const TEXT_CHARS = 24_000;
/** Its lines that are: each may become an element of its own. */
const TEXT_LINES = 500;
/** Quotes within quotes, or lists within lists. */
const DEEPEST = 20;
/** Cells of a table's row. */
const WIDEST = 60;
/** Characters in one piece that may begin or end something. */
const DENSEST = 1_500;

const DEFINITION = /^ {0,3}\[[^\]]+\]:/m;

/** The pieces of a text; joined, they are the text. */
export function blocks(text: string): Block[] {
  // Link definitions reach over cuts: a short text that has some is read as a whole.
  if (text.length <= BLOCK_CHARS && DEFINITION.test(text)) return [judged(text)];
  const out: string[] = [];
  for (const piece of split(text)) {
    const last = out.at(-1);
    if (last !== undefined && last.length + piece.length <= JOINED_CHARS) out[out.length - 1] = last + piece;
    else out.push(piece);
  }
  return out.map(judged);
}

/**
 * Cuts a text at blank lines outside of code fences and lists, and in front of the entries of a long list, so that what stands
 * before a cut is read alone as it is read in the whole.
 */
export function split(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  let fence = "";
  let blank = false;
  let at = 0;
  for (const line of text.split("\n")) {
    if (fence === "" && at > start) {
      const fresh = blank && /^[^\s\-*+>|\d]/.test(line);
      const entry = at - start > JOINED_CHARS && /^(?:[-*+]|\d{1,9}[.)])\s/.test(line);
      if (fresh || entry) {
        pieces.push(text.slice(start, at));
        start = at;
      }
    }
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === "") fence = mark;
      else if (mark.startsWith(fence) && line.trim() === mark) fence = "";
    }
    blank = line.trim() === "";
    at += line.length + 1;
  }
  if (start < text.length) pieces.push(text.slice(start));
  return pieces;
}

function judged(text: string): Block {
  return { text, plain: trouble(text) };
}

function trouble(text: string): Block["plain"] {
  if (/^ {0,3}(```|~~~)/.test(text) && text.length <= 5 * BLOCK_CHARS) return ""; // code is read fast
  if (text.length > BLOCK_CHARS) return "long";
  for (const line of text.split("\n")) {
    const lead = /^[\s>*+\-\d.)]*/.exec(line)?.[0] ?? "";
    if ((lead.match(/>/g)?.length ?? 0) > DEEPEST || (lead.match(/(?:[-*+]|\d[.)])\s/g)?.length ?? 0) > DEEPEST) return "deep";
    if ((/^\s*/.exec(line)?.[0].length ?? 0) > 4 * DEEPEST && /^\s*(?:[-*+>]|\d+[.)])/.test(line)) return "deep";
    if ((line.match(/\|/g)?.length ?? 0) > WIDEST) return "wide";
  }
  return (text.match(/[*_~[\]`<&!]/g)?.length ?? 0) > DENSEST ? "dense" : "";
}

/**
 * Where the part ends that is read as Markdown: at a line's end where there is one.
 *
 * @param times how many times as much as at first.
 */
export function readUpTo(text: string, times: number): number {
  const chars = Math.min(text.length, times * TEXT_CHARS);
  let end = 0;
  for (let lines = 0; lines < times * TEXT_LINES; lines++) {
    const next = text.indexOf("\n", end) + 1;
    if (next === 0) return chars;
    if (next > chars) return chars === text.length || end < chars / 2 ? chars : end;
    end = next;
  }
  return end;
}
