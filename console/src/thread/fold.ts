import type { EventParams } from "../protocol/generated";
import type { ThreadEvent } from "../protocol/wire";
import type { ChildItem, InputItem, Item, QuestionItem, TextItem, ThreadView, ToolItem } from "./items";

/** Notes that people see in the conversation; other kinds of records stay in the timeline. */
const NOTES = new Set([
  "RUN_WAITING", "RUN_PAUSED", "RESUMED", "AGENT_ROUTED", "NOTICE", "PLAYBOOK_BEGAN", "PLAYBOOK_ENDED", "SUMMARY", "STOPPED",
  "FLOW_STARTED", "FLOW_PART_STARTED", "FLOW_MOVED", "ROUTE_TAKEN", "PROCEDURE_MOVED", "BEAT_STARTED", "BEAT_ENDED",
  "BEAT_SKIPPED", "BARGED_IN", "OVERHEARD", "INPUT_HANDLED",
]);
/** Those of them that say nothing to people unless they carry something. */
const RESUMED_WORTH_SAYING = new Set(["crashed", "drained", "expired", "steered"]);

interface Log {
  items: Item[];
  at: Map<string, number>;
  /** Keys of what is not settled yet: the end of its turn settles it. */
  open: Set<string>;
  /** The items as a view holds them; null when something has changed since. */
  shown: readonly Item[] | null;
}

/**
 * Folds a thread's events into what people see of it. No I/O and no clock; it lives as long as the thread is shown. Items are
 * frozen values in a list that is replaced when something changed, so that a view draws again only what is new.
 */
export class ThreadFold {
  private readonly logs = new Map<string, Log>();
  private agent = "";
  private bornAs = "";
  private named = "";
  private running = "";
  private suspended = false;
  /** A stop was carried out, and nothing has let waiting messages go on since. */
  private stopped = false;
  private tainted = false;
  private lastSeq = 0;
  private readonly started = new Map<string, string>();
  /** Where the card of a sub-agent is, by the sub-agent's thread. */
  private readonly askers = new Map<string, { readonly threadId: string; readonly key: string }>();
  private seen: ThreadView | null = null;
  private below: ReadonlyMap<string, readonly Item[]> = new Map();

  constructor(readonly threadId: string) {
    this.logs.set(threadId, { items: [], at: new Map(), open: new Set(), shown: null });
  }

  /** The number of its newest record. Asked for at each event of a long thread, for which a view would be made each time. */
  get last(): number {
    return this.lastSeq;
  }

  /** What there is now; the same value until something changes. */
  view(): ThreadView {
    this.seen ??= Object.freeze({
      items: shown(this.of(this.threadId)),
      below: this.belowNow(),
      agent: this.agent,
      title: this.named === "" ? this.bornAs : this.named,
      running: this.running,
      runningSince: this.running === "" ? "" : (this.started.get(this.running) ?? ""),
      suspended: this.suspended,
      asks: this.asks(),
      held: this.stopped ? this.unsettled(this.threadId).filter((item) => item.kind === "input" && item.state === "waits").length : 0,
      tainted: this.tainted,
      lastSeq: this.lastSeq,
    });
    return this.seen;
  }

  /** The thread is read anew from its first record. What sub-agents have done, which is not, stays. */
  reset(): void {
    this.logs.set(this.threadId, { items: [], at: new Map(), open: new Set(), shown: null });
    this.started.clear();
    this.agent = this.bornAs = this.named = this.running = "";
    this.suspended = this.stopped = this.tainted = false;
    this.lastSeq = 0;
    this.seen = null;
  }

  /** Records between two numbers are not there any more: a line says so where they were, and why the rest was not read anew. */
  lost(threadId: string, after: number, next: number, at: string, why = ""): void {
    this.put(threadId, { kind: "note", key: `lost:${next}`, threadId, runId: "", at, seq: null, what: "RECORDS_LOST", data: { after, next, why } });
  }

  /** A message that this page is sending: shown at once, and replaced by its record. */
  sending(messageId: string, text: string, at: string): void {
    this.put(this.threadId, {
      kind: "input", key: `input:${messageId}`, threadId: this.threadId, runId: "", at, seq: null, messageId, text, quoted: "", applications: "",
      origin: "operator", tainted: false, spoken: false, mode: "queue", state: "sending", why: "",
    });
  }

