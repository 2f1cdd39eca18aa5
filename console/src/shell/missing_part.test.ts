import { expect, it } from "vitest";
import { type Around, onMissingPart } from "./missing_part";

function page(isThere: boolean): Around & { reloads: number; at: number } {
  const kept = new Map<string, string>();
  return {
    reloads: 0,
    at: 1_800_000_000_000,
    isThere: () => Promise.resolve(isThere),
    nowMs() {
      return this.at;
    },
    kept: { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) },
    reload() {
      this.reloads += 1;
    },
  };
}

it("a page that lacks a part is loaded anew from a daemon that answers, once in ten seconds", async () => {
  const around = page(true);
  await onMissingPart(around);
  around.at += 9_999;
  await onMissingPart(around);
  expect(around.reloads).toBe(1);
  around.at += 1;
  await onMissingPart(around);
  expect(around.reloads).toBe(2);
});

it("while the daemon is away the page stays", async () => {
  const around = page(false);
  await onMissingPart(around);
  expect(around.reloads).toBe(0);
});
