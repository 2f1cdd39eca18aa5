/** A fault as the daemon tells it, `file:line:column: error: cause [rule]`, taken apart. */
export interface Fault {
  /** Both from 1; 1 where the daemon names no place. */
  readonly line: number;
  readonly column: number;
  readonly severity: "error" | "warning";
  readonly cause: string;
  /** Empty where none is named. */
  readonly rule: string;
}

/** Pure. What has another form is told whole, at the first line. */
export function readFault(said: string): Fault {
  const found = /^(?:.*?):(\d+):(\d+): (?:(error|warning): )?([\s\S]*?)(?: \[([\w-]+)\])?$/.exec(said);
  if (found === null) return { line: 1, column: 1, severity: "error", cause: said, rule: "" };
  const [, line, column, severity, cause = "", rule = ""] = found;
  return { line: Math.max(1, Number(line)), column: Math.max(1, Number(column)), severity: severity === "warning" ? "warning" : "error", cause, rule };
}

/** What keeps a text from being saved; nothing where a refusal had another reason. Pure. */
export function refusals(code: string, faults: readonly Fault[]): readonly Fault[] {
  return code === "invalid_input" || code === "invalid_params" ? faults.filter((fault) => fault.severity === "error") : [];
}

/** What the daemon is asked to check: it takes no empty text, and an empty file has faults. */
export function toCheck(text: string): string {
  return text === "" ? "\n" : text;
}

/** Where a fault stands in a text: the word at its place, or the rest of the line. */
export function faultRange(text: string, fault: Fault): { from: number; to: number } {
  let start = 0;
  for (let line = 1; line < fault.line; line++) {
    const end = text.indexOf("\n", start);
    if (end === -1) break;
    start = end + 1;
  }
  const end = text.indexOf("\n", start);
  const line = text.slice(start, end === -1 ? text.length : end);
  // The daemon counts code points, an editor UTF-16 units.
  const units = Array.from(line).slice(0, fault.column - 1).join("").length;
  const from = start + Math.min(units, line.length);
  const word = /^(?:"[^"]*"|'[^']*'|[\w.$-]+|\S)/.exec(line.slice(units))?.[0] ?? "";
  if (word !== "") return { from, to: from + word.length };
  return line.length > 0 ? { from: Math.max(start, from - 1), to: Math.max(from, start + 1) } : { from, to: from };
}
