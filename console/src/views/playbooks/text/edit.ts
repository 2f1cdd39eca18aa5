import { Document, isMap, isSeq, stringify, type Node, type YAMLSeq } from "yaml";
import { columnOf, dashColumn, lineEnd, lineStart, rangeOf, trimmedEnd } from "./lines";
import { needsIn, needText, outline, pair, type Kind, type Need, type Outline, type OutlineList, type OutlineStep } from "./outline";

/** A change of a text: what stands between two places becomes something else. */
export interface Change {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

export interface Edit {
  readonly changes: readonly Change[];
  /** The step to show behind it; empty for none. */
  readonly select: string;
}

/** Why something cannot be done: a word for the catalog, and what it is about. */
export class CannotEdit extends Error {
  constructor(
    readonly why: "unreadable" | "otherList" | "circle" | "itself" | "noStep" | "noId" | "badId" | "taken",
    readonly about: string,
  ) {
    super(why);
  }
}

const TEMPLATES: Record<Kind, Record<string, unknown>> = {
  agent: { agent: "sulla", prompt: "What is to be done?" },
  tool: { tool: "read_file", with: { path: "notes.txt" } },
  router: { router: "What is this about?", routes: { one: "the first case", other: "anything else" } },
  condition: { condition: "${{ true }}" },
  human: { human: "Is this right?" },
  prompt: { prompt: "What do you think of it?" },
  respond: { respond: "It is done." },
  set: { set: { value: 1 } },
  wait: { wait: "10s" },
  loop: { loop: { count: 3, steps: [{ id: "ID_pass", set: { number: "${{ loop.index }}" } }] } },
  parallel: { parallel: { branches: { one: [{ id: "ID_one", set: { value: 1 } }], two: [{ id: "ID_two", set: { value: 2 } }] } } },
  merge: { merge: "all" },
  playbook: { playbook: "another", with: {} },
  transfer: { transfer: "another" },
  break: { break: true },
  fail: { fail: "Why this cannot go on." },
};

/** Where a new step goes: behind a step, to the end of a list, or between a step and one that it needs, as `needText` says that. */
export type Spot = { readonly after: string } | { readonly list: string } | { readonly before: string; readonly need: string };

/**
 * A new step of a kind. What else the file says stays as it is, to the letter.
 *
 * @throws CannotEdit where the text cannot be read.
 */
export function insertStep(text: string, kind: Kind, spot: Spot): Edit {
  const of = readable(text);
  const id = freeId(of, kind);
  const entry = fill({ id, ...TEMPLATES[kind] }, id) as Record<string, unknown>;
  if ("before" in spot) return { changes: between(text, of, spot, entry), select: id };
  const behind = "after" in spot ? stepOf(of, spot.after) : null;
  const list = of.lists.get(behind?.list ?? ("list" in spot ? spot.list : "steps"));
  if (list === undefined) throw new CannotEdit("noStep", "list" in spot ? spot.list : "");
  const index = behind === null ? list.keys.length : indexOf(list, behind) + 1;
  if (list.node === null || list.node.items.length === 0) {
    return { changes: [firstOf(text, of, list, entry)], select: id };
  }
  return { changes: [insertItem(text, list.node, index, entry)], select: id };
}

/**
 * A file without a step. What needed it needs what it had needed, and what follows from its ways or its failure has that need
 * no more.
 */
export function deleteStep(text: string, key: string): Edit {
  const of = readable(text);
  const step = stepOf(of, key);
  const list = listOf(of, step);
  const gone = step.needs.filter((need) => need.id !== step.id);
  let now = text;
  // From the end of the file on, so that places before it stay where they are.
  for (const other of [...of.steps].reverse()) {
    if (other.list !== step.list || other.key === key || step.id === "" || !other.needs.some((need) => need.said && need.id === step.id)) continue;
    const wanted = merged(other.needs.flatMap((need) => (need.id === step.id ? (need.way === "" && need.how !== "failure" ? gone : []) : [need])));
    now = applied(now, needsChanges(now, outline(now), other.key, wanted));
  }
  const then = outline(now);
  const item = stepOf(then, key);
  const node = listOf(then, item).node;
  if (node === null) throw new CannotEdit("noStep", key);
  now = applied(now, [removeItem(now, node, indexOf(listOf(then, item), item))]);
  const place = list.keys.indexOf(key);
  return { changes: [difference(text, now)], select: list.keys[place + 1] ?? list.keys[place - 1] ?? "" };
}

/**
 * A step that waits for another one, too, or in another way.
 *
 * @throws CannotEdit where both do not stand in one list, or each would wait for the other.
 */
export function connect(text: string, fromKey: string, toKey: string, way = ""): Edit {
  const of = readable(text);
  const from = stepOf(of, fromKey);
  const to = stepOf(of, toKey);
  if (from.key === to.key) throw new CannotEdit("itself", to.id);
  if (from.list !== to.list) throw new CannotEdit("otherList", from.id);
  if (from.id === "") throw new CannotEdit("noId", "");
  if (waitsFor(of, from, to.id)) throw new CannotEdit("circle", from.id);
  if (to.needs.some((need) => need.said && need.id === from.id && need.way === way)) return { changes: [], select: to.key };
  const wanted = merged([...to.needs, { id: from.id, way, how: "success", said: true }]);
  return { changes: needsChanges(text, of, toKey, wanted), select: to.key };
}

/** A step that does not wait for another one any more. */
export function disconnect(text: string, fromKey: string, toKey: string): Edit {
  const of = readable(text);
  const from = stepOf(of, fromKey);
  const to = stepOf(of, toKey);
  return { changes: needsChanges(text, of, toKey, to.needs.filter((need) => need.id !== from.id)), select: to.key };
}

/** A text with changes, which do not lie over each other. */
export function applied(text: string, changes: readonly Change[]): string {
  return [...changes].sort((one, other) => other.from - one.from).reduce((now, { from, to, insert }) => now.slice(0, from) + insert + now.slice(to), text);
}

/** The one change that makes `now` of `text`. */
export function difference(text: string, now: string): Change {
  let from = 0;
  while (from < text.length && from < now.length && text[from] === now[from]) from++;
  let back = 0;
  while (back < text.length - from && back < now.length - from && text[text.length - 1 - back] === now[now.length - 1 - back]) back++;
  return { from, to: text.length - back, insert: now.slice(from, now.length - back) };
}

// ---------------------------------------------------------------------------------------------------------------- inside

export function readable(text: string): Outline {
  const of = outline(text);
  if (!of.readable && text.trim() !== "") throw new CannotEdit("unreadable", of.document.errors[0]?.message.split("\n")[0] ?? "");
  return of;
}

export function stepOf(of: Outline, key: string): OutlineStep {
  const step = of.steps.find((one) => one.key === key);
  if (step === undefined) throw new CannotEdit("noStep", key);
  return step;
}

function listOf(of: Outline, step: OutlineStep): OutlineList {
  const list = of.lists.get(step.list);
  if (list === undefined) throw new CannotEdit("noStep", step.key);
  return list;
}

function indexOf(list: OutlineList, step: OutlineStep): number {
  return list.node?.items.indexOf(step.node) ?? -1;
}

function freeId(of: Outline, kind: string): string {
  const taken = new Set(of.steps.map((step) => step.id));
  const free = (id: string): boolean => ["", "_pass", "_one", "_two"].every((end) => !taken.has(id + end));
  let id = kind;
  for (let number = 2; !free(id); number++) id = `${kind}_${number}`;
  return id;
}

function fill(value: unknown, id: string): unknown {
  if (typeof value === "string") return value.replace(/^ID_/, `${id}_`);
  if (Array.isArray(value)) return value.map((one) => fill(one, id));
  if (typeof value === "object" && value !== null) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, id)]));
  return value;
}

