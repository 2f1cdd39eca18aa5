import type { Graph, GraphNode } from "./graph";

export interface Branch {
  readonly node: GraphNode;
  readonly inside: readonly Branch[];
}

/** The nodes of a graph in their order, those in a box below it. Pure. */
export function tree(graph: Graph): readonly Branch[] {
  const known = new Set(graph.nodes.map((node) => node.id));
  const inside = new Map<string | null, GraphNode[]>();
  for (const node of graph.nodes) {
    const within = node.within !== null && known.has(node.within) ? node.within : null;
    const before = inside.get(within);
    if (before === undefined) inside.set(within, [node]);
    else before.push(node);
  }
  const below = (within: string | null, depth: number): Branch[] =>
    depth > 40 ? [] : (inside.get(within) ?? []).map((node) => ({ node, inside: below(node.id, depth + 1) }));
  return below(null, 0);
}
