// A daemon within the page, for measurements: it answers over a WebSocket of its own and sends what a test asks for.
// What a real daemon and the wire take is not in the figures.
(() => {
  localStorage.setItem("sulla.session", "measured");
  const wanted = JSON.parse(sessionStorage.getItem("measured") ?? '{"turns":0}');
  const at = (second) => new Date(Date.UTC(2027, 0, 15, 8, 0, second)).toISOString();
  const event = (threadId, seq, runId, type, data, second = seq ?? 0) =>
    JSON.stringify({
      jsonrpc: "2.0",
      method: "event",
      params: { thread_id: threadId, seq, run_id: runId, parent_run_id: null, agent: "sulla", depth: 0, type, at: at(second), data },
    });
  const markdown = (turn) =>
    `Answer **${turn}** with \`code\`, see [a page](https://example.org/${turn}).\n\n- one\n- two\n\n` +
    (turn % 5 === 0 ? "| a | b |\n| - | - |\n| 1 | 2 |\n\n```python\nprint('hello')\n```\n" : "And a second paragraph, of some words more.");

  /** Five records a turn: what was said, its beginning, a tool call and its result, the reply. The end is the sixth. */
  function* records(threadId, turns) {
    let seq = 1;
    yield event(threadId, seq, null, "THREAD_CREATED", { agent: "sulla", title: "A long one" });
    for (let turn = 1; turn <= turns; turn++) {
      const run = `run_${turn}`;
      const input = ++seq;
      yield event(threadId, input, run, "INPUT", { message_id: `m-${turn}`, text: `Question ${turn}` });
      yield event(threadId, ++seq, run, "RUN_STARTED", { input_seq: input, message_id: `m-${turn}` });
      yield event(threadId, ++seq, run, "TOOL_CALL_START", { call_id: `t-${turn}`, name: "read_file", args: { path: `notes/${turn}.md` } });
      yield event(threadId, ++seq, run, "TOOL_CALL_RESULT", { call_id: `t-${turn}`, text: "a line\n".repeat(20) });
      yield event(threadId, ++seq, run, "TEXT_MESSAGE_END", { call_id: `c-${turn}`, message_id: `a-${turn}`, text: markdown(turn) });
      yield event(threadId, ++seq, run, "RUN_FINISHED", { run_id: run, outcome: { status: "done" }, usage: { input_tokens: 900, output_tokens: 90 } });
    }
  }

  const words = "the quick brown fox jumps over the **lazy** dog and `runs` away from it\n\n".split(/(?<=\s)/);

  class StandIn {
    constructor() {
      setTimeout(() => this.onopen?.());
    }
    say(text) {
      this.onmessage?.({ data: text });
    }
    send(text) {
      const { id, method, params } = JSON.parse(text);
      const answer = (result) => setTimeout(() => this.say(JSON.stringify({ jsonrpc: "2.0", id, result })));
      if (method === "hello") {
        answer({ server: { name: "sulla", version: "0" }, protocol: 1, session: "s", scopes: ["read", "write", "approve"], limits: { text_chars: 100000 } });
      } else if (method === "events.subscribe") this.follow(params.thread_id, answer);
      else if (method === "thread.get") answer({ last_seq: [...records(params.thread_id, wanted.turns)].length });
      else if (method === "thread.history") {
        const kept = [...records(params.thread_id, wanted.turns)].slice(params.after, params.after + params.limit);
        answer({ events: kept.map((one) => JSON.parse(one).params), more: false });
      } else if (method === "thread.recent") answer({ threads: [], next: null });
      else if (method === "live.watch") answer({ rows: [], more: false, switch: { paused: false, by: "", since: null } });
      else if (method === "approval.watch") answer({ questions: [], more: false });
      else if (method === "agent.list") answer({ agents: [] });
      else answer({});
    }
    follow(threadId, answer) {
      const all = [...records(threadId, wanted.turns)];
      answer({ seq: all.length });
      // As they come from a wire: a message is a task, many of them one behind the other.
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        const next = all.splice(0, 50);
        for (const one of next) this.say(one);
        if (all.length > 0) channel.port2.postMessage(0);
      };
      this.go = () => channel.port2.postMessage(0);
      if (!wanted.held) this.go();
    }
    /** Sub-agents that write side by side, each so many pieces a second. */
    stream(threadId, streams, rate) {
      let seq = 10_000_000;
      const offsets = [];
      for (let stream = 0; stream < streams; stream++) {
        offsets.push(0);
        this.say(event(threadId, ++seq, "run_s", "CHILD_STARTED", { id: `c${stream}`, thread_id: `thr_c${stream}`, agent: `agent${stream}`, mode: "call", run_id: `run_c${stream}` }, 1));
      }
      let count = 0;
      const timers = offsets.map((_, stream) =>
        setInterval(() => {
          const delta = words[count++ % words.length];
          this.say(event(`thr_c${stream}`, null, `run_c${stream}`, "TEXT_MESSAGE_CONTENT", { message_id: `s${stream}`, offset: offsets[stream], delta }, 1));
          offsets[stream] += [...delta].length;
        }, 1000 / rate));
      return () => timers.forEach(clearInterval);
    }
    /** Each text as a reply, as a message, and as all that a tool call says. */
    hostile(threadId, texts) {
      let seq = 20_000_000;
      texts.forEach((text, number) => {
        const run = `run_h${number}`;
        this.say(event(threadId, ++seq, run, "INPUT", { message_id: `hm${number}`, text, origin: "web", quoted: text }, 1));
        this.say(event(threadId, ++seq, run, "TOOL_CALL_START", { call_id: `ht${number}`, name: text.slice(0, 200), args: { [text.slice(0, 50)]: text } }, 1));
        this.say(event(threadId, ++seq, run, "TOOL_CALL_RESULT", { call_id: `ht${number}`, text, tainted: true, origin: "web" }, 1));
        this.say(event(threadId, ++seq, run, "TEXT_MESSAGE_END", { call_id: `hc${number}`, message_id: `ha${number}`, text }, 1));
        this.say(event(threadId, ++seq, run, "RUN_ERROR", { run_id: run, code: text.slice(0, 40), message: text.slice(0, 2000) }, 1));
      });
    }
    close() {}
  }
  window.WebSocket = class extends StandIn {
    constructor() {
      super();
      window.standIn = this;
    }
  };
  window.long = [];
  new PerformanceObserver((list) => window.long.push(...list.getEntries().map((entry) => [Math.round(entry.startTime), Math.round(entry.duration)]))).observe({ type: "longtask" });
})();