function waitsFor(of: Outline, step: OutlineStep, id: string, seen = new Set<string>()): boolean {
  if (seen.has(step.key)) return false;
  seen.add(step.key);
  return step.needs.some((need) => {
    if (need.id === id) return true;
    const before = of.steps.find((one) => one.id === need.id && one.list === step.list);
    return before !== undefined && waitsFor(of, before, id, seen);
  });
}

function merged(needs: readonly Need[]): Need[] {
  return [...new Map(needs.map((need) => [needText(need), need])).values()];
}

/** A step right before another one, which needs it now in the place of what the new one needs. */
function between(text: string, of: Outline, spot: { readonly before: string; readonly need: string }, entry: Record<string, unknown>): Change[] {
  const next = stepOf(of, spot.before);
  const list = listOf(of, next);
  const need = next.needs.find((one) => needText(one) === spot.need);
  if (need === undefined || list.node === null) throw new CannotEdit("noStep", spot.before);
  const index = indexOf(list, next);
  // By the order of steps alone both follow from where they stand.
  if (!need.said) return [insertItem(text, list.node, index, entry)];
  const { id, ...does } = entry;
  return [insertItem(text, list.node, index, { id, needs: [needValue(need)], ...does }), ...needReplaced(text, of, next, need, String(id))];
}

