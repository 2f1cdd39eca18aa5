import { describe, expect, it } from "vitest";
import { Forks } from "./forks";

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
