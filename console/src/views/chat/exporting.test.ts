import { describe, expect, it } from "vitest";
import type { Connection } from "../../protocol/connection";
import { fileName, wholeExport } from "./exporting";

function daemon(pieces: Record<number, { text: string; next: number | null }>): Pick<Connection, "call"> {
  const call = (_: string, params: { after?: number }) => {
    const piece = pieces[params.after ?? 0];
    return piece === undefined ? Promise.reject(new Error("there is no such piece")) : Promise.resolve(piece);
  };
  return { call };
}

describe("an export", () => {
  it("is all of its pieces", async () => {
    expect(await wholeExport(daemon({ 0: { text: "a", next: 5 }, 5: { text: "b", next: null } }), "thr_a", "markdown")).toEqual(["a", "b"]);
  });

  it("does not go round in circles", async () => {
    await expect(wholeExport(daemon({ 0: { text: "a", next: 0 } }), "thr_a", "lines")).rejects.toThrow("twice");
  });

  it("is a file with a plain name", () => {
    expect(fileName("../Trip to Rome: 50 %!", "thr_a", "markdown")).toBe("Trip-to-Rome-50.md");
    expect(fileName("\u202e/\\", "thr_a", "lines")).toBe("thr_a.jsonl");
    expect(fileName("x".repeat(200), "thr_a", "markdown")).toHaveLength(63);
  });
});
