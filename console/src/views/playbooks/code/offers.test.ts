import { expect, test } from "vitest";
import { placeAt } from "../text/place";
import { offers, opensNow } from "./offers";

const NAMES = { tools: ["bash", "read_file"], agents: ["sulla"], playbooks: ["other"] };

function labels(text: string): string[] {
  const at = text.indexOf("|");
  const place = placeAt(text.replace("|", ""), at);
  return place === null ? [] : offers({}, place, NAMES).map((offer) => offer.label);
}

test("needs offer the steps beside, with their ways, and not the step itself", () => {
  const text = "steps:\n  - {id: a, router: x, routes: {one: x, two: y}}\n  - {id: b, condition: true}\n  - {id: c, needs: [|]}\n";
  expect(labels(text)).toEqual(["a", "a.one", "a.two", "b", "b.yes", "b.no"]);
});

test("tools, agents and playbooks are offered by name, and only in steps", () => {
  expect(labels("steps:\n  - id: a\n    tool: |\n")).toEqual(NAMES.tools);
  expect(labels("steps:\n  - {id: a, agent: x, tools: [bash, |]}\n")).toEqual(NAMES.tools);
  expect(labels("steps:\n  - {id: a, agent: |}\n")).toEqual(NAMES.agents);
  expect(labels("finally:\n  - {id: a, playbook: |}\n")).toEqual(NAMES.playbooks);
  expect(labels("inputs:\n  tool: |\n")).toEqual([]);
});

test("offers open where a word was begun or where they are asked for, and not on an empty line", () => {
  expect(opensNow(false, 5, 5)).toBe(false);
  expect(opensNow(false, 4, 5)).toBe(true);
  expect(opensNow(true, 5, 5)).toBe(true);
});