/** The changes by which a step needs another one in the place of one that it needs. Comments beside it stay. */
function needReplaced(text: string, of: Outline, step: OutlineStep, need: Need, id: string): Change[] {
  const value = pair(step.node, "needs")?.value;
  const entry = (isSeq(value) ? value.items : [value]).find((one) => needsIn(one).map(needText).join() === needText(need));
  if (entry !== undefined) return [{ from: rangeOf(entry)[0], to: trimmedEnd(text, entry), insert: id }];
  const wanted = step.needs.map((one) => (one === need ? { id, way: "", how: "success" as const, said: true } : one));
  return needsChanges(text, of, step.key, wanted);
}

/** The changes that give a step these needs. An entry that stays keeps its place and its comment. */
function needsChanges(text: string, of: Outline, key: string, wanted: readonly Need[]): Change[] {
  const step = stepOf(of, key);
  const said = pair(step.node, "needs");
  const whole = `[${wanted.map(needText).join(", ")}]`;
  if (said === undefined) return [addKey(text, step, "needs", whole)];
  const value = said.value;
  const before = step.needs.map(needText);
  const after = wanted.map(needText);
  if (isSeq(value) && value.flow !== true && value.items.length === before.length && after.length > 0) {
    const gone = before.flatMap((one, index) => (after.includes(one) ? [] : [index]));
    const added = wanted.filter((need) => !before.includes(needText(need)));
    if (gone.length + added.length === 1) {
      const [index] = gone;
      if (index !== undefined) return [removeItem(text, value, index)];
      return added.map((need) => insertItem(text, value, value.items.length, needValue(need)));
    }
  }
  const keyEnd = rangeOf(said.key)[1];
  const colon = text.indexOf(":", keyEnd);
  const end = value === null ? colon + 1 : trimmedEnd(text, value);
  return [{ from: colon + 1, to: Math.max(end, colon + 1), insert: ` ${whole}` }];
}

function needValue(need: Need): unknown {
  const name = need.way === "" ? need.id : `${need.id}.${need.way}`;
  return need.how === "success" ? name : { [name]: need.how };
}

function addKey(text: string, step: OutlineStep, key: string, value: string): Change {
  const { node } = step;
  const behind = pair(node, "id") ?? node.items[0];
  const last = (behind?.value ?? behind?.key) as Node | null | undefined;
  if (last == null) throw new CannotEdit("noId", step.key);
  const at = trimmedEnd(text, last);
  if (node.flow === true) return { from: at, to: at, insert: `, ${key}: ${value}` };
  const end = lineEnd(text, at);
  return { from: end, to: end, insert: `\n${" ".repeat(columnOf(text, rangeOf(node)[0]))}${key}: ${value}` };
}

/** An entry of a list more, before the one that stands at `index` now. */
function insertItem(text: string, list: YAMLSeq, index: number, entry: unknown): Change {
  const before = list.items[index - 1] as Node | undefined;
  const next = list.items[index] as Node | undefined;
  if (list.flow === true) {
    const flow = flowText(entry);
    if (before !== undefined) {
      const at = trimmedEnd(text, before);
      return { from: at, to: at, insert: `, ${flow}` };
    }
    const at = rangeOf(list)[0] + 1;
    return { from: at, to: at, insert: next === undefined ? flow : `${flow}, ` };
  }
  const column = dashColumn(text, before ?? next);
  const block = blockText(entry, column);
  if (before !== undefined) {
    const at = lineEnd(text, trimmedEnd(text, before));
    const apart = index >= 2 ? isApart(text, before, column) : next !== undefined && isApart(text, next, column);
    return { from: at, to: at, insert: `${apart ? "\n" : ""}\n${block}` };
  }
  const at = lineStart(text, rangeOf(next)[0]);
  return { from: at, to: at, insert: `${block}\n` };
}

