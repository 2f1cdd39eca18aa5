import "@xyflow/react/dist/base.css";
import { Background, Controls, Handle, MarkerType, Position, ReactFlow, type Edge, type Node, type NodeProps } from "@xyflow/react";
import { memo, useMemo } from "react";
import { Said, visible } from "../../kit/Said";
import type { Graph } from "./graph";
import { laidOut, NODE } from "./layout";
import css from "./memory.module.css";

type EntityNode = Node<{ name: string; kind: string; tainted: boolean; chosen: boolean }, "entity">;

/** All of it, as long as it can be read; else what is in the middle. */
const FIT = { minZoom: 0.6, maxZoom: 1.2, padding: 0.08 };
const TYPES = { entity: memo(EntityBox) };

/** The graph itself. It is loaded when it is first shown; whoever uses the keyboard has the list beside it. */
export default function GraphDrawing({ graph, chosen, onChoose }: { graph: Graph; chosen: string | null; onChoose: (id: string) => void }) {
  const places = useMemo(() => laidOut(graph), [graph]);
  const nodes = useMemo<EntityNode[]>(
    () =>
      graph.nodes.map((node) => ({
        id: node.id, type: "entity", position: places.get(node.id) ?? { x: 0, y: 0 }, width: NODE.width, height: NODE.height,
        data: { name: node.name, kind: node.kind, tainted: node.tainted, chosen: node.id === chosen },
      })),
    [graph, places, chosen],
  );
  const edges = useMemo<Edge[]>(
    () =>
      graph.edges.map((edge) => ({
        id: edge.id, source: edge.from, target: edge.to, label: visible(edge.label), markerEnd: { type: MarkerType.ArrowClosed },
        className: edge.tainted ? css.taintedEdge : undefined,
      })),
    [graph],
  );
  return (
    <ReactFlow
      key={`${graph.nodes.length} ${graph.nodes[0]?.id ?? ""}`}
      nodes={nodes}
      edges={edges}
      nodeTypes={TYPES}
      fitView
      fitViewOptions={FIT}
      minZoom={0.05}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      onlyRenderVisibleElements
      proOptions={{ hideAttribution: true }}
      onNodeClick={(_, node) => onChoose(node.id)}
    >
      <Background />
      <Controls showInteractive={false} />
    </ReactFlow>
  );
}

function EntityBox({ data }: NodeProps<EntityNode>) {
  return (
    <div className={css.node} data-chosen={data.chosen} data-tainted={data.tainted}>
      <Handle type="target" position={Position.Left} />
      <div className={css.nodeName}>
        <Said title={data.name}>{data.name}</Said>
      </div>
      <div className={css.nodeKind}>
        <Said>{data.kind}</Said>
      </div>
      <Handle type="source" position={Position.Right} />
    </div>
  );
}
