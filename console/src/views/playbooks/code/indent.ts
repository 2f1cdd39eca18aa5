const HEADER = /(?:^|[:\s-]\s*)[|>][+-]?\d?[+-]?$/;
const STEP = 2;

/**
 * How far a line is indented that begins behind a text, as playbooks are written: below the key for what a key opens, beside the
 * key for the next one, also behind a dash. Null where YAML is in one line, between brackets. Pure.
 */
export function indentBehind(text: string): number | null {
  const lines = text.split("\n");
  const line = lines.at(-1) ?? "";
  const margin = marginOf(line);
  if (inBlock(lines)) return margin;
  const said = line.replace(/(^|\s)#[^'"]*$/, "").trimEnd();
  if (/[[{,]$/.test(said)) return null;
  if (said.trim() === "") return margin;
  const content = /^\s*(?:- +)*/.exec(line)?.[0].length ?? 0;
  return said.endsWith(":") || HEADER.test(said) ? content + STEP : content;
}

/** Whether the last line is one of a text of several lines, which is told by how far it is indented. */
function inBlock(lines: readonly string[]): boolean {
  let margin = marginOf(lines.at(-1) ?? "");
  for (const line of lines.slice(0, -1).reverse()) {
    if (line.trim() === "" || marginOf(line) >= margin) continue;
    if (HEADER.test(line.replace(/\s#.*$/, "").trimEnd())) return true;
    margin = marginOf(line);
  }
  return false;
}

function marginOf(line: string): number {
  return line.length - line.trimStart().length;
}
