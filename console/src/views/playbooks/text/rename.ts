import { isMap, isSeq } from "yaml";
import { CannotEdit, readable, stepOf, type Change, type Edit } from "./edit";
import { columnOf, rangeOf } from "./lines";
import { pair, textOf, type OutlineStep } from "./outline";

const ID = /^[A-Za-z_]\w{0,63}$/;

/**
 * A step with another id. What needs it, and expressions that name it, name it by the new one.
 *
 * @throws CannotEdit where that is no id, or another step has it.
 */
export function renameStep(text: string, key: string, id: string): Edit {
  const of = readable(text);
  const step = stepOf(of, key);
  if (step.id === id) return { changes: [], select: key };
  if (!ID.test(id)) throw new CannotEdit("badId", id);
  if (of.steps.some((one) => one.id === id)) throw new CannotEdit("taken", id);
  // Of two steps with one id, nobody can tell which of them is meant elsewhere.
  const alone = step.id !== "" && of.steps.every((one) => one === step || one.id !== step.id);
  const named = alone ? [...needsNamed(text, of.steps.filter((one) => one.list === step.list), step.id), ...expressionsNamed(text, step.id)] : [];
  return { changes: [ownId(text, step, id), ...named.map((from) => ({ from, to: from + step.id.length, insert: id }))], select: id };
}

function ownId(text: string, step: OutlineStep, id: string): Change {
  const said = pair(step.node, "id");
  if (said !== undefined) {
    const colon = text.indexOf(":", rangeOf(said.key)[1]) + 1;
    return { from: colon, to: Math.max(colon, rangeOf(said.value)[1]), insert: ` ${id}` };
  }
  const [from] = rangeOf(step.node);
  if (step.node.flow === true) return { from: from + 1, to: from + 1, insert: `id: ${id}, ` };
  return { from, to: from, insert: `id: ${id}\n${" ".repeat(columnOf(text, from))}` };
}

/** Where steps say that they need one. */
function needsNamed(text: string, steps: readonly OutlineStep[], id: string): number[] {
  return steps.flatMap((step) => {
    const value: unknown = pair(step.node, "needs")?.value;
    const entries: unknown[] = isSeq(value) ? value.items : [value];
    const names = entries.flatMap((entry): unknown[] => (isMap(entry) ? entry.items.map((one) => one.key) : [entry]));
    return names.filter((name) => textOf(name).split(".")[0] === id).map((name) => text.indexOf(id, rangeOf(name)[0]));
  });
}

/** Where expressions name it: `steps.ID`, `steps['ID']`. */
function expressionsNamed(text: string, id: string): number[] {
  const places: number[] = [];
  for (const expression of text.matchAll(/\$\{\{.*?\}\}/gs)) {
    for (const found of expression[0].matchAll(new RegExp(`\\bsteps(?:\\.|\\[\\s*['"])${id.replace(/\W/g, "\\$&")}(?![\\w])`, "g"))) {
      places.push(expression.index + found.index + found[0].length - id.length);
    }
  }
  return places;
}
