/** The tools that every agent has, whatever its list says. */
export const ALWAYS: ReadonlySet<string> = new Set(["get_time_date", "list_tools_available", "list_subagents_available", "list_intents_available"]);

/** Whether a list allows a name. One that is not there (null) allows what `absent` says; a name in it can end in `*`. */
export function allows(list: readonly string[] | null, name: string, absent: boolean): boolean {
  return list === null ? absent : list.some((entry) => fits(entry, name));
}

/**
 * The list with a name allowed or not. What else it allows stays allowed: a pattern that allows the name, too, is written out
 * without it.
 *
 * @param all the names that there are.
 */
export function withName(list: readonly string[] | null, name: string, on: boolean, all: readonly string[], absent: boolean): readonly string[] {
  if (on) {
    const entries = list ?? (absent ? all : []);
    return entries.some((entry) => fits(entry, name)) ? entries : [...entries, name];
  }
  const entries = list ?? (absent ? all : []);
  return unique(entries.flatMap((entry) => {
    if (!fits(entry, name)) return [entry];
    return entry.endsWith("*") ? all.filter((other) => other !== name && fits(entry, other)) : [];
  }));
}

/** Entries that fit nothing there is: mistyped, or of a server that is away. */
export function unknownIn(list: readonly string[] | null, all: readonly string[]): readonly string[] {
  return (list ?? []).filter((entry) => !ALWAYS.has(entry) && !all.some((name) => fits(entry, name)));
}

function fits(entry: string, name: string): boolean {
  return entry.endsWith("*") ? name.startsWith(entry.slice(0, -1)) : entry === name;
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