  /** A message that was not taken is not shown any more. */
  forget(messageId: string): void {
    const item = this.find(this.threadId, `input:${messageId}`);
    if (item?.kind === "input" && item.state === "failed") this.remove(this.threadId, item.key);
  }

  /** A message that was not taken, and why. */
  notSent(messageId: string, why: string): void {
    this.change<InputItem>(this.threadId, `input:${messageId}`, (item) =>
      item.state === "sending" ? { ...item, state: "failed", why } : item);
  }

  take(event: ThreadEvent): void {
    const { thread_id: threadId } = event;
    const own = threadId === this.threadId;
    const seq = event.seq ?? null;
    if (own && seq !== null) this.lastSeq = Math.max(this.lastSeq, seq);
    if ((event.data as { tainted?: boolean }).tainted === true && own) this.tainted = true;
    const common = (key: string): { key: string; threadId: string; runId: string; at: string; seq: number | null } => ({
      key, threadId, runId: event.run_id ?? "", at: event.at, seq,
    });
    this.seen = null;
    switch (event.type) {
      case "THREAD_CREATED":
        if (own) {
          this.agent = event.agent === "" ? event.data.agent : event.agent;
          this.bornAs = event.data.title ?? "";
        }
        return;
      case "THREAD_NAMED":
        if (own) this.named = event.data.title;
        return;
      case "CONTINUED":
        if (own) this.stopped = false;
        return;
      case "INPUT": {
        const data = event.data;
        if (own) this.stopped = false;
        // What this page has sent was shown where it was then; from now on it stands where the log has it, as on every other page.
        if (this.find(threadId, `input:${data.message_id}`)?.seq === null) this.remove(threadId, `input:${data.message_id}`);
        this.put(threadId, {
          ...common(`input:${data.message_id}`), kind: "input", messageId: data.message_id, text: data.text, quoted: data.quoted ?? "",
          applications: applicationsIn(data.text, data.said_chars ?? 0),
          origin: data.origin ?? "operator", tainted: data.tainted ?? false, spoken: data.spoken != null, mode: data.mode ?? "queue",
          state: "waits", why: "",
        });
        return;
      }
      case "RUN_STARTED":
        this.started.set(event.run_id ?? "", event.at);
        this.change<InputItem>(threadId, `input:${event.data.message_id}`, (item) => ({ ...item, state: "taken", runId: event.run_id ?? "" }));
        if (own) {
          this.stopped = false;
          this.running = event.run_id ?? "";
          this.suspended = false;
          if (event.data.agent) this.agent = event.data.agent;
        }
        return;
      case "INPUTS_JOINED":
        for (const item of this.unsettled(threadId)) {
          if (item.kind === "input" && item.seq !== null && event.data.input_seqs.includes(item.seq)) {
            this.put(threadId, { ...item, state: "taken", runId: event.run_id ?? "" });
          }
        }
        return;
      case "INPUT_IGNORED":
        for (const item of this.unsettled(threadId)) {
          if (item.kind === "input" && item.seq === event.data.input_seq) this.put(threadId, { ...item, state: "dropped", why: event.data.reason });
        }
        return;
      case "MODEL_ABANDONED":
        this.remove(threadId, `text:${event.data.message_id}`);
        this.remove(threadId, `reasoning:${event.data.message_id}`);
        return;
      case "TEXT_MESSAGE_CONTENT":
      case "REASONING_MESSAGE_CONTENT": {
        const kind = event.type === "TEXT_MESSAGE_CONTENT" ? "text" : "reasoning";
        const key = `${kind}:${event.data.message_id}`;
        const before = this.find(threadId, key) as TextItem | undefined;
        if (before?.done === true) return;
        const text = joined(before?.text ?? "", event.data.offset, event.data.delta);
        if (before !== undefined) this.put(threadId, { ...before, text });
        else if (kind === "text") {
          this.put(threadId, {
            ...common(key), kind, messageId: event.data.message_id, agent: event.agent, text, done: false, cut: false, standIn: "",
            tainted: false, usage: null,
          });
        } else this.put(threadId, { ...common(key), kind, messageId: event.data.message_id, text, done: false });
        return;
      }
      case "TEXT_MESSAGE_END": {
        const { data } = event;
        const key = `text:${data.message_id}`;
        this.change(threadId, `reasoning:${data.message_id}`, (item) => (item.kind === "reasoning" ? { ...item, done: true } : item));
        if (data.hidden === true || data.text === "") {
          this.remove(threadId, key);
          return;
        }
        const before = this.find(threadId, key);
        this.put(threadId, {
          ...common(key), at: before?.at ?? event.at, kind: "text", messageId: data.message_id, agent: event.agent, text: data.text,
          done: true, cut: data.cut ?? false, standIn: data.stand_in ?? "", tainted: data.tainted ?? false, usage: data.usage ?? null,
        });
        return;
      }
      case "TOOL_CALL_START": {
        const { data } = event;
        this.put(threadId, {
          ...common(`tool:${data.call_id}`), kind: "tool", callId: data.call_id, name: data.name, args: data.args, effect: data.effect ?? "once",
          result: null, isError: false, refused: data.refused ?? false, held: "", origin: "", tainted: false, progress: "", endedAt: null,
          asked: "",
        });
        return;
      }
      case "TOOL_CALL_PROGRESS":
        this.change<ToolItem>(threadId, `tool:${event.data.call_id}`, (item) => ({ ...item, progress: asText(event.data.note) }));
        return;
      case "TOOL_CALL_RESULT": {
        const { data } = event;
        this.change<ToolItem>(threadId, `tool:${data.call_id}`, (item) => ({
          ...item, result: data.text, isError: data.is_error ?? false, held: data.held ?? "", origin: data.origin ?? "",
          tainted: data.tainted ?? false, endedAt: event.at,
        }));
        return;
      }
      case "SUSPENDED":
        if (own) this.suspended = event.data.resting !== false;
        for (const wait of event.data.waits) {
          const who = wait.wait_id.split(":", 1)[0] ?? "";
          if (who === "child") this.childWaits(threadId, wait.wait_id);
          if (!["approval", "review", "human", "answer"].includes(who)) continue;
          this.askedOf(threadId, wait.wait_id, "waits");
          if (this.find(threadId, `question:${wait.wait_id}`) !== undefined) continue;
          this.put(threadId, {
            ...common(`question:${wait.wait_id}`), kind: "question", waitId: wait.wait_id, prompt: wait.prompt ?? "", tool: wait.tool ?? "",
            target: wait.target ?? "", choices: wait.choices ?? [], expiresMs: wait.expires_ms ?? null, answer: null, ...(wait.form == null ? {} : { form: wait.form }),
          });
        }
        return;
      case "ANSWER":
        this.change<QuestionItem>(threadId, `question:${event.data.wait_id}`, (item) => ({
          ...item, answer: { verdict: event.data.verdict ?? "result", text: event.data.text, by: event.data.by ?? "", at: event.at },
        }));
        this.askedOf(threadId, event.data.wait_id, event.data.verdict === "reject" ? "rejected" : "");
        this.childTold(threadId, event.data.wait_id, event.data.report?.status ?? "");
        return;
      case "CHILD_STARTED": {
        const { data } = event;
        this.put(threadId, {
          ...common(`child:${data.id}`), kind: "child", childThreadId: data.thread_id, agent: data.agent, mode: data.mode, task: data.task ?? "",
          state: "works", status: "",
        });
        this.askers.set(data.thread_id, { threadId, key: `child:${data.id}` });
        this.of(data.thread_id);
        return;
      }
      case "CHILD_CANCELLED":
        this.change<ChildItem>(threadId, `child:${event.data.id}`, (item) => ({ ...item, state: "cancelled" }));
        return;
      case "RUN_FINISHED":
        this.ended(threadId, event.run_id ?? "");
        if (event.data.outcome.status === "cancelled") this.stoppedRun(threadId, event.run_id ?? "");
        if (event.data.joined == null) {
          this.put(threadId, {
            ...common(`end:${event.run_id ?? ""}`), kind: "end", outcome: event.data.outcome, error: null, usage: event.data.usage ?? null,
            startedAt: this.started.get(event.run_id ?? "") ?? null,
          });
        }
        return;
      case "RUN_ERROR":
        this.ended(threadId, event.run_id ?? "");
        if (event.data.outcome?.status === "cancelled") this.stoppedRun(threadId, event.run_id ?? "");
        this.put(threadId, {
          ...common(`end:${event.run_id ?? ""}`), kind: "end", outcome: event.data.outcome ?? null,
          error: { code: event.data.code, message: event.data.message }, usage: event.data.usage ?? null,
          startedAt: this.started.get(event.run_id ?? "") ?? null,
        });
        return;
      default:
        this.note(event as EventParams, common);
    }
  }

