import { expect, test } from "vitest";
import { SHORTCUTS } from "../../settings/keys";
import { saves } from "./keys";

const KEY = { key: "s", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

test("Ctrl-S and Cmd-S save, and nothing like them does", () => {
  expect(saves({ ...KEY, ctrlKey: true })).toBe(true);
  expect(saves({ ...KEY, metaKey: true, key: "S" })).toBe(true);
  expect(saves(KEY)).toBe(false);
  expect(saves({ ...KEY, ctrlKey: true, shiftKey: true })).toBe(false);
  expect(saves({ ...KEY, ctrlKey: true, key: "a" })).toBe(false);
});

test("the keys of settings name it", () => {
  expect(SHORTCUTS.find((one) => one.where === "playbooks")?.keys).toContain("Ctrl + S");
});
