/**
 * Reads and writes lists of names at the top of a TOML text, and nothing else of it: comments, order and blanks of a person's
 * file stay as they are. What is no plain list of texts is left to the person.
 */
export type List =
  | { readonly state: "absent" }
  | { readonly state: "list"; readonly values: readonly string[] }
  /** It is something else, or the text cannot be read there. */
  | { readonly state: "unclear" };

interface Item {
  readonly value: string;
  readonly start: number;
  readonly end: number;
  /** Where its comma is; -1 for none. */
  readonly comma: number;
}

interface Found {
  readonly lineStart: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

const LONGEST_LINE = 100;

export function readList(text: string, key: string): List {
  const found = findKey(text, key);
  if (found === null) return { state: "absent" };
  if (found === "unclear") return { state: "unclear" };
  const items = readItems(text, found);
  return items === null ? { state: "unclear" } : { state: "list", values: items.map(({ value }) => value) };
}

/**
 * The text with that list; null takes the key away.
 *
 * @returns null if the key is there and is no plain list of texts.
 */
export function writeList(text: string, key: string, values: readonly string[] | null): string | null {
  const found = findKey(text, key);
  if (found === "unclear") return null;
  if (found === null) return values === null ? text : inserted(text, `${key} = ${arrayOf(values, eolOf(text), key.length + 3)}`);
  const items = readItems(text, found);
  if (items === null) return null;
  if (values === null) return withoutKey(text, found);
  const whole = text.slice(found.valueStart, found.valueEnd);
  if (!whole.includes("\n")) {
    const line = arrayOf(values, eolOf(text), key.length + 3);
    return text.slice(0, found.valueStart) + line + text.slice(found.valueEnd);
  }
  return changed(text, found, items, values);
}

/** The value of a key that is a text, e.g. `description`; null if there is none. */
export function readText(text: string, key: string): string | null {
  const found = findKey(text, key);
  if (found === null || found === "unclear") return null;
  return stringAt(text, found.valueStart)?.value ?? null;
}

/** A text as TOML writes it. */
export function quoted(value: string): string {
  return JSON.stringify(value).replace(/\u007f/g, "\\u007f");
}

// -------------------------------------------------------------------------------------------------------------- reading

const KEY = /[ \t]*(?:([A-Za-z0-9_-]+)|"([^"\\\n]*)"|'([^'\n]*)')((?:[ \t]*\.[^=\n]*)?)[ \t]*=[ \t]*/y;

function findKey(text: string, key: string): Found | null | "unclear" {
  for (let at = 0; at < text.length; ) {
    const lineStart = at;
    const first = /[ \t]*(.?)/y;
    first.lastIndex = at;
    const mark = first.exec(text)?.[1] ?? "";
    if (mark === "[") return null; // tables follow: nothing of them is at the top
    if (mark === "" || mark === "#" || mark === "\r") {
      at = lineEnd(text, at) + 1;
      continue;
    }
    KEY.lastIndex = at;
    const match = KEY.exec(text);
    if (match === null) return "unclear";
    const valueStart = KEY.lastIndex;
    const valueEnd = skipValue(text, valueStart);
    if (valueEnd === null) return "unclear";
    const name = match[1] ?? match[2] ?? match[3] ?? "";
    if (name === key) return match[4] === "" ? { lineStart, valueStart, valueEnd } : "unclear";
    at = lineEnd(text, valueEnd) + 1;
  }
  return null;
}

/** Where a value ends; null if it does not. */
function skipValue(text: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < text.length; ) {
    const character = text.charAt(at);
    if (character === '"' || character === "'") {
      const end = stringAt(text, at)?.end;
      if (end === undefined) return null;
      at = end;
      if (depth === 0) return at;
    } else if (character === "[" || character === "{") {
      depth++;
      at++;
    } else if (character === "]" || character === "}") {
      at++;
      if (--depth <= 0) return at;
    } else if (character === "#") {
      if (depth === 0) return trimmed(text, start, at);
      at = lineEnd(text, at);
    } else if (character === "\n" && depth === 0) return trimmed(text, start, at);
    else at++;
  }
  return depth === 0 ? trimmed(text, start, text.length) : null;
}

function readItems(text: string, { valueStart, valueEnd }: Found): Item[] | null {
  if (text.charAt(valueStart) !== "[") return null;
  const items: Item[] = [];
  let at = blank(text, valueStart + 1);
  while (at < valueEnd - 1) {
    const string = stringAt(text, at);
    if (string === null) return null;
    const behind = blank(text, string.end);
    const comma = text.charAt(behind) === "," ? behind : -1;
    items.push({ value: string.value, start: at, end: string.end, comma });
    if (comma < 0 && behind < valueEnd - 1) return null;
    at = comma < 0 ? behind : blank(text, comma + 1);
  }
  return items;
}

