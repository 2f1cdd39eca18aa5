import { describe, expect, it } from "vitest";
import { Recorded } from "../../thread/doubles";
import { offset, replayed, rowsOf, turnsOf } from "./timeline";

describe("the turns of a thread", () => {
  it("are its runs with their records, the newest first", () => {
    const log = new Recorded();
    const turns = turnsOf([log.kept("THREAD_CREATED", { agent: "sulla" }, null), ...log.turn(1, "Hello", "Hi"), ...log.turn(2, "And?", "So")]);
    expect(turns.map((turn) => [turn.runId, turn.words, turn.records.length])).toEqual([["run_2", "And?", 4], ["run_1", "Hello", 4]]);
  });

  it("are not what has not begun", () => {
    expect(turnsOf([new Recorded().kept("INPUT", { message_id: "m", text: "a" })])).toEqual([]);
  });

  it("that lie between each other are told apart", () => {
    const log = new Recorded();
    const first = log.turn(1, "a", "b");
    const waiting = log.kept("INPUT", { message_id: "m-2", text: "c" }, "run_2");
    const turns = turnsOf([...first.slice(0, 2), waiting, ...first.slice(2), log.kept("RUN_STARTED", { input_seq: 5, message_id: "m-2" }, "run_2")]);
    expect(turns.map((turn) => turn.records.length)).toEqual([2, 4]);
  });
});

describe("a turn", () => {
  it("is rows with times from its beginning, on a bar as long as it", () => {
    const [turn] = turnsOf(new Recorded().turn(1, "Hello", "Hi"));
    if (turn === undefined) throw new Error("there is a turn");
    const rows = rowsOf(turn);
    expect(rows.map((row) => row.offsetMs)).toEqual([-1000, 0, 1000, 2000]);
    expect(rows.map((row) => row.share)).toEqual([0, 0, 0.5, 1]);
    expect(rows.map((row) => row.what)).toEqual(["Hello", "", "Hi", "done"]);
  });

  it("is replayed up to a record as it was then", () => {
    const [turn] = turnsOf(new Recorded().turn(1, "Hello", "Hi"));
    if (turn === undefined) throw new Error("there is a turn");
    const kinds = (count: number) => replayed("thr_a", turn, count).map((item) => item.kind);
    expect(kinds(0)).toEqual([]);
    expect(kinds(1)).toEqual(["input"]);
    expect(kinds(3)).toEqual(["input", "text"]);
    expect(kinds(99)).toEqual(["input", "text", "end"]);
  });

  it("that has one record alone has a bar", () => {
    const [turn] = turnsOf([new Recorded().kept("RUN_STARTED", { input_seq: 1, message_id: "m" })]);
    expect(turn && rowsOf(turn)[0]?.share).toBe(0);
  });
});

describe("an offset", () => {
  it("is said as people read it", () => {
    expect(offset(0)).toBe("+0.00 s");
    expect(offset(1_234)).toBe("+1.23 s");
    expect(offset(-12_340)).toBe("−12.3 s");
    expect(offset(64_000)).toBe("+1 min 4 s");
  });
});
