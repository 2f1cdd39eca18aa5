import type { Place } from "../text/place";
import { keysAt, valuesAt, type Schema } from "../text/schema";

/** Names that a file may say, and the schema does not know. */
export interface Names {
  readonly tools: readonly string[];
  readonly agents: readonly string[];
  readonly playbooks: readonly string[];
}

export interface Offer {
  readonly label: string;
  readonly detail: string;
  readonly says: string;
  /** What is written in its place. */
  readonly text: string;
}

/** Whether offers open: asked for, or a word has been begun. On an empty line Enter has to stay Enter. Pure. */
export function opensNow(explicit: boolean, from: number, at: number): boolean {
  return explicit || from < at;
}

/** What may be written at a place, the likeliest first. Pure. */
export function offers(schema: Schema, place: Place, names: Names): Offer[] {
  if (place.what === "key") {
    return keysAt(schema, place.path, place.value, place.there).map((offer) => ({
      label: offer.key, detail: offer.required ? `${offer.takes} *` : offer.takes, says: offer.says, text: place.colon ? offer.key : `${offer.key}: `,
    }));
  }
  const known = namesAt(place, names);
  const values = valuesAt(schema, place.path, place.value);
  return [
    ...known.map((name) => ({ label: name, detail: "", says: "", text: name })),
    ...values.filter((one) => !known.includes(one.value)).map((one) => ({ label: one.value, detail: "", says: one.says, text: one.value })),
  ];
}

function namesAt(place: Place, names: Names): readonly string[] {
  const path = place.path.filter((key) => typeof key === "string");
  const last = path[path.length - 1] ?? "";
  if (!path.includes("steps") && !path.includes("on_error") && !path.includes("finally")) return [];
  if (last === "needs") return stepsBeside(place);
  if (last === "tool" || last === "tools") return names.tools;
  if (last === "agent") return names.agents;
  return last === "playbook" || last === "transfer" ? names.playbooks : [];
}

/** The ids of the other steps of the list, with the ways of those that have some. */
function stepsBeside(place: Place): string[] {
  const at = place.path.lastIndexOf("needs");
  const own = place.path[at - 1];
  let list: unknown = place.value;
  for (const key of place.path.slice(0, at - 1)) list = typeof list === "object" && list !== null ? (list as Record<string | number, unknown>)[key] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((step: unknown, index) => {
    if (index === own || typeof step !== "object" || step === null) return [];
    const { id, routes, condition, choices } = step as Record<string, unknown>;
    if (typeof id !== "string") return [];
    const ways = typeof routes === "object" && routes !== null ? Object.keys(routes) : condition !== undefined ? ["yes", "no"] : Array.isArray(choices) ? choices.map(String) : [];
    return [id, ...ways.map((way) => `${id}.${way}`)];
  });
}
