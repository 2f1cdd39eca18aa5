import { describe, expect, it } from "vitest";
import { joinedPages, type Recent } from "./recent";

const row = (number: number): Recent => ({
  thread_id: `thr_${number}`, title: "", titled_by: "nobody", words: "", kind: "chat", agent: "sulla", status: "idle", last_seq: 1,
  created_at: "", active_at: new Date(2027, 0, 1, 0, 0, 1000 - number).toISOString(), waiting: 0, tainted: false,
});
const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => row(from + index));

describe("a first page that is read anew", () => {
  it("stands in front of what further pages had, each thread once", () => {
    expect(joinedPages([row(60), ...rows(0, 49)], rows(0, 70)).map((one) => one.thread_id)).toEqual(
      [row(60), ...rows(0, 49), ...rows(49, 60), ...rows(61, 70)].map((one) => one.thread_id),
    );
  });

  it("does not keep what was deleted", () => {
    const first = [...rows(0, 10), ...rows(11, 51)];
    expect(joinedPages(first, rows(0, 60)).some((one) => one.thread_id === "thr_10")).toBe(false);
  });

  it("is all there is where it is not full", () => {
    expect(joinedPages(rows(0, 3), rows(0, 60))).toHaveLength(3);
  });
});
