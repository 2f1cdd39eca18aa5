import type { Node } from "yaml";

/** Where a node stands in its text. */
export function rangeOf(node: unknown): [number, number] {
  const range = (node as Node | undefined)?.range;
  return range == null ? [0, 0] : [range[0], range[1]];
}

/** Behind the last character of a value that is no white space. */
export function trimmedEnd(text: string, node: unknown): number {
  const [from, to] = rangeOf(node);
  return from + text.slice(from, to).trimEnd().length;
}

export function lineStart(text: string, at: number): number {
  return at <= 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

export function columnOf(text: string, at: number): number {
  return at - lineStart(text, at);
}

/** The column of the dash before an entry. */
export function dashColumn(text: string, item: Node | undefined): number {
  const at = rangeOf(item)[0];
  const start = lineStart(text, at);
  return Math.max(0, text.slice(start, at).lastIndexOf("-"));
}
