import { describe, expect, it } from "vitest";
import { findings, isWhole } from "./findings";
import { logTime } from "./logTime";
import { appended, asked, EMPTY, hasOlder, inLine, MOST, PageReader } from "./pages";

const STATUS = { version: "1", model: "offline", store: "sqlite", memory: "up to date", memory_error: "", journal: "up to date", troubles: [], failing: [], audit: "on" };
const CHECK = { unusable: "", structure: [], structure_finished: true, logs: 1, records: 2, damaged: 0, named: [], finished: true, broke_off: "" };

describe("the doctor", () => {
  it("finds all well", () => {
    const found = findings(STATUS, { ...CHECK, model_check: { result: "ok", found: "it answers", remedy: "" } });
    expect(found.map((one) => [one.part, one.state])).toEqual([["daemon", "ok"], ["memory", "ok"], ["journal", "ok"], ["store", "ok"], ["model", "ok"]]);
    expect(found[3]?.found).toBe("sqlite, 1 thread with 2 records, all readable");
  });

  it("tells faults first, then what is to be looked at, each with what to do", () => {
    const found = findings({ ...STATUS, without_tools: ["small"], audit: "failing", audit_missing: 3 }, { ...CHECK, damaged: 2, named: ["thr_1: odd"] });
    expect(found.map((one) => one.state)).toEqual(["fault", "fault", "fault", "warning", "ok", "ok"]);
    expect(found.filter((one) => one.state !== "ok").every((one) => one.remedy !== "")).toBe(true);
    expect(found[0]?.found).toContain("3 entries are missing");
    expect(found.some((one) => one.found === "1 more heads or records cannot be read")).toBe(true);
  });

  it("shows what the command shows, where the daemon makes the checks, and calls less than that not all", () => {
    const home = { check: "home", result: "warning", found: "others may look into /h (mode 0755)", remedy: "chmod 700 '/h'" };
    const checks = [home, { check: "store", result: "ok", found: "all readable", remedy: "" }, { check: "moon", result: "odd", found: "half", remedy: "" }];
    const found = findings(STATUS, { ...CHECK, checks });
    expect(found.slice(0, 2)).toEqual([
      { part: "home", state: "warning", found: home.found, remedy: home.remedy },
      { part: "moon", state: "warning", found: "half", remedy: "" },
    ]);
    expect(found.filter(({ part }) => part === "store").map((one) => one.found)).toEqual(["all readable"]);
    expect([isWhole({ ...CHECK, checks }), isWhole(CHECK), isWhole(null)]).toEqual([true, false, false]);
  });

  it("takes a trouble that blocks for a fault", () => {
    const troubles = [{ what: "store", why: "full", blocks: true }, { what: "clock", why: "late", blocks: false }];
    expect(findings({ ...STATUS, troubles }, null).slice(0, 2)).toMatchObject([{ state: "fault", found: "store: full" }, { state: "warning", found: "clock: late" }]);
  });

  it("says when there was no time for all, and when a store is unusable nothing else of it", () => {
    expect(findings(STATUS, { ...CHECK, finished: false })[0]).toMatchObject({ part: "store", state: "warning" });
    expect(findings(STATUS, { ...CHECK, unusable: "locked", damaged: 9 }).filter((one) => one.part === "store")).toHaveLength(1);
  });

  it("judges what it is told, whatever a daemon leaves out or says otherwise", () => {
    for (const status of [{}, { troubles: "many", failing: null, speech: 3 }, { troubles: [null, 4, {}] }]) {
      expect(() => findings(status as Record<string, unknown>, {})).not.toThrow();
    }
  });
});

it("the log's clock has 24 hours", () => {
  const said = logTime("2027-01-15T20:05:07");
  expect(said).toContain("20:05:07");
  expect(said).not.toMatch(/[ap]\.?m/i);
});

describe("pages", () => {
  it("follow each other and end", () => {
    const first = appended(EMPTY as never, { entries: [3, 2], next: "2" });
    expect(hasOlder(first)).toBe(true);
    const second = appended(first, { entries: [1], next: null });
    expect(second.entries).toEqual([3, 2, 1]);
    expect(hasOlder(second)).toBe(false);
  });

  it("go on behind an empty page that says so", () => {
    expect(hasOlder(appended(EMPTY as never, { entries: [], next: "9" }))).toBe(true);
  });

  it("hold no more than people read", () => {
    const full = appended(EMPTY as never, { entries: Array.from({ length: MOST + 5 }, (_, index) => index), next: "x" });
    expect(full.entries).toHaveLength(MOST);
    expect(hasOlder(full)).toBe(false);
  });

  it("are asked for without empty filters", () => {
    expect(asked({ words: " ", level: "error", thread_id: " thr_1 " }, null)).toEqual({ level: "error", thread_id: "thr_1", limit: 100 });
    expect(asked({ words: "a" }, "7")).toEqual({ words: "a", before: "7", limit: 100 });
  });

  it("show values in one line", () => {
    expect(inLine("a")).toBe("a");
    expect(inLine({ a: [1] })).toBe('{"a":[1]}');
  });
});

describe("the reader", () => {
  interface Asked {
    before: string | null;
    answer: (page: { entries: number[]; next: string | null }) => void;
    fail: (error: Error) => void;
  }

  function reader(): { read: PageReader<number>; calls: Asked[] } {
    const calls: Asked[] = [];
    const read = new PageReader<number>((before) => new Promise((answer, fail) => calls.push({ before, answer, fail })));
    return { read, calls };
  }

  const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

  it("reads one page at a time, each behind the one before", async () => {
    const { read, calls } = reader();
    read.restart();
    read.older();
    calls[0]?.answer({ entries: [3], next: "3" });
    await settled();
    read.older();
    read.older();
    expect(calls.map((call) => call.before)).toEqual([null, "3"]);
    calls[1]?.answer({ entries: [2], next: null });
    await settled();
    expect(read.view()).toMatchObject({ value: { entries: [3, 2], next: null }, reading: false });
  });

  it("passes over what comes of an earlier reading", async () => {
    const { read, calls } = reader();
    read.restart();
    read.restart();
    calls[1]?.answer({ entries: [9], next: null });
    calls[0]?.answer({ entries: [1], next: null });
    await settled();
    expect(read.view().value?.entries).toEqual([9]);
  });

  it("keeps what there was when the next page fails, and can read it again", async () => {
    const { read, calls } = reader();
    read.restart();
    calls[0]?.answer({ entries: [3], next: "3" });
    await settled();
    read.older();
    calls[1]?.fail(new Error("away"));
    await settled();
    expect(read.view()).toMatchObject({ value: { entries: [3] }, error: new Error("away"), reading: false });
    read.older();
    expect(calls).toHaveLength(3);
  });
});
