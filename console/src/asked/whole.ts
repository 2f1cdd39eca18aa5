import type { Connection } from "../protocol/connection";
import { kindOf, type Verdict } from "./verdicts";

/** What of a question tells whether its call is shown whole. */
export interface Shown {
  readonly threadId: string;
  readonly id: string;
  readonly tool: string;
  /** The call's arguments as the daemon tells them; empty where the question leaves part of them out. */
  readonly call: string;
  readonly prompt: string;
}

/** What the daemon puts for the middle of arguments that are too long for a question. */
const CUT = /\[\.\.\. \d+ characters are not shown here; /;
/** Answers by which a call is made. */
const MAKES: readonly Verdict[] = ["approve", "always", "run_again"];
/** More empty lines than these are counted instead of shown: they would push what comes before them out of sight. */
const BLANK_LINES = 3;

/** Whether a question leaves out part of the call that it is about. */
export function isCut(asked: Shown): boolean {
  const kind = kindOf(asked.id);
  return (kind === "approval" || kind === "review") && CUT.test(asked.prompt);
}

/** Which long calls a person has seen whole: one for all questions of the page. */
export class Wholes {
  private readonly texts = new Map<string, string>();
  private readonly changes = new Set<() => void>();

  subscribe = (changed: () => void): (() => void) => {
    this.changes.add(changed);
    return () => this.changes.delete(changed);
  };

  /** The whole text of a call that was fetched; undefined for none. */
  of(asked: Shown): string | undefined {
    return this.texts.get(keyOf(asked));
  }

  /** Whether the question may be answered so: nobody allows what was not shown. */
  allows(asked: Shown, verdict: Verdict): boolean {
    return !MAKES.includes(verdict) || !isCut(asked) || this.of(asked) !== undefined;
  }

  /** Gets the whole call from the history of its thread, of which the question's id names the call. Returns whether it is there. */
  async fetch(connection: Connection, asked: Shown): Promise<boolean> {
    let found: string | undefined;
    for (let [after, more] = [0, true]; more;) {
      const page = await connection.call("thread.history", { thread_id: asked.threadId, after }, true);
      for (const event of page.events) {
        if (event.type === "TOOL_CALL_START" && event.data.name === asked.tool && asked.id.startsWith(`${kindOf(asked.id)}:${event.data.call_id}:`))
          found = argumentLines(event.data.args);
        after = event.seq;
      }
      more = page.more && page.events.length > 0;
    }
    if (found === undefined) return false;
    this.texts.set(keyOf(asked), found);
    for (const changed of this.changes) changed();
    return true;
  }
}

/** As the daemon tells arguments: each by its name, a text as its lines; what is no printable ASCII is spelled out, a backslash is two. */
export function argumentLines(args: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(args).sort();
  const lines = names.flatMap((name) => {
    const lead = names.length === 1 ? "" : `${exact(name)}: `;
    const value = args[name];
    if (typeof value !== "string") return [lead + spelled(JSON.stringify(value))];
    return value.split("\n").map((line, index) => (index === 0 ? lead : " ".repeat(lead.length)) + exact(line));
  });
  return squeezed(lines).join("\n");
}

function keyOf({ threadId, id }: Shown): string {
  return `${threadId} ${id}`;
}

function exact(text: string): string {
  return spelled(text.replaceAll("\\", "\\\\"));
}

function spelled(text: string): string {
  return text.replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function squeezed(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let blank: string[] = [];
  const flush = (): void => {
    kept.push(...(blank.length <= BLANK_LINES ? blank : [`\\(${blank.length} empty lines)`]));
    blank = [];
  };
  for (const line of lines) {
    if (line.trim() === "") {
      blank.push(line);
      continue;
    }
    flush();
    kept.push(line);
  }
  flush();
  return kept;
}