const ESCAPES: Record<string, string> = { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", e: "\u001b", '"': '"', "\\": "\\" };

function stringAt(text: string, start: number): { value: string; end: number } | null {
  const quote = text.charAt(start);
  if (quote !== '"' && quote !== "'") return null;
  const long = text.startsWith(quote.repeat(3), start);
  const mark = long ? quote.repeat(3) : quote;
  let end = start + mark.length;
  for (; end < text.length && !text.startsWith(mark, end); end++) {
    if (!long && text.charAt(end) === "\n") return null;
    if (quote === '"' && text.charAt(end) === "\\") end++;
  }
  if (end >= text.length) return null;
  let after = end + mark.length;
  // A long text may end with one or two quotes of its own.
  while (long && text.charAt(after) === quote && after < end + 5) after++;
  const inner = text.slice(start + mark.length, after - mark.length).replace(long ? /^\r?\n/ : /^(?!)/, "");
  return { value: quote === "'" ? inner : unescaped(inner), end: after };
}

function unescaped(inner: string): string {
  return inner.replace(/\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|(\s*\n\s*)|(.))/g, (whole: string, u?: string, U?: string, x?: string, line?: string, one?: string) => {
    if (line !== undefined) return "";
    const hex = u ?? U ?? x;
    if (hex === undefined) return ESCAPES[one ?? ""] ?? whole;
    const point = Number.parseInt(hex, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}

/** The next place that is neither blank nor comment. */
function blank(text: string, start: number): number {
  let at = start;
  for (;;) {
    while (/\s/.test(text.charAt(at))) at++;
    if (text.charAt(at) !== "#") return at;
    at = lineEnd(text, at);
  }
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function trimmed(text: string, start: number, end: number): number {
  return start + text.slice(start, end).trimEnd().length;
}

// -------------------------------------------------------------------------------------------------------------- writing

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function arrayOf(values: readonly string[], eol: string, before: number): string {
  const line = `[${values.map(quoted).join(", ")}]`;
  if (before + line.length <= LONGEST_LINE) return line;
  return `[${values.map((value) => `${eol}  ${quoted(value)},`).join("")}${eol}]`;
}

/** Behind the last key of the top, before the first table and the comments that belong to it. */
function inserted(text: string, line: string): string {
  const eol = eolOf(text);
  let at = topEnd(text);
  if (at < text.length) {
    const lines = text.slice(0, at).split("\n");
    lines.pop();
    while (lines.length > 0 && /^\s*(#.*)?$/.test(lines.at(-1) ?? "")) lines.pop();
    at = lines.reduce((length, one) => length + one.length + 1, 0);
  }
  const head = text.slice(0, at);
  const tail = text.slice(at);
  const gap = tail !== "" && !/^\r?\n/.test(tail) ? eol : "";
  return `${head}${head === "" || head.endsWith("\n") ? "" : eol}${line}${eol}${gap}${tail}`;
}

function topEnd(text: string): number {
  for (let at = 0; at < text.length; ) {
    const first = /[ \t]*(.?)/y;
    first.lastIndex = at;
    const mark = first.exec(text)?.[1] ?? "";
    if (mark === "[") return at;
    KEY.lastIndex = at;
    const end = mark !== "#" && KEY.exec(text) !== null ? (skipValue(text, KEY.lastIndex) ?? text.length) : at;
    at = lineEnd(text, end) + 1;
  }
  return text.length;
}

function withoutKey(text: string, { lineStart, valueStart, valueEnd }: Found): string {
  const eol = eolOf(text);
  const end = lineEnd(text, valueEnd);
  const kept = [...commentsIn(text.slice(valueStart, valueEnd)), text.slice(valueEnd, end).trim()].filter((comment) => comment !== "");
  return text.slice(0, lineStart) + kept.map((comment) => comment + eol).join("") + text.slice(Math.min(text.length, end + 1));
}

function commentsIn(array: string): string[] {
  const comments: string[] = [];
  for (let at = 0; at < array.length; ) {
    const character = array.charAt(at);
    if (character === '"' || character === "'") at = stringAt(array, at)?.end ?? array.length;
    else if (character === "#") {
      const end = lineEnd(array, at);
      comments.push(array.slice(at, end).trim());
      at = end;
    } else at++;
  }
  return comments;
}

/** A list over several lines: names go and come one by one, so that every comment stays at its line. */
function changed(text: string, { valueEnd }: Found, items: readonly Item[], values: readonly string[]): string {
  const wanted = new Set(values);
  const there = new Set(items.map(({ value }) => value));
  const added = values.filter((value, index) => !there.has(value) && values.indexOf(value) === index);
  const eol = eolOf(text);
  const close = valueEnd - 1;
  const kept = items.filter(({ value }) => wanted.has(value));
  const edits: { start: number; end: number; text: string }[] = [];
  for (const item of items) {
    if (wanted.has(item.value)) continue;
    edits.push({ ...spanOf(text, item), text: "" });
  }
  const last = kept.at(-1);
  if (last?.comma === -1 && added.length > 0) edits.push({ start: last.end, end: last.end, text: "," });
  if (added.length > 0) {
    const lineStart = text.lastIndexOf("\n", close - 1) + 1;
    const alone = text.slice(lineStart, close).trim() === "";
    const model = items.find((item) => text.slice(text.lastIndexOf("\n", item.start) + 1, item.start).trim() === "");
    const indent = model === undefined ? "  " : text.slice(text.lastIndexOf("\n", model.start) + 1, model.start);
    const lines = added.map((value) => `${indent}${quoted(value)},${eol}`).join("");
    edits.push(alone ? { start: lineStart, end: lineStart, text: lines } : { start: close, end: close, text: `${eol}${lines}` });
  }
  return edits
    .sort((one, other) => other.start - one.start || other.end - one.end)
    .reduce((whole, edit) => whole.slice(0, edit.start) + edit.text + whole.slice(edit.end), text);
}

/** What goes with a name: its comma, and its line if nothing else stands there. */
function spanOf(text: string, item: Item): { start: number; end: number } {
  const end = item.comma < 0 ? item.end : item.comma + 1;
  const lineStart = text.lastIndexOf("\n", item.start) + 1;
  const until = lineEnd(text, end);
  if (text.slice(lineStart, item.start).trim() === "" && text.slice(end, until).trim() === "" && !text.slice(item.start, end).includes("\n")) {
    return { start: lineStart, end: Math.min(text.length, until + 1) };
  }
  const blanks = /[ \t]*/y;
  blanks.lastIndex = end;
  blanks.exec(text);
  return { start: item.start, end: text.charAt(blanks.lastIndex) === "#" ? end : blanks.lastIndex };
}
