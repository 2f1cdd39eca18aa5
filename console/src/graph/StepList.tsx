import { memo, useMemo, useState } from "react";
import { Said } from "../kit/Said";
import type { Graph, NodeState } from "./graph";
import css from "./graph.module.css";
import { tree, type Branch } from "./tree";
import { t } from "./words";

interface StepListProps {
  graph: Graph;
  states?: ReadonlyMap<string, NodeState>;
  selected: string;
  onOpen: (id: string) => void;
}

/** The same steps as the graph shows, as a list: for screen readers, for a keyboard, and for narrow windows. */
export const StepList = memo(function StepList({ graph, states, selected, onOpen }: StepListProps) {
  const [open, setOpen] = useState(false);
  const branches = useMemo(() => (open ? tree(graph) : []), [graph, open]);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t("list")}</summary>
      {open && (graph.nodes.length === 0 ? <p>{t("empty")}</p> : <Rows branches={branches} states={states} selected={selected} onOpen={onOpen} top />)}
    </details>
  );
});

function Rows({ branches, states, selected, onOpen, top = false }: Omit<StepListProps, "graph"> & { branches: readonly Branch[]; top?: boolean }) {
  return (
    <ol className={top ? css.list : undefined} tabIndex={top ? 0 : undefined} aria-label={top ? t("list") : undefined}>
      {branches.map(({ node, inside }) => {
        const word = states?.get(node.id)?.word ?? "";
        return (
          <li key={node.id}>
            <button type="button" aria-current={node.id === selected ? "true" : undefined} onClick={() => onOpen(node.id)}>
              <Said>{node.label}</Said> · <Said>{node.kind || t("nothingBut")}</Said>
              {word !== "" && <> · {word}</>}
            </button>
            {inside.length > 0 && <Rows branches={inside} states={states} selected={selected} onOpen={onOpen} />}
          </li>
        );
      })}
    </ol>
  );
}
