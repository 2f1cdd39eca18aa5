import type { ChannelAccount, ChannelPerson } from "../../../protocol/generated";
import type { Scope } from "../../../protocol/wire";

export const SCOPES: readonly Scope[] = ["read", "write", "approve", "admin"];

/** What somebody may of whom nothing else is said: never `admin`. */
export const USUAL: readonly Scope[] = ["read", "write", "approve"];

const NAME = /^[a-z0-9][a-z0-9_.-]{0,39}$/;

const TONES: Readonly<Record<string, "plain" | "good" | "bad">> = {
  well: "good",
  failing: "bad",
  refused: "bad",
  "held by another daemon": "plain",
  "not begun": "plain",
};

/** How a state is coloured. A word that this page does not know is no good news. */
export function toneOf(state: string): "plain" | "good" | "warn" | "bad" {
  return Object.hasOwn(TONES, state) ? (TONES[state] ?? "warn") : "warn";
}

/** What does not work comes first, else by name. */
export function inOrder(rows: readonly ChannelAccount[]): readonly ChannelAccount[] {
  const rank = ({ state }: ChannelAccount): number => (toneOf(state) === "bad" ? 0 : 1);
  return [...rows].sort((one, other) => rank(one) - rank(other) || (one.channel < other.channel ? -1 : 1));
}

/** What comes of letting somebody in under a name. */
export type Letting = { readonly as: "nobody" } | { readonly as: "new" } | { readonly as: "known"; readonly scopes: readonly string[] };

export function letting(name: string, people: readonly ChannelPerson[]): Letting {
  const meant = name.trim();
  if (!NAME.test(meant)) return { as: "nobody" };
  const known = people.find(({ person }) => person === meant);
  return known === undefined ? { as: "new" } : { as: "known", scopes: known.scopes };
}

/** What is asked of the daemon: scopes go along for new people alone, since a known one keeps theirs. */
export function pairing(code: string, name: string, people: readonly ChannelPerson[], scopes: readonly Scope[]): { code: string; person: string; scopes?: Scope[] } | null {
  const person = name.trim();
  switch (letting(name, people).as) {
    case "nobody":
      return null;
    case "known":
      return { code, person };
    case "new":
      return scopes.length === 0 ? null : { code, person, scopes: SCOPES.filter((one) => scopes.includes(one)) };
  }
}

/** Whether somebody can be forgotten here: whom sulla.toml names only goes there. */
export function forgettable({ identities }: Pick<ChannelPerson, "identities">): boolean {
  return !identities.some((one) => one.in_settings);
}
