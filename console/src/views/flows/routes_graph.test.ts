import { expect, test } from "vitest";
import { flowGraph, routesGraph, tried } from "./routes_graph";

function gate(name: string, route: string): { gate: string; route: string; any: string[]; all: string[]; unless: string[] } {
  return { gate: name, route, any: ["site down"], all: [], unless: [] };
}

test("gates lead to their routes in their order, and what is left goes the default one", () => {
  const { graph, about } = routesGraph({
    routes: [{ name: "outage", kind: "incident" }, { name: "product", kind: "grounded" }, { name: "desk", kind: "default" }],
    gates: [gate("down", "outage"), gate("how_to", "product"), gate("lost", "nowhere")],
  });
  expect(graph.nodes.filter((node) => node.id.startsWith("gate:")).map((node) => node.label)).toEqual(["down", "how_to", "lost"]);
  const edges = graph.edges.map((edge) => `${edge.from}>${edge.to} ${edge.label}`.trim());
  expect(edges).toContain("gate:0>route:outage");
  expect(edges).toContain("message>route:desk otherwise");
  expect(edges.filter((edge) => edge.startsWith("gate:2"))).toEqual([]);
  expect(about.get("route:outage")).toMatchObject({ kind: "incident" });
});

test("a file without routes has no graph, and odd rows are passed over", () => {
  expect(routesGraph({ routes: [], gates: [] }).graph.nodes).toEqual([]);
  expect(routesGraph({ routes: [{}, { name: 1 }], gates: [] }).graph.nodes).toHaveLength(2);
});

test("a flow's arrows to what is not there are left out", () => {
  const graph = flowGraph({ nodes: [{ id: "root", kind: "agent", name: "" }], edges: [{ source: "root", target: "b", says: "" }] });
  expect(graph.nodes[0]?.label).toBe("agent");
  expect(graph.edges).toEqual([]);
});

test("which route a message takes is said in a sentence", () => {
  expect(tried({ route: "", kind: "", gate: "" })).toMatch(/No route/);
  expect(tried({ route: "desk", kind: "default", gate: "" })).toMatch(/default route desk/);
  expect(tried({ route: "refunds", kind: "grounded", gate: "money" })).toMatch(/refunds .*money/);
});

test("parts of a flow have names that people know, and no places in a file", () => {
  const { nodes } = flowGraph({
    nodes: [
      { id: "begin", kind: "begin", name: "" }, { id: "root.steps[1].body", kind: "agent", name: "writer" }, { id: "root.steps[2]", kind: "switch", name: "agent_mode" },
      { id: "root.steps[3]", kind: "loop", name: "task_not_completed" },
    ],
    edges: [],
  });
  expect(nodes.map((node) => node.label)).toEqual(["Beginning", "writer", "By agent mode", "Again while task not completed"]);
  expect(nodes.every((node) => node.detail === "")).toBe(true);
});
