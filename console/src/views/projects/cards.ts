import type { Result } from "../../protocol/wire";
import { t } from "./words";

export type Task = Result<"project.get">["tasks"][number];

/** The columns of a board: how tasks of a project's file can stand. */
export const STATES = ["pending", "in_progress", "blocked", "failed", "completed"] as const;
export type State = (typeof STATES)[number];

/** A task with those below it. Frozen values; a file that is read again makes new ones with the same keys. */
export interface Card {
  /** Stays the same as long as its words do, so that what had the focus has it again after a move. */
  readonly key: string;
  /** Its place among the tasks of the file that it was read from, by which the daemon knows it there. */
  readonly number: number;
  readonly text: string;
  readonly state: State;
  /** What is in its way, or why it failed. */
  readonly why: string;
  /** The id that a plan gave it; empty for a task of no plan. */
  readonly id: string;
  /** What it depends on, and whether that is done. Ids that no task has are told as they stand. */
  readonly after: readonly { readonly text: string; readonly done: boolean }[];
  readonly below: readonly Card[];
}

/** The tasks of a file as cards: those at the margin, each with its own parts below it. */
export function cards(tasks: readonly Task[]): readonly Card[] {
  const byId = new Map(tasks.filter((task) => task.id !== "").map((task) => [task.id, task]));
  const times = new Map<string, number>();
  const roots: Growing[] = [];
  const open: { depth: number; card: Growing }[] = [];
  for (const task of tasks) {
    const name = task.id === "" ? task.text : task.id;
    const nth = times.get(name) ?? 0;
    times.set(name, nth + 1);
    const card: Growing = {
      key: nth === 0 ? name : `${name}\n${nth}`, number: task.number ?? 0, text: task.text, state: stateOf(task.state), id: task.id,
      why: task.blocked === "" ? (task.failed ?? "") : task.blocked,
      after: task.depends_on.map((id) => ({ text: byId.get(id)?.text ?? id, done: byId.get(id)?.done ?? false })), below: [],
    };
    while ((open.at(-1)?.depth ?? -1) >= task.depth) open.pop();
    (open.at(-1)?.card.below ?? roots).push(card);
    open.push({ depth: task.depth, card });
  }
  return roots;
}

type Growing = Omit<Card, "below"> & { below: Growing[] };

function stateOf(state: string): State {
  return STATES.find((one) => one === state) ?? "pending";
}

/** The cards of each column, in the order of the file, and how many tasks stand so: parts of others count, as in a project's figures. */
export function columns(all: readonly Card[]): readonly { state: State; cards: readonly Card[]; tasks: number }[] {
  return STATES.map((state) => ({ state, cards: all.filter((card) => card.state === state), tasks: tasksIn(all, state) }));
}

function tasksIn(all: readonly Card[], state: State): number {
  return all.reduce((sum, card) => sum + Number(card.state === state) + tasksIn(card.below, state), 0);
}

/** Where a card can be moved to from where it stands: only tasks of a plan are worked on and fail. */
export function elsewhere(card: Card): readonly State[] {
  return STATES.filter((state) => state !== card.state && (card.id !== "" || (state !== "in_progress" && state !== "failed")));
}

/** The card of another reading that is the same task as it was: its words and its state. Null if it is not there, or is another now. */
export function sameCard(all: readonly Card[], card: Card): Card | null {
  for (const one of all) {
    if (one.key === card.key) return one.text === card.text && one.state === card.state && one.why === card.why ? one : null;
    const below = sameCard(one.below, card);
    if (below !== null) return below;
  }
  return null;
}

/** Whether a reason belongs to a state. */
export function wantsWhy(state: State): boolean {
  return state === "blocked" || state === "failed";
}

export interface Page {
  /** What stands in front of the text as `key: value`. */
  readonly front: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A project's file in its two parts. What is no front matter with an end is text. */
export function page(text: string): Page {
  const found = /^---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|$)/ms.exec(text);
  if (found?.index !== 0) return { front: {}, body: text };
  const rows = (found[1] ?? "").split(/\r?\n/).map((line) => /^([A-Za-z_]\w*):[ \t]*(.*?)[ \t]*$/.exec(line));
  return {
    front: Object.fromEntries(rows.filter((row) => row !== null).map((row) => [row[1] ?? "", unquoted(row[2] ?? "")])),
    body: text.slice(found[0].length),
  };
}

function unquoted(value: string): string {
  return /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
}

/** The runs that a file names: that which planned, and that which works or worked, each once. */
export function runsOf(front: Page["front"]): readonly { run: string; what: "plan" | "work" | "both" }[] {
  const { plan = "", run = "" } = front;
  if (plan !== "" && plan === run) return [{ run, what: "both" }];
  return [
    ...(run === "" ? [] : [{ run, what: "work" as const }]),
    ...(plan === "" ? [] : [{ run: plan, what: "plan" as const }]),
  ];
}

/** Whether something may still happen in a run. */
export function isActive(status: string): boolean {
  return ["queued", "running", "waiting", "paused"].includes(status);
}

export interface PlanTask {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly after: readonly string[];
  readonly agent: string;
  readonly success: string;
}

export interface Plan {
  readonly goal: string;
  readonly strategy: string;
  readonly tasks: readonly PlanTask[];
}

/** A plan as the daemon has it, in what a page shows of it. What is of another form is left out. */
export function planOf(plan: Readonly<Record<string, unknown>>): Plan {
  const tasks: readonly unknown[] = Array.isArray(plan.tasks) ? plan.tasks : [];
  return {
    goal: text(plan.goal), strategy: text(plan.execution_strategy),
    tasks: tasks
      .filter((task): task is Record<string, unknown> => typeof task === "object" && task !== null)
      .map((task) => ({
        id: text(task.id), title: text(task.title), description: text(task.description), agent: text(task.agent), success: text(task.success),
        after: Array.isArray(task.depends_on) ? task.depends_on.map(text) : [],
      })),
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** `3 of 5 done, 1 blocked`. */
export function progressText({ tasks, done, blocked }: { tasks: number; done: number; blocked: number }): string {
  const said = t("doneOf", { done, tasks });
  return blocked === 0 ? said : `${said}, ${t("blockedOf", { blocked })}`;
}
