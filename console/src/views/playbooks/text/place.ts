import { isMap, isScalar, isSeq, parseDocument, visit, type Document, type Pair } from "yaml";

/** Where somebody writes in a text of YAML. */
export interface Place {
  /** Whether a key is written, or a value. */
  readonly what: "key" | "value";
  /** Of the map that a key is written in; of the value. */
  readonly path: readonly (string | number)[];
  /** Keys that the map has already. */
  readonly there: readonly string[];
  /** What the whole text says, without the word that is written. */
  readonly value: unknown;
  /** Where the word begins that is written, up to where the writer is. */
  readonly from: number;
  /** Whether a colon stands behind the word already. */
  readonly colon: boolean;
}

const WORD = /[\w.-]*$/;
const MARK = "__here__";

/** What is being written at a place; null within a text of several lines, a comment or an expression. */
export function placeAt(text: string, offset: number): Place | null {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const before = text.slice(start, offset);
  if (/(^|\s)#/.test(before) || /\$\{\{[^}]*$/.test(before)) return null;
  const word = WORD.exec(before)?.[0] ?? "";
  const from = offset - word.length;
  const rest = /^[\w.-]*/.exec(text.slice(offset))?.[0] ?? "";
  const behind = text.slice(offset + rest.length);
  const colon = /^ *:(\s|$)/.test(behind);
  const alone = /^\s*(- +)*$/.test(text.slice(start, from));
  for (const mark of alone && !colon ? [`${MARK}: `, MARK] : [MARK]) {
    const found = look(text.slice(0, from) + mark + behind, from, colon);
    if (found !== null) return found;
  }
  return null;
}

function look(text: string, from: number, colon: boolean): Place | null {
  const document = parseDocument(text, { strict: false, uniqueKeys: false, logLevel: "silent" });
  const found: { what: "key" | "value"; path: (string | number)[]; there: string[] }[] = [];
  visit(document, {
    Scalar(key, node, path) {
      if (node.value !== MARK) return undefined;
      const steps = pathOf([...path] as unknown[], node);
      if (key === "key") {
        const map = path[path.length - 2];
        const there = isMap(map) ? map.items.map((one) => keyText(one)).filter((one) => one !== MARK) : [];
        found.push({ what: "key", path: steps.slice(0, -1), there });
      } else found.push({ what: "value", path: steps, there: [] });
      return visit.BREAK;
    },
  });
  const [first] = found;
  if (first === undefined) return null;
  const value: unknown = without(plain(document));
  return { ...first, value, from, colon };
}

/** What a text says, as values; null where an alias of it leads nowhere. */
function plain(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 }) as unknown;
  } catch {
    return null;
  }
}

/** The path of keys to a node, given what stands above it. */
function pathOf(above: readonly unknown[], node: unknown): (string | number)[] {
  const path: (string | number)[] = [];
  const chain = [...above, node];
  for (const [index, one] of chain.entries()) {
    const next = chain[index + 1];
    if (isSeq(one) && next !== undefined) path.push(one.items.indexOf(next));
    else if (isPairLike(one)) path.push(keyText(one));
  }
  return path;
}

function isPairLike(value: unknown): value is Pair {
  return typeof value === "object" && value !== null && "key" in value && "value" in value && !isScalar(value);
}

function keyText(one: Pair): string {
  return isScalar(one.key) ? String(one.key.value) : "";
}

function without(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(without);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).filter(([key]) => key !== MARK).map(([key, inner]) => [key, without(inner)]));
  }
  return value === MARK ? null : value;
}

/** The path of the key that stands at a place; null where none does. */
export function keyAt(text: string, offset: number): { path: (string | number)[]; from: number; to: number; value: unknown } | null {
  const document = parseDocument(text, { strict: false, uniqueKeys: false, logLevel: "silent" });
  const found: { path: (string | number)[]; from: number; to: number }[] = [];
  visit(document, {
    Scalar(key, node, path) {
      const [from = 0, to = 0] = node.range ?? [];
      if (key !== "key" || offset < from || offset > to) return undefined;
      found.push({ path: pathOf([...path], node), from, to });
      return visit.BREAK;
    },
  });
  const [first] = found;
  return first === undefined ? null : { ...first, value: plain(document) };
}
