import { isMap, isPair, isScalar, isSeq, parseDocument, type Document, type Node, type Pair, type YAMLMap, type YAMLSeq } from "yaml";

/** What a step can do, as the file calls it, in the order in which the palette shows them. */
export const KINDS = [
  "agent", "tool", "router", "condition", "human", "prompt", "respond", "set", "wait", "loop", "parallel", "merge", "playbook",
  "transfer", "break", "fail",
] as const;
export type Kind = (typeof KINDS)[number];

export interface Need {
  readonly id: string;
  /** The way of that step; empty for none. */
  readonly way: string;
  readonly how: "success" | "failure" | "always";
  /** Whether the file says it; else the step follows the one above it. */
  readonly said: boolean;
}

/** A step, without its node. */
export interface SketchStep {
  /** Its id, or what stands for it where it has none or shares it. One of its own in the file. */
  readonly key: string;
  readonly id: string;
  readonly kind: Kind | "";
  readonly title: string;
  /** What it does, in short: the agent, the tool, the question. */
  readonly detail: string;
  readonly needs: readonly Need[];
  /** The list that it stands in. */
  readonly list: string;
  /** Where in the file: from its first character to behind its last one. */
  readonly from: number;
  readonly to: number;
  readonly path: readonly (string | number)[];
  /** Lists in it: a loop's steps, a branch's. */
  readonly lists: readonly string[];
}

export interface OutlineStep extends SketchStep {
  readonly node: YAMLMap;
}

/** A list of steps, without its node. */
export interface SketchList {
  /** `steps`, `on_error`, `finally`; of a loop the key of its step, of a branch `<key>/<branch>`. */
  readonly name: string;
  /** The branch's name; empty for all others. */
  readonly branch: string;
  /** The step that it is in; null for those of the file. */
  readonly owner: string | null;
  readonly keys: readonly string[];
  readonly path: readonly (string | number)[];
}

export interface OutlineList extends SketchList {
  /** Null while it is empty and no list yet. */
  readonly node: YAMLSeq | null;
}

/** What a playbook's text says of its steps, as far as it can be read: it may be half written. One thread can send it to another. */
export interface Sketch {
  readonly steps: readonly SketchStep[];
  readonly lists: ReadonlyMap<string, SketchList>;
  readonly name: string;
  /** Whether the text can be read as YAML at all. */
  readonly readable: boolean;
}

/** The same with what it was read from, by which the text is changed. */
export interface Outline extends Sketch {
  readonly steps: readonly OutlineStep[];
  readonly lists: ReadonlyMap<string, OutlineList>;
  readonly document: Document;
}

export const NO_STEPS: Sketch = { steps: [], lists: new Map(), name: "", readable: false };

export const SECTIONS = ["steps", "on_error", "finally"] as const;
const MOST_STEPS = 2000;
const MOST_DEPTH = 12;
const SHOWN = 80;

export function outline(text: string): Outline {
  const document = parseDocument(text, { strict: false, uniqueKeys: false, logLevel: "silent" }) as Document;
  const steps: OutlineStep[] = [];
  const lists = new Map<string, OutlineList>();
  const taken = new Set<string>();

  const readList = (node: unknown, name: string, branch: string, owner: string | null, path: (string | number)[], depth: number): void => {
    const keys: string[] = [];
    const at = steps.length;
    if (isSeq(node) && depth < MOST_DEPTH) {
      let above = "";
      for (const [index, item] of node.items.entries()) {
        if (!isMap(item) || steps.length >= MOST_STEPS) continue;
        const step = readStep(item, name, above, [...path, index], depth);
        keys.push(step.key);
        above = step.id;
      }
    }
    lists.set(name, Object.freeze({ name, branch, owner, keys, path, node: isSeq(node) ? node : null }));
    // Steps stand in the order of the file: a loop before what is in it.
    steps.push(...steps.splice(at).sort((one, other) => one.from - other.from));
  };

  const readStep = (node: YAMLMap, list: string, above: string, path: (string | number)[], depth: number): OutlineStep => {
    const id = textOf(get(node, "id"));
    const kind = KINDS.find((one) => pair(node, one) !== undefined && !(one === "prompt" && pair(node, "agent") !== undefined)) ?? "";
    let key = id === "" ? `#${path.join(".")}` : id;
    for (let number = 2; taken.has(key); number++) key = `${id}#${number}`;
    taken.add(key);
    const inner: string[] = [];
    const step: OutlineStep = {
      key, id, kind, title: textOf(get(node, "title")), detail: detailOf(node, kind), needs: needsOf(node, above), list,
      from: node.range?.[0] ?? 0, to: node.range?.[1] ?? 0, path, lists: inner, node,
    };
    steps.push(step);
    const does = kind === "" ? undefined : get(node, kind);
    if (kind === "loop" && isMap(does)) {
      inner.push(key);
      readList(get(does, "steps"), key, "", key, [...path, "loop", "steps"], depth + 1);
    }
    const branches = kind === "parallel" && isMap(does) ? get(does, "branches") : undefined;
    if (isMap(branches)) {
      for (const one of branches.items) {
        const branch = textOf(one.key);
        if (inner.includes(`${key}/${branch}`)) continue;
        inner.push(`${key}/${branch}`);
        readList(one.value, `${key}/${branch}`, branch, key, [...path, "parallel", "branches", branch], depth + 1);
      }
    }
    return step;
  };

  const root: unknown = document.contents;
  for (const section of SECTIONS) readList(isMap(root) ? get(root, section) : undefined, section, "", null, [section], 0);
  return {
    steps, lists, name: isMap(root) ? textOf(get(root, "name")) : "", readable: document.errors.length === 0 && isMap(root), document,
  };
}