  // ------------------------------------------------------------------------------------------------------------ inside

  private note(event: EventParams, common: (key: string) => Pick<Item, "key" | "threadId" | "runId" | "at" | "seq">): void {
    if (event.type === "AGENT_ROUTED" && event.thread_id === this.threadId) this.agent = event.data.agent;
    if (event.type === "RESUMED" && event.thread_id === this.threadId) this.suspended = false;
    if (event.type === "STOPPED" && event.thread_id === this.threadId) this.stopped = true;
    if (!NOTES.has(event.type)) return;
    if (event.type === "RESUMED" && !RESUMED_WORTH_SAYING.has(event.data.reason)) return;
    if (event.type === "INPUT_HANDLED" && Object.keys((event.data.diagnostics as object | undefined) ?? {}).length === 0) return;
    this.put(event.thread_id, { ...common(`note:${event.seq}`), kind: "note", what: event.type, data: event.data });
  }

  private ended(threadId: string, runId: string): void {
    for (const item of this.unsettled(threadId)) {
      if ((item.kind === "text" || item.kind === "reasoning") && item.runId === runId && !item.done) this.put(threadId, { ...item, done: true });
      // Its turn ended before it began: a stop has dropped it.
      if (item.kind === "input" && item.runId === runId && item.state === "waits") this.put(threadId, { ...item, state: "dropped" });
      if (item.kind === "question" && item.runId === runId && item.answer === null) {
        this.put(threadId, { ...item, answer: { verdict: "withdrawn", text: "", by: "", at: "" } });
        this.askedOf(threadId, item.waitId, "");
      }
    }
    if (threadId === this.threadId && (this.running === runId || this.running === "")) {
      this.running = "";
      this.suspended = false;
    }
  }

