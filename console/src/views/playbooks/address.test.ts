import { expect, test } from "vitest";
import { editAddress, goesOn, isName, read, runAddress } from "./address";

test("every page has an address", () => {
  expect(read("")).toEqual({ page: "list" });
  expect(read("runs")).toEqual({ page: "runs" });
  expect(read("new")).toEqual({ page: "new" });
  expect(read("lead-triage")).toEqual({ page: "edit", name: "lead-triage" });
  expect(read("lead-triage/run/thr_1")).toEqual({ page: "run", name: "lead-triage", run: "thr_1" });
});

test("a playbook that is called as a page is found all the same", () => {
  for (const name of ["new", "runs", "p", "a.b"]) {
    const rest = (address: string): string => decodeURIComponent(address.replace("#/playbooks/", ""));
    expect(read(rest(editAddress(name)))).toEqual({ page: "edit", name });
    expect(read(rest(runAddress(name, "thr_1")))).toEqual({ page: "run", name, run: "thr_1" });
  }
});

test("the page of a new playbook goes on when it is saved under its name, and at no other step", () => {
  const [created, saved] = [read("new"), read("mine")];
  expect(goesOn(created, saved, "mine")).toBe(true);
  expect(goesOn(created, read("other"), "mine")).toBe(false);
  expect(goesOn(created, read(""), "mine")).toBe(false);
  expect(goesOn(saved, created, "mine")).toBe(false);
});

test("a name that the daemon cannot be asked for is told from one that it can", () => {
  expect(["größe", "two words", "", "lead-triage", "a.b_2"].map(isName)).toEqual([false, false, false, true, true]);
});
