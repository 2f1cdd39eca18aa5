import type { Result } from "../../protocol/wire";

export type Entity = Result<"memory.entity">;
export type Fact = Entity["facts"][number];

export interface GraphNode {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly tainted: boolean;
}

export interface GraphEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** How the one stands to the other; several relations of the same two in one direction are one line. */
  readonly label: string;
  readonly tainted: boolean;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/**
 * Who and what is known as nodes, and how they stand to each other as edges. A relation is told at both its ends: here it is one.
 * Those that lead to something that is not in the list are left out.
 */
export function graphOf(entities: readonly Entity[]): Graph {
  const known = new Set(entities.map((entity) => entity.id));
  const between = new Map<string, { from: string; to: string; labels: Set<string>; tainted: boolean }>();
  for (const entity of entities) {
    for (const { to = "", back = false, what, tainted } of entity.relations) {
      if (!known.has(to)) continue;
      const [start, end] = back ? [to, entity.id] : [entity.id, to];
      const key = `${start} ${end}`;
      const edge = between.get(key) ?? { from: start, to: end, labels: new Set<string>(), tainted: true };
      edge.labels.add(what);
      edge.tainted &&= tainted;
      between.set(key, edge);
    }
  }
  return {
    nodes: entities.map(({ id, name, kind, tainted }) => ({ id, name, kind, tainted })),
    edges: [...between].map(([id, { from, to, labels, tainted }]) => ({ id, from, to, label: [...labels].join(", "), tainted })),
  };
}

/** Entities in whose names, kind, facts or relations all of the words stand. */
export function matching(entities: readonly Entity[], words: string): readonly Entity[] {
  const wanted = words.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (wanted.length === 0) return entities;
  return entities.filter((entity) => {
    const told = [...entity.facts, ...entity.relations].flatMap(({ what, value }) => [what, value]);
    const text = [entity.name, ...entity.aliases, entity.kind, ...told].join("\n").toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** Entities by name, as a list shows them. */
export function byName(entities: readonly Entity[]): readonly Entity[] {
  return [...entities].sort((one, other) => one.name.localeCompare(other.name));
}

/**
 * Which entities a graph shows: one and what is next to it, so many steps away, or all of them.
 *
 * @param from the entity in the middle; null for all.
 */
export function around(graph: Graph, from: string | null, steps: number): Graph {
  if (from === null) return graph;
  let seen = new Set([from]);
  for (let step = 0; step < steps; step++) {
    const next = new Set(seen);
    for (const edge of graph.edges) {
      if (seen.has(edge.from)) next.add(edge.to);
      if (seen.has(edge.to)) next.add(edge.from);
    }
    seen = next;
  }
  return {
    nodes: graph.nodes.filter((node) => seen.has(node.id)),
    edges: graph.edges.filter((edge) => seen.has(edge.from) && seen.has(edge.to)),
  };
}