  /** The call that a question is about: `approval:CALL:…`. */
  private askedOf(threadId: string, waitId: string, asked: ToolItem["asked"]): void {
    const [who = "", callId = ""] = waitId.split(":");
    if (who === "approval") this.change<ToolItem>(threadId, `tool:${callId}`, (item) => ({ ...item, asked }));
  }

  private childWaits(threadId: string, waitId: string): void {
    this.change<ChildItem>(threadId, waitId, (item) => (item.state === "works" ? { ...item, state: "waits" } : item));
  }

  private childTold(threadId: string, waitId: string, status: string): void {
    this.change<ChildItem>(threadId, waitId, (item) => ({ ...item, state: status === "cancelled" ? "stopped" : "done", status }));
  }

  /** A run was stopped: what a sub-agent did in it, and sub-agents that it waited for, which are stopped with it. */
  private stoppedRun(threadId: string, runId: string): void {
    const asker = this.askers.get(threadId);
    if (asker !== undefined) this.change<ChildItem>(asker.threadId, asker.key, (item) => (isOpen(item) ? { ...item, state: "stopped" } : item));
    for (const item of this.unsettled(threadId)) {
      if (item.kind === "child" && item.mode !== "spawn" && item.runId === runId) this.put(threadId, { ...item, state: "stopped" });
    }
  }

  private of(threadId: string): Log {
    let log = this.logs.get(threadId);
    if (log === undefined) this.logs.set(threadId, (log = { items: [], at: new Map(), open: new Set(), shown: null }));
    return log;
  }

  private find(threadId: string, key: string): Item | undefined {
    const log = this.of(threadId);
    const at = log.at.get(key);
    return at === undefined ? undefined : log.items[at];
  }

  private put(threadId: string, item: Item): void {
    const log = this.of(threadId);
    const at = log.at.get(item.key);
    const before = at === undefined ? undefined : log.items[at];
    this.seen = null;
    log.shown = null;
    if (at !== undefined && before !== undefined && rank(before) === rank(item)) log.items[at] = Object.freeze(item);
    else {
      // A message stands where its turn begins; until then it waits at the end.
      if (at !== undefined) this.takeOut(log, at);
      this.putIn(log, placeOf(log.items, item), Object.freeze(item));
    }
    if (isOpen(item)) log.open.add(item.key);
    else log.open.delete(item.key);
  }

