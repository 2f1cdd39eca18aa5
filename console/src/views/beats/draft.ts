import type { Params } from "../../protocol/wire";
import { isZone } from "./days";

/** A schedule as somebody fills it in: all as text, as it stands in the fields. */
export interface Draft {
  readonly id: string;
  readonly title: string;
  readonly when: "every" | "cron" | "at";
  readonly every: string;
  readonly jitter: string;
  readonly cron: string;
  readonly at: string;
  readonly zone: string;
  readonly hours: string;
  readonly missed: "" | "skip" | "once";
  readonly does: "message" | "playbook" | "tool";
  readonly message: string;
  readonly agent: string;
  readonly playbook: string;
  /** JSON objects. */
  readonly inputs: string;
  readonly tool: string;
  readonly args: string;
}

export const EMPTY: Draft = {
  id: "", title: "", when: "every", every: "30m", jitter: "", cron: "0 9 * * 1-5", at: "tomorrow 9:00", zone: "", hours: "", missed: "",
  does: "message", message: "", agent: "", playbook: "", inputs: "{}", tool: "", args: "{}",
};

export type Content = Params<"schedule.add">;

/** What is wrong with a field, by the name of its sentence. */
export interface Fault {
  readonly field: keyof Draft;
  readonly says: "faultId" | "faultTaken" | "faultEvery" | "faultJitter" | "faultCron" | "faultAt" | "faultZone" | "faultMessage" | "faultPlaybook" | "faultTool" | "faultObject";
}

const ID = /^[A-Za-z0-9][\w.-]{0,63}$/;
const PERIOD = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/;
const SIZES = [86_400, 3_600, 60, 1];

/** `1h30m` in seconds, as the command line reads it; null for what is no such time or none at all. */
export function seconds(text: string): number | null {
  const found = PERIOD.exec(text.replaceAll(/\s+/g, "").toLowerCase());
  if (found === null) return null;
  const sum = SIZES.reduce((total, size, index) => total + Number(found[index + 1] ?? 0) * size, 0);
  return sum > 0 ? sum : null;
}

/** Seconds as the field has them: `1h30m`. */
export function periodText(s: number): string {
  const parts: string[] = [];
  let left = s;
  for (const [index, size] of SIZES.entries()) {
    const times = Math.floor(left / size);
    left -= times * size;
    if (times > 0) parts.push(`${times}${"dhms"[index] ?? ""}`);
  }
  return parts.join("");
}

/** When it fires, as the protocol has it, or the first fault. That is all that a preview needs. */
export function timing(draft: Draft): Content | Fault {
  const content: Content = {};
  if (draft.when === "every") {
    const period = seconds(draft.every);
    if (period === null) return { field: "every", says: "faultEvery" };
    content.every_s = period;
    if (draft.jitter.trim() !== "") {
      const jitter = seconds(draft.jitter);
      if (jitter === null) return { field: "jitter", says: "faultJitter" };
      content.jitter_s = jitter;
    }
  } else if (draft.when === "cron") {
    if (draft.cron.trim() === "") return { field: "cron", says: "faultCron" };
    content.cron = draft.cron.trim();
  } else {
    if (draft.at.trim() === "") return { field: "at", says: "faultAt" };
    content.at = draft.at.trim();
  }
  const zone = draft.zone.trim();
  if (zone !== "") {
    if (!isZone(zone)) return { field: "zone", says: "faultZone" };
    content.zone = zone;
  }
  if (draft.hours.trim() !== "") content.active_hours = draft.hours.trim();
  if (draft.missed !== "") content.missed = draft.missed;
  return content;
}

/** The whole schedule as the protocol has it, or the first fault. */
export function content(draft: Draft): Content | Fault {
  const made = timing(draft);
  if (isFault(made)) return made;
  const id = draft.id.trim();
  if (id !== "" && !ID.test(id)) return { field: "id", says: "faultId" };
  if (id !== "") made.schedule = id;
  if (draft.title.trim() !== "") made.title = draft.title.trim();
  if (draft.does === "message") {
    if (draft.message.trim() === "") return { field: "message", says: "faultMessage" };
    made.message = draft.message;
    if (draft.agent !== "") made.agent = draft.agent;
  } else if (draft.does === "playbook") {
    if (draft.playbook === "") return { field: "playbook", says: "faultPlaybook" };
    const inputs = object(draft.inputs);
    if (inputs === null) return { field: "inputs", says: "faultObject" };
    made.playbook = draft.playbook;
    made.inputs = inputs;
  } else {
    if (draft.tool.trim() === "") return { field: "tool", says: "faultTool" };
    const args = object(draft.args);
    if (args === null) return { field: "args", says: "faultObject" };
    made.tool = draft.tool.trim();
    made.args = args;
    if (draft.agent !== "") made.agent = draft.agent;
  }
  return made;
}

export function isFault(made: Content | Fault): made is Fault {
  return "says" in made;
}

/** The field that the daemon refuses a schedule for, by its word; null where it names none. */
export function refused(code: string | null, draft: Draft): Fault | null {
  return code === "conflict" && draft.id.trim() !== "" ? { field: "id", says: "faultTaken" } : null;
}

/** The fields that show a schedule which there is. */
export function draftOf(known: Content): Draft {
  return {
    ...EMPTY,
    id: known.schedule ?? "", title: known.title ?? "",
    when: known.cron != null ? "cron" : known.at != null ? "at" : "every",
    every: known.every_s != null ? periodText(known.every_s) : EMPTY.every,
    jitter: (known.jitter_s ?? 0) > 0 ? periodText(known.jitter_s ?? 0) : "",
    cron: known.cron ?? EMPTY.cron, at: known.at ?? EMPTY.at, zone: known.zone ?? "", hours: known.active_hours ?? "",
    missed: known.missed ?? "",
    does: known.playbook != null ? "playbook" : known.tool != null ? "tool" : "message",
    message: known.message ?? "", agent: known.agent ?? "", playbook: known.playbook ?? "",
    inputs: shown(known.inputs ?? {}), tool: known.tool ?? "", args: shown(known.args ?? {}),
  };
}

function shown(value: object): string {
  return JSON.stringify(value, null, 2);
}

function object(text: string): Record<string, unknown> | null {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
