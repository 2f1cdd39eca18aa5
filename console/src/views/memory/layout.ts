import dagre from "@dagrejs/dagre";
import type { Graph } from "./graph";

/** The size of a node as it is drawn, in pixels. */
export const NODE = { width: 164, height: 46 };
const GAP = 26;

/**
 * Where each node stands (its upper left corner): what is related in ranks, and below it in rows what stands alone, which would
 * else make one line as long as there is of it. Pure.
 */
export function laidOut({ nodes, edges }: Graph): ReadonlyMap<string, { x: number; y: number }> {
  const related = new Set(edges.flatMap((edge) => [edge.from, edge.to]));
  const places = new Map<string, { x: number; y: number }>();
  let bottom = 0;
  let width = 0;
  if (related.size > 0) {
    const drawing = new dagre.graphlib.Graph({ multigraph: false });
    drawing.setGraph({ rankdir: "LR", nodesep: GAP, ranksep: 110, marginx: 0, marginy: 0 });
    drawing.setDefaultEdgeLabel(() => ({}));
    for (const node of nodes) if (related.has(node.id)) drawing.setNode(node.id, { ...NODE });
    for (const edge of edges) if (edge.from !== edge.to) drawing.setEdge(edge.from, edge.to);
    dagre.layout(drawing);
    for (const id of drawing.nodes()) {
      const { x, y } = drawing.node(id) as { x: number; y: number };
      places.set(id, { x: x - NODE.width / 2, y: y - NODE.height / 2 });
      bottom = Math.max(bottom, y + NODE.height / 2 + 2 * GAP);
      width = Math.max(width, x + NODE.width / 2);
    }
  }
  const alone = nodes.filter((node) => !related.has(node.id));
  const perRow = Math.max(Math.ceil(Math.sqrt(alone.length)), Math.floor(width / (NODE.width + GAP)), 1);
  for (const [index, node] of alone.entries()) {
    places.set(node.id, { x: (index % perRow) * (NODE.width + GAP), y: bottom + Math.floor(index / perRow) * (NODE.height + GAP) });
  }
  return places;
}
