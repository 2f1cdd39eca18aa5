import { describe, expect, it } from "vitest";
import type { Item } from "../../thread/items";
import { againId, Forks, notCopied, saidIn } from "./forks";

function place(): { getItem(key: string): string | null; setItem(key: string, value: string): void } {
  const kept = new Map<string, string>();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) };
}

describe("a copy of a conversation", () => {
  it("knows which one it was made of, also on a page that is loaded anew", () => {
    const kept = place();
    new Forks(kept).made("thr_b", "thr_a");
    expect(new Forks(kept).from("thr_b")).toBe("thr_a");
    expect(new Forks(kept).from("thr_a")).toBe("");
  });

  it("is forgotten when there are very many, and where what is kept cannot be read", () => {
    const kept = place();
    const forks = new Forks(kept);
    for (let number = 0; number <= 200; number++) forks.made(`thr_${number}`, "thr_a");
    expect([forks.from("thr_0"), forks.from("thr_200")]).toEqual(["", "thr_a"]);
    kept.setItem("sulla.forks", "[1, {");
    expect(forks.from("thr_200")).toBe("");
    kept.setItem("sulla.forks", "[1, [2, 3]]");
    expect(forks.from("thr_200")).toBe("");
  });
});

describe("a turn that was at work when a copy was made", () => {
  const item = (kind: string, runId: string, seq: number, reason = ""): Item => ({ kind, runId, seq, outcome: { reason } }) as unknown as Item;
  const copied = [item("input", "r1", 2), item("end", "r1", 6), item("input", "r2", 7), item("input", "r2", 9), item("end", "r2", 12, "forked")];

  it("is told of until somebody says something", () => {
    expect(notCopied(copied)).toBe("r2");
    expect(notCopied([...copied, item("input", "", 13)])).toBe("");
    expect(notCopied(copied.slice(0, 4))).toBe("");
  });

  it("is said again with all that joined it, under ids that every window gives", () => {
    expect(saidIn(copied, "r2").map(againId)).toEqual(["con-again-7", "con-again-9"]);
  });
});