/** A list without one of its entries, and without the comment right above that one. */
function removeItem(text: string, list: YAMLSeq, index: number): Change {
  const item = list.items[index] as Node | undefined;
  const end = trimmedEnd(text, item);
  if (list.flow === true) {
    const next = list.items[index + 1] as Node | undefined;
    if (next !== undefined) return { from: rangeOf(item)[0], to: rangeOf(next)[0], insert: "" };
    const before = list.items[index - 1] as Node | undefined;
    return { from: before === undefined ? rangeOf(item)[0] : trimmedEnd(text, before), to: end, insert: "" };
  }
  const column = dashColumn(text, item);
  let from = lineStart(text, rangeOf(item)[0]);
  if (list.items.length === 1) return { from, to: lineEnd(text, end), insert: `${" ".repeat(Math.max(column, 2))}[]` };
  while (index > 0 && from > 0) {
    const above = lineStart(text, from - 1);
    if (!/^ *#/.test(text.slice(above, from - 1))) break;
    from = above;
  }
  let to = Math.min(lineEnd(text, end) + 1, text.length);
  const blankBefore = from === 0 || /^\s*$/.test(text.slice(lineStart(text, from - 1), from - 1));
  if (blankBefore && text[to] === "\n") to += 1;
  return { from, to, insert: "" };
}

/** The first step of a list that has none, or is not there yet. */
function firstOf(text: string, of: Outline, list: OutlineList, entry: unknown): Change {
  if (list.node !== null) {
    const [from, to] = rangeOf(list.node);
    return { from, to, insert: `[${flowText(entry)}]` };
  }
  const key = list.path.at(-1);
  const root: unknown = of.document.contents;
  const parent: unknown = list.path.length === 1 ? root : of.document.getIn(list.path.slice(0, -1), true);
  const said = isMap(parent) ? pair(parent, String(key)) : undefined;
  if (said !== undefined) {
    const column = columnOf(text, rangeOf(said.key)[0]) + 2;
    const colon = text.indexOf(":", rangeOf(said.key)[1]) + 1;
    return { from: colon, to: Math.max(colon, said.value === null ? colon : trimmedEnd(text, said.value)), insert: `\n${blockText(entry, column)}` };
  }
  if (list.path.length !== 1) throw new CannotEdit("noStep", list.name);
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  return { from: text.length, to: text.length, insert: `${gap}${String(key)}:\n${blockText(entry, 2)}\n` };
}

function blockText(entry: unknown, column: number): string {
  const pad = " ".repeat(column);
  const document = new Document(entry);
  const needs: unknown = document.get("needs");
  if (isSeq(needs)) needs.flow = true;
  const lines = document.toString({ lineWidth: 0, flowCollectionPadding: false }).trimEnd().split("\n");
  return lines.map((line, index) => (index === 0 ? `${pad}- ${line}` : line === "" ? "" : `${pad}  ${line}`)).join("\n");
}

function flowText(entry: unknown): string {
  return stringify(entry, { collectionStyle: "flow", lineWidth: 0, flowCollectionPadding: false }).trim().replace(/\n\s*/g, " ");
}

/** Whether an empty line stands before an entry. */
function isApart(text: string, item: Node, column: number): boolean {
  let at = lineStart(text, rangeOf(item)[0]);
  for (;;) {
    if (at === 0) return false;
    const above = text.slice(lineStart(text, at - 1), at - 1);
    if (above.trim() === "") return true;
    if (!(above.startsWith(" ".repeat(column)) && above.trimStart().startsWith("#"))) return false;
    at = lineStart(text, at - 1);
  }
}
