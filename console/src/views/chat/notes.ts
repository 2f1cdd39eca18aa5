import type { NoteItem } from "../../thread/items";
import { duration } from "../../text/figures";
import { notes } from "./words";

/** What a note says: a sentence, perhaps a longer text, perhaps another thread to look at. */
export interface NoteWords {
  readonly sentence: string;
  readonly text: string;
  readonly threadId: string;
  readonly tone: "plain" | "warn";
}

type Data = Readonly<Record<string, unknown>>;
type Told = Partial<Omit<NoteWords, "sentence">> & { sentence: string };

const word = (data: Data, name: string): string => (typeof data[name] === "string" ? data[name] : typeof data[name] === "number" ? String(data[name]) : "");
const inner = (data: Data, name: string): Data => (typeof data[name] === "object" && data[name] !== null ? (data[name] as Data) : {});

const BY_TYPE: Record<string, (data: Data) => Told> = {
  RECORDS_LOST: (data) => ({ sentence: notes("RECORDS_LOST"), text: word(data, "why"), tone: "warn" }),
  RUN_WAITING: (data) => ({
    sentence: notes("RUN_WAITING", { time: duration(Number(data.wait_s ?? 0)), why: waitReason(word(data, "reason")) }),
    text: word(data, "said"),
    tone: "warn",
  }),
  RUN_PAUSED: (data) => ({
    sentence: notes(word(data, "reason") === "" ? "RUN_PAUSED" : "RUN_PAUSED_why", { by: word(data, "by"), why: word(data, "reason") }),
    tone: "warn",
  }),
  RESUMED: (data) => ({ sentence: by("RESUMED", word(data, "reason"), {}) }),
  AGENT_ROUTED: (data) => ({ sentence: by("AGENT_ROUTED", word(data, "by"), { agent: word(data, "agent"), before: word(data, "before") || "sulla" }) }),
  NOTICE: (data) => ({
    sentence: notes("NOTICE", { agent: word(data, "agent") || "Sulla" }), text: word(data, "text"), tone: data.urgency === "high" ? "warn" : "plain",
  }),
  PLAYBOOK_BEGAN: (data) => ({ sentence: notes("PLAYBOOK_BEGAN", { name: word(data, "name") }), threadId: word(data, "thread_id") }),
  PLAYBOOK_ENDED: (data) => ({
    sentence: notes("PLAYBOOK_ENDED", { name: word(data, "name"), status: word(data, "status") }), text: word(data, "text"), threadId: word(data, "thread_id"),
  }),
  SUMMARY: (data) => ({ sentence: notes("SUMMARY"), text: word(data, "text") }),
  STOPPED: () => ({ sentence: notes("STOPPED") }),
  FLOW_STARTED: (data) => ({
    sentence: notes(word(data, "fault") === "" ? "FLOW_STARTED" : "FLOW_STARTED_fault", { name: word(data, "name"), why: word(data, "fault") }),
    tone: word(data, "fault") === "" ? "plain" : "warn",
  }),
  FLOW_PART_STARTED: (data) => {
    const part = inner(data, "part");
    return { sentence: notes("FLOW_PART_STARTED", { place: word(part, "place"), agent: word(part, "agent") || word(part, "key") }) };
  },
  FLOW_MOVED: (data) => {
    const failed = word(data, "failed");
    const place = word(data, "place");
    if (failed !== "") return { sentence: notes("FLOW_MOVED_failed", { place, why: failed }), tone: "warn" };
    return { sentence: by("FLOW_MOVED", word(data, "what"), { place }) };
  },
  ROUTE_TAKEN: (data) => {
    const plan = inner(data, "plan");
    const name = word(plan, "name") || word(inner(plan, "route"), "name") || word(inner(plan, "route"), "id");
    const fault = word(data, "fault");
    return { sentence: notes(fault === "" ? "ROUTE_TAKEN" : "ROUTE_TAKEN_fault", { name, why: fault }), tone: fault === "" ? "plain" : "warn" };
  },
  PROCEDURE_MOVED: (data) => ({
    sentence: notes("PROCEDURE_MOVED", { name: word(data, "name"), step: word(data, "step"), what: word(data, "what").replaceAll("_", " ") }),
    text: word(data, "why"),
  }),
  BEAT_STARTED: (data) => ({ sentence: notes(word(data, "focus") === "" ? "BEAT_STARTED" : "BEAT_STARTED_focus", { focus: word(data, "focus") }) }),
  BEAT_ENDED: (data) => ({ sentence: notes("BEAT_ENDED", { status: word(data, "status") }), text: word(data, "summary") || word(data, "reason") }),
  BEAT_SKIPPED: (data) => ({ sentence: notes("BEAT_SKIPPED", { why: word(data, "reason").replaceAll("_", " ") }), text: word(data, "text") }),
  BARGED_IN: () => ({ sentence: notes("BARGED_IN") }),
  OVERHEARD: (data) => ({ sentence: notes("OVERHEARD", { text: word(data, "text") }) }),
  INPUT_HANDLED: (data) => {
    const found = inner(data, "diagnostics");
    const what = ["sanitized", "injection", "spam", "evicted", "summary_triggered"].filter((name) => name in found && found[name] !== false);
    return {
      sentence: notes("INPUT_HANDLED", { what: what.map((name) => notes(`handled_${name}` as "handled_spam")).join("; ") || Object.keys(found).join(", ") }),
      tone: "injection" in found || "spam" in found ? "warn" : "plain",
    };
  },
};

/** What a note says in words. A kind that this page does not know says its own name. */
export function noteWords(item: Pick<NoteItem, "what" | "data">): NoteWords {
  const told = BY_TYPE[item.what]?.(item.data) ?? { sentence: notes("other", { what: item.what.toLowerCase().replaceAll("_", " ") }) };
  return { text: "", threadId: "", tone: "plain", ...told };
}

/** The sentence of one reason among several; one that is new is said by its own word. */
function by(type: string, reason: string, values: Record<string, string>): string {
  const name = `${type}_${reason}`;
  const said = notes(name as "STOPPED", values);
  return said === name ? notes("other", { what: `${type.toLowerCase().replaceAll("_", " ")}: ${reason.replaceAll("_", " ")}` }) : said;
}

function waitReason(reason: string): string {
  const name = `wait_${reason}`;
  const said = notes(name as "STOPPED");
  return said === name ? reason.replaceAll("_", " ") : said;
}

/** The kinds that have words, for the test that none is left out. */
export const KINDS = Object.keys(BY_TYPE);
