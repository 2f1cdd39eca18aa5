import { Position, type Node } from "@xyflow/react";
import { visible } from "../kit/Said";
import type { Box, Graph, GraphNode, NodeState } from "./graph";
import { t } from "./words";

/** What a node is drawn from. */
export interface Data extends Record<string, unknown> {
  readonly node: GraphNode;
  readonly state: NodeState | null;
  readonly marked: boolean;
  readonly connectable: boolean;
}

/** How large the points are at which arrows leave and reach a node, as graph.module.css has them. */
const POINT = 9;

/**
 * A graph's nodes, who holds others before them. Each says how large it is and where its arrows begin and end: one that did not
 * would be drawn once to be measured, however far out of sight, and a graph of 500 steps has 8,000 elements then. Pure.
 */
export function nodesOf(graph: Graph, boxes: ReadonlyMap<string, Box>, states: ReadonlyMap<string, NodeState>, connectable: boolean): Node<Data>[] {
  return graph.nodes.map((node) => {
    const { x, y, width, height } = boxes.get(node.id) ?? { x: 0, y: 0, width: 0, height: 0 };
    const state = states.get(node.id) ?? null;
    const kind = visible(node.kind || t("nothingBut"));
    const name = visible(node.label);
    const point = { x: (width - POINT) / 2, width: POINT, height: POINT };
    return {
      id: node.id,
      type: node.group ? "group" : "step",
      className: "",
      position: { x, y },
      width,
      height,
      measured: { width, height },
      handles: [
        { ...point, type: "target", position: Position.Top, y: -POINT / 2 },
        { ...point, type: "source", position: Position.Bottom, y: height - POINT / 2 },
      ],
      parentId: node.within ?? undefined,
      data: { node, state, marked: false, connectable },
      ariaLabel: state === null ? t("node", { label: name, kind }) : t("nodeState", { label: name, kind, word: state.word }),
      draggable: false,
      selectable: true,
      deletable: connectable,
    };
  });
}

/** The same nodes with one of them marked: the others are the ones that they were, and need not be drawn again. Pure. */
export function marking(nodes: readonly Node<Data>[], marked: string): Node<Data>[] {
  return nodes.map((node) => (node.id === marked ? { ...node, data: { ...node.data, marked: true } } : node));
}
