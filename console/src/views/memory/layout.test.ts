import { describe, expect, it } from "vitest";
import type { Graph } from "./graph";
import { laidOut, NODE } from "./layout";

function graph(count: number, edges: readonly [number, number][]): Graph {
  return {
    nodes: Array.from({ length: count }, (_, index) => ({ id: `n${index}`, name: "", kind: "", tainted: false })),
    edges: edges.map(([from, to]) => ({ id: `${from} ${to}`, from: `n${from}`, to: `n${to}`, label: "", tainted: false })),
  };
}

function overlapping(places: ReadonlyMap<string, { x: number; y: number }>): number {
  const all = [...places.values()];
  return all.filter((one, index) =>
    all.slice(index + 1).some((other) => Math.abs(one.x - other.x) < NODE.width && Math.abs(one.y - other.y) < NODE.height)).length;
}

describe("the layout of what is known", () => {
  it("every node has a place of its own", () => {
    const places = laidOut(graph(30, [[0, 1], [1, 2], [2, 0], [3, 4], [5, 5]]));
    expect([places.size, overlapping(places)]).toEqual([30, 0]);
  });

  it("what is related to nothing stands in rows, not in one line", () => {
    const places = [...laidOut(graph(100, [])).values()];
    expect(Math.max(...places.map(({ x }) => x))).toBeLessThan(10 * (NODE.width + 30));
    expect(new Set(places.map(({ y }) => y)).size).toBe(10);
  });

  it("nothing has no places", () => {
    expect(laidOut(graph(0, [])).size).toBe(0);
  });

  it("many related nodes have no place twice", () => {
    const edges = Array.from({ length: 299 }, (_, index): [number, number] => [Math.floor(index / 3), index + 1]);
    const places = laidOut(graph(300, edges));
    expect([places.size, overlapping(places)]).toEqual([300, 0]);
  });
});
