import { expect, test } from "vitest";
import { flowGraph, routesGraph, tried } from "./routes_graph";

const TEXT = `routes:
  outage: {kind: incident, fixed_text: x}
  product: {kind: grounded}
  desk: {kind: default}
gates:
  - {name: how_to, route: product, any: [how do i]}
  - {name: down, route: outage, any: [site down]}
  - {name: lost, route: nowhere}
`;

test("gates lead to their routes, those of incidents first, and what is left goes the default one", () => {
  const found = routesGraph(TEXT);
  const labels = found?.graph.nodes.filter((node) => node.id.startsWith("gate:")).map((node) => node.label);
  expect(labels).toEqual(["down", "how_to", "lost"]);
  const edges = found?.graph.edges.map((edge) => `${edge.from}>${edge.to} ${edge.label}`.trim());
  expect(edges).toContain("gate:0>route:outage");
  expect(edges).toContain("message>route:desk otherwise");
  expect(edges?.filter((edge) => edge.startsWith("gate:2"))).toEqual([]);
  expect(found?.about.get("route:outage")).toMatchObject({ kind: "incident" });
});

test("what cannot be read has no graph, and an odd file none of its nodes", () => {
  expect(routesGraph("a: [")).toBeNull();
  for (const odd of ["", "- a", "routes: 1\ngates: x\n", "routes: {a: 1}\ngates: [1, null]\n"]) expect(routesGraph(odd)?.graph.nodes).toBeDefined();
});

test("a flow's arrows to what is not there are left out", () => {
  const graph = flowGraph({ nodes: [{ id: "a", kind: "agent", label: "" }], edges: [{ from: "a", to: "b", label: "" }] });
  expect(graph.nodes[0]?.label).toBe("a");
  expect(graph.edges).toEqual([]);
});

test("which route a message takes is said in a sentence", () => {
  expect(tried({ route: "", kind: "", gate: "" })).toMatch(/No route/);
  expect(tried({ route: "desk", kind: "default", gate: "" })).toMatch(/default route desk/);
  expect(tried({ route: "refunds", kind: "grounded", gate: "money" })).toMatch(/refunds .*money/);
});