export function sketch(text: string): Sketch {
  const { steps, lists, name, readable } = outline(text);
  return {
    steps: steps.map((step) => ({ ...step, node: undefined })),
    lists: new Map([...lists].map(([key, list]) => [key, { ...list, node: undefined }])),
    name, readable,
  };
}

/** The innermost step at a place of the file; null for none. */
export function stepAt(of: Sketch, offset: number, text: string): SketchStep | null {
  let found: SketchStep | null = null;
  for (const step of of.steps) {
    const line = text.lastIndexOf("\n", step.from - 1) + 1;
    if (line <= offset && offset <= Math.max(step.to, step.from)) found = found === null || step.from >= found.from ? step : found;
  }
  return found;
}

/** Where its own lines end, without the empty ones behind it. */
export function endOf(step: SketchStep, text: string): number {
  return step.from + text.slice(step.from, step.to).trimEnd().length;
}

function needsOf(node: YAMLMap, above: string): Need[] {
  const said = pair(node, "needs");
  if (said === undefined) return above === "" ? [] : [{ id: above, way: "", how: "success", said: false }];
  const value: unknown = said.value;
  return (isSeq(value) ? value.items : [value]).flatMap(needsIn);
}

/** What one entry of `needs` says. */
export function needsIn(entry: unknown): Need[] {
  if (isMap(entry)) return entry.items.map((one) => ({ ...named(textOf(one.key)), how: howOf(textOf(one.value)), said: true }));
  const text = textOf(entry);
  return text === "" ? [] : [{ ...named(text), how: "success", said: true }];
}

function howOf(text: string): Need["how"] {
  return text === "failure" || text === "always" ? text : "success";
}

function named(text: string): { id: string; way: string } {
  const [id = "", ...way] = text.split(".");
  return { id, way: way.join(".") };
}

/** A need as the file says it. */
export function needText(need: Need): string {
  const name = need.way === "" ? need.id : `${need.id}.${need.way}`;
  return need.how === "success" ? name : `{${name}: ${need.how}}`;
}

function detailOf(node: YAMLMap, kind: Kind | ""): string {
  const does = kind === "" ? undefined : get(node, kind);
  if (kind === "loop" && isMap(does)) {
    for (const how of ["for_each", "count", "while", "matrix"]) {
      const text = textOf(get(does, how));
      if (pair(does, how) !== undefined) return short(text === "" ? how : `${how}: ${text}`);
    }
    return "";
  }
  if (kind === "set" && isMap(does)) return short(does.items.map((one) => textOf(one.key)).join(", "));
  if (kind === "wait" && isMap(does)) return short(textOf(get(does, "until")));
  if (kind === "condition" && isMap(does)) return short(textOf(get(does, "ask")));
  return short(textOf(does));
}

function short(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > SHOWN ? `${line.slice(0, SHOWN - 1)}…` : line;
}

export function get(map: YAMLMap, key: string): unknown {
  return pair(map, key)?.value;
}

export function pair(map: YAMLMap, key: string): Pair<Node, Node | null> | undefined {
  return map.items.find((one) => isPair(one) && textOf(one.key) === key) as Pair<Node, Node | null> | undefined;
}

export function textOf(node: unknown): string {
  if (!isScalar(node) || node.value === null) return "";
  if (typeof node.value === "string") return node.value;
  return node.source ?? (typeof node.value === "number" || typeof node.value === "boolean" ? String(node.value) : "");
}

/** The step of an id in a list; null where there is none. */
export function stepOfId<S extends SketchStep>(of: { readonly steps: readonly S[] }, id: string, list: string): S | null {
  return of.steps.find((step) => step.id === id && step.list === list) ?? null;
}
