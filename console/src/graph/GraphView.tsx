import {
  BaseEdge, EdgeText, Handle, MarkerType, Position, ReactFlow, ReactFlowProvider, getSmoothStepPath, useKeyPress, useReactFlow,
  type Connection, type Edge, type EdgeProps, type Node, type NodeProps,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { memo, useMemo, useRef, type DragEvent } from "react";
import { Said, visible } from "../kit/Said";
import { useBeside } from "../kit/useBeside";
import { useNarrow } from "../kit/useNarrow";
import { marking, nodesOf, type Data } from "./drawn";
import { DRAGGED } from "./dragged";
import type { Box, Graph, GraphEdge, NodeState, Over } from "./graph";
import css from "./graph.module.css";
import type { Layout, Place } from "./layout";
import { useView } from "./useView";
import { t } from "./words";

export interface GraphViewProps {
  readonly graph: Graph;
  readonly states?: ReadonlyMap<string, NodeState>;
  /** The node that is marked; empty for none. */
  readonly selected: string;
  /** The node that is kept in sight until a person moves the graph, or opens a node; empty for none at the moment, left out where nothing is followed. */
  readonly followed?: string;
  readonly label: string;
  onOpen: (id: string) => void;
  /** What may be changed by the graph; left out where it is only shown. */
  readonly change?: {
    connect: (from: string, to: string) => void;
    disconnect: (from: string, to: string) => void;
    remove: (id: string) => void;
    /** Something of the palette was let go over a node or an arrow, or over none. */
    drop: (what: string, over: Over | null) => void;
  };
}

const NODES = { step: StepNode, group: GroupNode };
const EDGES = { step: StepEdge };
const NOTHING = new Map<string, NodeState>();

const NO_GRAPH: Graph = { nodes: [], edges: [] };
const NO_LAYOUT: Layout = { boxes: new Map(), ways: new Map() };

function layoutThread(): Worker {
  return new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
}

/**
 * A graph that is laid out by itself, on a thread of its own: what was shown before stands until then. Only what is seen of it is
 * drawn.
 */
export default memo(function GraphView({ graph, ...others }: GraphViewProps) {
  const laid = useBeside<Graph, Layout>(layoutThread, graph);
  return (
    <ReactFlowProvider>
      <Drawn {...others} graph={laid?.asked ?? NO_GRAPH} layout={laid?.done ?? NO_LAYOUT} />
    </ReactFlowProvider>
  );
});

function Drawn({ graph, layout: { boxes, ways }, states = NOTHING, selected, followed, label, onOpen, change }: GraphViewProps & { readonly layout: Layout }) {
  const flow = useReactFlow();
  const { host, ...view } = useView({ graph, boxes, selected, followed: selected === "" ? (followed ?? "") : "" });
  const connectable = change !== undefined;
  const plain = useMemo(() => nodesOf(graph, boxes, states, connectable), [graph, boxes, states, connectable]);
  const nodes = useMemo(() => marking(plain, selected), [plain, selected]);
  const parents = useMemo(() => new Map(graph.nodes.map((node) => [node.id, node.within])), [graph]);
  const edges = useMemo<Edge[]>(
    () =>
      graph.edges.map((edge) => ({
        id: edge.id,
        source: edge.from,
        target: edge.to,
        type: "step",
        label: edge.label,
        data: { points: around(edge, ways, parents, boxes) },
        className: `edge-${edge.tone}`,
        markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16 },
        focusable: connectable,
        deletable: connectable,
        selectable: connectable,
      })),
    [graph, connectable, ways, parents, boxes],
  );

  // A wheel or a finger that comes by scrolls the page: the graph is made larger with Ctrl or ⌘, and on a phone by its buttons.
  const narrow = useNarrow();
  const command = useKeyPress("Meta");
  const moving = (done: Promise<boolean>): void => {
    view.move();
    void done;
  };
  // What is dragged moves often: the arrow under it is marked without drawing the graph anew.
  const aimed = useRef<SVGElement | null>(null);
  const aim = (edge: SVGElement | null): void => {
    if (aimed.current === edge) return;
    aimed.current?.removeAttribute("data-aimed");
    edge?.setAttribute("data-aimed", "true");
    aimed.current = edge;
  };

  return (
    <div
      ref={host}
      className={css.graph}
      data-still={narrow}
      role="region"
      aria-label={label}
      onKeyDown={(event) => {
        const id = (event.target as HTMLElement).closest<HTMLElement>(".react-flow__node")?.dataset.id;
        if (id !== undefined && (event.key === "Enter" || event.key === " ")) {
          event.preventDefault();
          onOpen(id);
        }
      }}
      onDragOver={(event) => {
        if (change === undefined || !event.dataTransfer.types.includes(DRAGGED)) return;
        event.preventDefault();
        aim(edgeAt(event.target));
      }}
      onDragLeave={() => aim(null)}
      onDrop={(event: DragEvent) => {
        const what = event.dataTransfer.getData(DRAGGED);
        if (change === undefined || what === "") return;
        event.preventDefault();
        aim(null);
        const edge = graph.edges.find((one) => one.id === edgeAt(event.target)?.dataset.id);
        const node = (event.target as Element).closest<HTMLElement>(".react-flow__node")?.dataset.id;
        change.drop(what, edge !== undefined ? { edge } : node !== undefined ? { node } : null);
      }}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODES}
        edgeTypes={EDGES}
        onlyRenderVisibleElements
        minZoom={0.05}
        maxZoom={1.5}
        preventScrolling={command}
        panOnDrag={!narrow}
        nodesDraggable={false}
        nodesConnectable={connectable}
        nodesFocusable
        edgesFocusable={connectable}
        elementsSelectable
        deleteKeyCode={connectable ? ["Delete", "Backspace"] : null}
        onNodeClick={(_, node) => onOpen(node.id)}
        onConnect={(made: Connection) => change?.connect(made.source, made.target)}
        onBeforeDelete={({ nodes: gone, edges: cut }) => {
          // The text decides what there is: what was asked for is done there, and nothing is taken away here.
          const [node] = gone;
          const [edge] = cut;
          if (node !== undefined) change?.remove(node.id);
          else if (edge !== undefined) change?.disconnect(edge.source, edge.target);
          return Promise.resolve(false);
        }}
        onInit={view.begin}
        onMoveStart={(event) => {
          if (event !== null) view.move();
        }}
        proOptions={{ hideAttribution: true }}
      />
      <div className={css.buttons}>
        <button type="button" aria-label={t("nearer")} title={t("nearer")} onClick={() => moving(flow.zoomIn())}>
          +
        </button>
        <button type="button" aria-label={t("farther")} title={t("farther")} onClick={() => moving(flow.zoomOut())}>
          −
        </button>
        <button type="button" aria-label={t("whole")} title={t("whole")} onClick={() => moving(flow.fitView({ padding: 0.05 }))}>
          ⤢
        </button>
        {followed !== undefined && view.moved && (
          <button type="button" className={css.follow} onClick={view.again}>
            {t("follow")}
          </button>
        )}
      </div>
    </div>
  );
}

