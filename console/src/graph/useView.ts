import { useReactFlow } from "@xyflow/react";
import { useCallback, useEffect, useRef, useState, type RefObject } from "react";
import type { Box, Graph } from "./graph";
import { toFit, toShow } from "./fit";

const FIT = { edge: 24, most: 1, least: 0.35 };
/** A frame that has changed by less is the same one. */
const RESIZED_PX = 40;

interface Seen {
  readonly graph: Graph;
  readonly boxes: ReadonlyMap<string, Box>;
  /** The node that is marked; empty for none. */
  readonly selected: string;
  /** The node that is kept in sight; empty for none. */
  readonly followed: string;
}

export interface ViewActs {
  /** For the element that frames it. */
  readonly host: RefObject<HTMLDivElement | null>;
  /** Whether a person has moved it: from then on it stays where that person wants it. */
  readonly moved: boolean;
  /** The drawing has its frame, and can be moved. */
  begin: () => void;
  /** A person moves it. */
  move: () => void;
  /** It is brought into its frame, and follows again. */
  again: () => void;
}

/** Which part of a graph is seen: the whole of it, or as much as can be read, and what is marked or followed. */
export function useView({ graph, boxes, selected, followed }: Seen): ViewActs {
  const flow = useReactFlow();
  const host = useRef<HTMLDivElement>(null);
  const [ready, setReady] = useState(false);
  const [moved, setMoved] = useState(false);
  const size = useRef(0);

  const show = useCallback(
    (id: string): void => {
      const node = id === "" ? undefined : flow.getInternalNode(id);
      const area = host.current;
      if (node === undefined || area === null) return;
      const { x, y } = node.internals.positionAbsolute;
      const next = toShow({ x, y, width: node.width ?? 0, height: node.height ?? 0 }, flow.getViewport(), { width: area.clientWidth, height: area.clientHeight });
      if (next !== null) void flow.setViewport(next);
    },
    [flow],
  );
  // As much of it as can still be read: what is longer is shown from its beginning.
  const fit = useCallback((): void => {
    const area = host.current;
    if (area !== null && area.clientHeight > 0) void flow.setViewport(viewOf(boxes, graph, area.clientWidth, area.clientHeight));
  }, [flow, boxes, graph]);

  // A drawing that has no frame yet takes no view, and says nothing of it: what was fitted too early stood in a corner.
  useEffect(() => {
    if (!ready) return;
    if (toFit(size.current, graph.nodes.length, moved)) fit();
    size.current = graph.nodes.length;
  }, [fit, graph, moved, ready]);
  useEffect(() => {
    if (ready && !moved) show(followed);
  }, [show, followed, moved, ready, graph]);
  useEffect(() => {
    if (ready) show(selected);
  }, [show, selected, ready, graph]);

  useEffect(() => {
    const area = host.current;
    if (area === null) return;
    let [width, height] = [area.clientWidth, area.clientHeight];
    const seen = new ResizeObserver(() => {
      // A panel has opened beside it, or the window was turned: what was in its middle would be out of sight.
      const wider = Math.abs(area.clientWidth - width) >= RESIZED_PX;
      if (!wider && (moved || Math.abs(area.clientHeight - height) < RESIZED_PX)) return;
      [width, height] = [area.clientWidth, area.clientHeight];
      requestAnimationFrame(() => {
        fit();
        show(moved ? selected : selected || followed);
      });
    });
    seen.observe(area);
    return () => seen.disconnect();
  }, [fit, show, moved, selected, followed]);

  return {
    host,
    moved,
    begin: () => setReady(true),
    move: () => setMoved(true),
    again: () => {
      setMoved(false);
      show(followed);
    },
  };
}

function viewOf(boxes: ReadonlyMap<string, Box>, graph: Graph, width: number, height: number): { x: number; y: number; zoom: number } {
  let [right, bottom] = [1, 1];
  for (const node of graph.nodes) {
    const box = node.within === null ? boxes.get(node.id) : undefined;
    if (box !== undefined) [right, bottom] = [Math.max(right, box.x + box.width), Math.max(bottom, box.y + box.height)];
  }
  const room = { width: width - 2 * FIT.edge, height: height - 2 * FIT.edge };
  const zoom = Math.max(FIT.least, Math.min(FIT.most, room.width / right, room.height / bottom));
  return {
    x: right * zoom > room.width ? FIT.edge : (width - right * zoom) / 2,
    y: bottom * zoom > room.height ? FIT.edge : (height - bottom * zoom) / 2,
    zoom,
  };
}
