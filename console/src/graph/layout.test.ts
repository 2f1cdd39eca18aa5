import { expect, test } from "vitest";
import type { Graph, GraphEdge, GraphNode } from "./graph";
import { layout as whole } from "./layout";

const layout = (graph: Graph) => whole(graph).boxes;

function node(id: string, within: string | null = null, group = false): GraphNode {
  return { id, kind: "tool", label: id, detail: "", within, group };
}

function edge(from: string, to: string): GraphEdge {
  return { id: `${from}>${to}`, from, to, label: "", tone: "plain", said: true };
}

/** The least of three tries, of the processor: other work on the machine, and the first use of the code, do not count. */
function leastMs(once: () => void): number {
  return Math.min(
    ...[1, 2, 3].map(() => {
      const began = process.cpuUsage();
      once();
      const used = process.cpuUsage(began);
      return (used.user + used.system) / 1000;
    }),
  );
}

test("what comes after stands below", () => {
  const boxes = layout({ nodes: [node("a"), node("b")], edges: [edge("a", "b")] });
  expect(boxes.get("b")?.y).toBeGreaterThan((boxes.get("a")?.y ?? 0) + (boxes.get("a")?.height ?? 0) - 1);
});

test("a group holds what is in it, and boxes of one list do not lie over each other", () => {
  const graph: Graph = {
    nodes: [node("g", null, true), node("x", "g"), node("y", "g"), node("z")],
    edges: [edge("x", "y"), edge("g", "z")],
  };
  const boxes = layout(graph);
  const group = boxes.get("g");
  for (const id of ["x", "y"]) {
    const box = boxes.get(id);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(group?.height ?? 0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(group?.width ?? 0);
  }
  expect(boxes.get("z")?.y).toBeGreaterThanOrEqual((group?.y ?? 0) + (group?.height ?? 0));
});

test("an arrow to what is not there, or to itself, is passed over", () => {
  const boxes = layout({ nodes: [node("a")], edges: [edge("a", "a"), edge("a", "nowhere"), edge("nowhere", "a")] });
  expect(boxes.size).toBe(1);
});

test("an empty graph has no boxes, and a circle ends", () => {
  expect(layout({ nodes: [], edges: [] }).size).toBe(0);
  expect(layout({ nodes: [node("a"), node("b")], edges: [edge("a", "b"), edge("b", "a")] }).size).toBe(2);
});

test("500 steps with ways that fork and meet are laid out within a second", () => {
  const nodes = Array.from({ length: 500 }, (_, at) => node(`s${at}`));
  const edges = nodes.flatMap((_, at) => [
    ...(at > 0 ? [edge(`s${at - 1}`, `s${at}`)] : []),
    ...(at > 7 && at % 3 === 0 ? [edge(`s${at - 7}`, `s${at}`)] : []),
  ]);
  expect(layout({ nodes, edges }).size).toBe(500);
  expect(leastMs(() => layout({ nodes, edges }))).toBeLessThan(1000);
});

test("500 steps side by side behind one are laid out within a second", () => {
  const nodes = Array.from({ length: 500 }, (_, at) => node(`s${at}`));
  const edges = nodes.slice(1, -1).flatMap((one) => [edge("s0", one.id), edge(one.id, "s499")]);
  expect(layout({ nodes, edges }).size).toBe(500);
  expect(leastMs(() => layout({ nodes, edges }))).toBeLessThan(1000);
});

test("500 steps with arrows over long ways are laid out within a second, and none lies over another", () => {
  const nodes = Array.from({ length: 500 }, (_, at) => node(`s${at}`));
  // Two long ways side by side, with arrows from each to the far end of the other.
  const edges = nodes.flatMap((_, at) => [
    ...(at > 1 ? [edge(`s${at - 2}`, `s${at}`)] : []),
    ...(at % 5 === 0 && at + 101 < 500 ? [edge(`s${at}`, `s${at + 101}`)] : []),
  ]);
  expect(leastMs(() => layout({ nodes, edges }))).toBeLessThan(1000);
  const boxes = [...layout({ nodes, edges }).values()];
  const seen = new Set(boxes.map((box) => `${Math.round(box.x)} ${Math.round(box.y)}`));
  expect(seen.size).toBe(500);
});

test("an arrow over other rows leads around the boxes in them", () => {
  const graph: Graph = { nodes: ["a", "b", "c"].map((id) => node(id)), edges: [edge("a", "b"), edge("b", "c"), edge("a", "c")] };
  const { boxes, ways } = whole(graph);
  expect([...ways.keys()]).toEqual(["a>c"]);
  const box = boxes.get("b");
  const middle = ways.get("a>c")?.[2];
  expect(middle).toBeDefined();
  const inside = (middle?.x ?? 0) > (box?.x ?? 0) && (middle?.x ?? 0) < (box?.x ?? 0) + (box?.width ?? 0);
  expect(inside).toBe(false);
});
