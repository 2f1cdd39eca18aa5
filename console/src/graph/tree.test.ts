import { expect, test } from "vitest";
import type { GraphNode } from "./graph";
import { tree } from "./tree";

function node(id: string, within: string | null): GraphNode {
  return { id, kind: "tool", label: id, detail: "", within, group: false };
}

test("what is in a box stands below it, in order, and nothing is lost", () => {
  const found = tree({ nodes: [node("b", null), node("x", "b"), node("y", "b"), node("lost", "nowhere")], edges: [] });
  expect(found.map((one) => one.node.id)).toEqual(["b", "lost"]);
  expect(found[0]?.inside.map((one) => one.node.id)).toEqual(["x", "y"]);
});