  private putIn(log: Log, at: number, item: Item): void {
    log.items.splice(at, 0, item);
    for (let index = at; index < log.items.length; index++) log.at.set(log.items[index]?.key ?? "", index);
  }

  private takeOut(log: Log, at: number): void {
    log.at.delete(log.items[at]?.key ?? "");
    log.items.splice(at, 1);
    // What is taken away is nearly always among the last ones.
    for (let index = at; index < log.items.length; index++) log.at.set(log.items[index]?.key ?? "", index);
  }

  private belowNow(): ReadonlyMap<string, readonly Item[]> {
    const below = [...this.logs].filter(([id]) => id !== this.threadId);
    const before = this.below;
    if (before.size === below.length && below.every(([id, log]) => log.shown !== null && before.get(id) === log.shown)) return before;
    return (this.below = new Map(below.map(([id, log]) => [id, shown(log)])));
  }

  private asks(): boolean {
    return [...this.logs].some(([threadId, { open }]) => {
      if (![...open].some((key) => key.startsWith("question:"))) return false;
      const asker = this.askers.get(threadId);
      const card = asker === undefined ? undefined : this.find(asker.threadId, asker.key);
      return card?.kind !== "child" || card.state !== "stopped";
    });
  }

  private unsettled(threadId: string): Item[] {
    return [...this.of(threadId).open].map((key) => this.find(threadId, key)).filter((item) => item !== undefined);
  }

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- a key names items of one kind alone
  private change<I extends Item>(threadId: string, key: string, changed: (item: I) => Item): void {
    const before = this.find(threadId, key);
    if (before !== undefined) this.put(threadId, changed(before as I));
  }

  private remove(threadId: string, key: string): void {
    const log = this.of(threadId);
    const at = log.at.get(key);
    if (at === undefined) return;
    this.seen = null;
    log.shown = null;
    log.open.delete(key);
    this.takeOut(log, at);
  }
}

function shown(log: Log): readonly Item[] {
  return (log.shown ??= log.items.slice());
}

/** What has happened stands before what waits for its turn, and that before what the daemon does not have yet. */
function rank(item: Item): number {
  if (item.kind !== "input") return 0;
  return item.state === "waits" ? 1 : item.state === "sending" || item.state === "failed" ? 2 : 0;
}

/** How far back the last item of a run is looked for. */
const NEAR = 1_000;

/** Where a new item stands among those that are there. */
function placeOf(items: readonly Item[], item: Item): number {
  const own = rank(item);
  let end = items.length;
  for (let last = items[end - 1]; last !== undefined && rank(last) > own; last = items[end - 1]) end--;
  // A turn's end and what is noted of it belong to the turn, though the next one may have begun.
  if ((item.kind === "end" || item.kind === "note") && item.runId !== "") {
    for (let index = end - 1; index >= Math.max(0, end - NEAR); index--) if (items[index]?.runId === item.runId) return index + 1;
  }
  return end;
}

function isOpen(item: Item): boolean {
  switch (item.kind) {
    case "text":
    case "reasoning":
      return !item.done;
    case "input":
      return item.state === "waits";
    case "question":
      return item.answer === null;
    case "child":
      return item.state !== "done" && item.state !== "stopped";
    default:
      return false;
  }
}

/**
 * A text to which a piece is added at an offset, counted in code points: what overlaps is cut, and a piece behind a hole, which
 * the protocol rules out within one subscription, starts from where it says as far as the text is known.
 */
export function joined(text: string, offset: number, delta: string): string {
  // Where all characters are of one unit this is the whole of it, and where some are of two the offset is never that high.
  if (offset >= text.length) return text + delta;
  const points = Array.from(text);
  const added = Array.from(delta);
  return offset + added.length >= points.length ? points.slice(0, offset).join("") + delta : text;
}

function asText(note: unknown): string {
  return typeof note === "string" ? note : JSON.stringify(note);
}

/** What of a text stands before the characters at its end that the person said, as the daemon counts them; empty where all is the person's. */
function applicationsIn(text: string, saidChars: number): string {
  return saidChars === 0 ? "" : Array.from(text).slice(0, -saidChars).join("");
}
