import { DRAGGED } from "../../graph/dragged";
import css from "./playbooks.module.css";
import { KINDS, type Kind } from "./text/outline";
import { t } from "./words";

/** The kinds of steps: dragged into the graph, or pressed. */
export function Palette({ onAdd }: { onAdd: (kind: Kind) => void }) {
  return (
    <div>
      <p className={css.quiet} id="palette-hint">
        {t("paletteHint")}
      </p>
      <ul className={css.palette} aria-label={t("palette")} aria-describedby="palette-hint">
        {KINDS.map((kind) => (
          <li key={kind}>
            <button
              type="button"
              className={css.kind}
              draggable
              aria-label={t("add", { kind })}
              onDragStart={(event) => {
                event.dataTransfer.setData(DRAGGED, kind);
                event.dataTransfer.effectAllowed = "copy";
              }}
              onClick={() => onAdd(kind)}
            >
              {kind}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