function StepNode({ data }: NodeProps<Node<Data>>) {
  const { node, state, connectable } = data;
  return (
    <div className={classes(css.node, data)}>
      <Handle type="target" position={Position.Top} isConnectable={connectable} className={connectable ? "" : css.still} />
      <div className={css.head}>
        <span className={css.label}>
          <Said>{node.label}</Said>
        </span>
        <span className={css.kind}>
          <Said>{node.kind || t("nothingBut")}</Said>
        </span>
      </div>
      {state === null ? (
        <div className={css.detail}>
          <Said>{node.detail}</Said>
        </div>
      ) : (
        <div className={css.word}>{state.word}</div>
      )}
      <Handle type="source" position={Position.Bottom} isConnectable={connectable} className={connectable ? "" : css.still} />
    </div>
  );
}

function GroupNode({ data }: NodeProps<Node<Data>>) {
  const { node, state, connectable } = data;
  return (
    <div className={classes(css.group, data)}>
      <Handle type="target" position={Position.Top} isConnectable={connectable} className={connectable ? "" : css.still} />
      <div className={css.head}>
        <span className={css.label}>
          <Said>{node.label}</Said>
        </span>
        {state !== null && <span className={css.word}>{state.word}</span>}
        <span className={css.kind}>
          <Said>{node.kind}</Said>
        </span>
      </div>
      <Handle type="source" position={Position.Bottom} isConnectable={connectable} className={connectable ? "" : css.still} />
    </div>
  );
}

/** The arrow that an event is about; null for none. */
function edgeAt(target: EventTarget): SVGElement | null {
  return (target as Element).closest<SVGElement>(".react-flow__edge");
}

function classes(own: string | undefined, { state, marked }: Data): string {
  return [own, state === null ? "" : css[`tone-${state.tone}`], state?.supposed === true ? css.supposed : "", marked ? css.marked : ""].filter(Boolean).join(" ");
}

/** Where an arrow leads through, counted from the corner of the whole graph; none for one that needs no way around. */
function around(
  edge: GraphEdge, ways: ReadonlyMap<string, readonly Place[]>, parents: ReadonlyMap<string, string | null>, boxes: ReadonlyMap<string, Box>,
): readonly Place[] {
  const points = ways.get(edge.id);
  if (points === undefined) return [];
  let [x, y] = [0, 0];
  for (let box = parents.get(edge.from) ?? null; box !== null; box = parents.get(box) ?? null) {
    x += boxes.get(box)?.x ?? 0;
    y += boxes.get(box)?.y ?? 0;
  }
  return points.map((point) => ({ x: point.x + x, y: point.y + y }));
}

/** A line through places, which leaves and reaches each straight up or down. */
function through(points: readonly Place[]): string {
  return points
    .map((point, index) => {
      const before = points[index - 1];
      if (before === undefined) return `M${point.x},${point.y}`;
      const middle = (before.y + point.y) / 2;
      return `C${before.x},${middle} ${point.x},${middle} ${point.x},${point.y}`;
    })
    .join(" ");
}

function lineOf(props: EdgeProps): [string, number, number] {
  const points = (props.data?.points ?? []) as readonly Place[];
  const middle = points[Math.floor(points.length / 2)];
  if (middle === undefined) {
    const [path, x, y] = getSmoothStepPath({ ...props, borderRadius: 10 });
    return [path, x, y];
  }
  if (props.targetY < props.sourceY) return [through(points), middle.x, middle.y];
  const ends = { from: { x: props.sourceX, y: props.sourceY }, to: { x: props.targetX, y: props.targetY } };
  return [through([ends.from, ...points.slice(1, -1), ends.to]), middle.x, middle.y];
}

function StepEdge(props: EdgeProps) {
  const [path, x, y] = lineOf(props);
  const label = typeof props.label === "string" ? visible(props.label) : "";
  return (
    <>
      <BaseEdge path={path} markerEnd={props.markerEnd} />
      {label !== "" && <EdgeText x={x} y={y} label={label} labelShowBg labelBgPadding={[4, 2]} labelBgBorderRadius={4} />}
    </>
  );
}
