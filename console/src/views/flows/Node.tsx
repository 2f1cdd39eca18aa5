import { useEffect, useRef } from "react";
import { Button } from "../../kit/Button";
import { Said } from "../../kit/Said";
import type { Graph } from "../../graph/graph";
import css from "./flows.module.css";
import { t } from "./words";

interface NodeProps {
  graph: Graph;
  id: string;
  /** What the file says of it; null for no more than the graph shows. */
  about: Readonly<Record<string, unknown>> | null;
  onClose: () => void;
}

/** One part of a graph: what comes before it and behind it, and what the file says of it. */
export function Node({ graph, id, about, onClose }: NodeProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [id]);
  const node = graph.nodes.find((one) => one.id === id);
  if (node === undefined) return null;
  const label = (one: string): string => graph.nodes.find((other) => other.id === one)?.label ?? one;
  const names = (all: readonly string[]): string => (all.length === 0 ? t("nothing") : all.map(label).join(", "));
  return (
    <section
      className={css.side}
      aria-label={t("node")}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        onClose();
        document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`)?.focus();
      }}
    >
      <div className={css.row}>
        <h3 ref={heading} tabIndex={-1}>
          <Said>{node.label}</Said> <span className={css.quiet}>{node.kind}</span>
        </h3>
        <Button tone="ghost" onClick={onClose}>
          {t("close")}
        </Button>
      </div>
      <p>
        {t("before")}: <Said>{names(graph.edges.filter((edge) => edge.to === id).map((edge) => edge.from))}</Said>
        <br />
        {t("after")}: <Said>{names(graph.edges.filter((edge) => edge.from === id).map((edge) => edge.to))}</Said>
      </p>
      {about !== null && (
        <pre className={css.value} tabIndex={0} aria-label={t("leads")}>
          <Said>{JSON.stringify(about, null, 2)}</Said>
        </pre>
      )}
    </section>
  );
}
