import { describe, expect, it } from "vitest";
import { around, byName, graphOf, matching, type Entity, type Fact } from "./graph";

const fact = (what: string, value: string, more: Partial<Fact> = {}): Fact => ({
  id: `st_${what}`, what, value, tainted: false, corrected: false, notes: [], to: "", back: false, ...more,
});
const entity = (id: string, more: Partial<Entity> = {}): Entity => ({
  id, scope: "", kind: "person", name: id, aliases: [], tainted: false, facts: [], relations: [], merges: [], notes: [], ...more,
});

describe("the graph of what is known", () => {
  it("a relation that is told at both ends is one edge, from whom it is said", () => {
    const graph = graphOf([
      entity("ana", { relations: [fact("works for", "Acme", { to: "acme" })] }),
      entity("acme", { relations: [fact("works for", "Ana", { to: "ana", back: true })] }),
    ]);
    expect(graph.edges).toEqual([{ id: "ana acme", from: "ana", to: "acme", label: "works for", tainted: false }]);
  });

  it("several relations in one direction are one line with all their words", () => {
    const graph = graphOf([
      entity("ana", { relations: [fact("knows", "Bo", { to: "bo", tainted: true }), fact("pays", "Bo", { to: "bo" })] }), entity("bo"),
    ]);
    expect(graph.edges.map(({ label, tainted }) => [label, tainted])).toEqual([["knows, pays", false]]);
  });

  it("what only text says that nobody trusts is marked", () => {
    const graph = graphOf([entity("ana", { relations: [fact("knows", "Bo", { to: "bo", tainted: true })] }), entity("bo")]);
    expect(graph.edges[0]?.tainted).toBe(true);
  });

  it("a relation to what is not in the list has no edge", () => {
    expect(graphOf([entity("ana", { relations: [fact("knows", "Cy", { to: "cy" }), fact("x", "y")] })]).edges).toEqual([]);
  });

  it("around one entity only what is near is shown, in both directions", () => {
    const chain = graphOf([
      entity("a", { relations: [fact("r", "b", { to: "b" })] }), entity("b", { relations: [fact("r", "c", { to: "c" })] }),
      entity("c", { relations: [fact("r", "d", { to: "d" })] }), entity("d"),
    ]);
    expect(around(chain, "c", 1).nodes.map((node) => node.id)).toEqual(["b", "c", "d"]);
    expect(around(chain, null, 1).nodes).toHaveLength(4);
    expect(around(chain, "a", 1).edges.map((edge) => edge.id)).toEqual(["a b"]);
  });

  it("words are found in names, other names, kinds and facts", () => {
    const all = [entity("Ana", { aliases: ["Ana Berg"], facts: [fact("lives in", "Malmö")] }), entity("Bo", { kind: "place" })];
    expect(matching(all, "malmö berg").map((one) => one.id)).toEqual(["Ana"]);
    expect(matching(all, "place").map((one) => one.id)).toEqual(["Bo"]);
    expect(matching(all, " ")).toHaveLength(2);
  });

  it("a list is in the order of names", () => {
    expect(byName([entity("b"), entity("á"), entity("a")]).map((one) => one.id)).toEqual(["a", "á", "b"]);
  });
});
