import { lazy, Suspense, useMemo, useState } from "react";
import { Button } from "../../kit/Button";
import { Badge, Empty } from "../../kit/Panel";
import { Said, visible } from "../../kit/Said";
import { Trouble } from "../../kit/Trouble";
import { useCall } from "../../shell/page";
import { Entity } from "./Entity";
import { around, byName, graphOf, matching } from "./graph";
import css from "./memory.module.css";
import { t } from "./words";

const GraphDrawing = lazy(() => import("./GraphDrawing"));

const FEW = 300;
const MANY = 1000;
/** What is so many relations away counts as near. */
const STEPS_NEAR = 2;

/** Who and what an agent knows, as a list and as a graph, with one of them opened. */
export function Known({ agent }: { agent: string }) {
  const [limit, setLimit] = useState(FEW);
  const loaded = useCall("memory.graph", { agent, limit });
  const [words, setWords] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const [near, setNear] = useState(false);
  const entities = useMemo(() => byName(loaded.value?.entities ?? []), [loaded.value]);
  const shown = useMemo(() => matching(entities, words), [entities, words]);
  const entity = entities.find((one) => one.id === chosen) ?? null;
  const graph = useMemo(() => {
    const middle = near && entities.some((one) => one.id === chosen) ? chosen : null;
    return around(graphOf(middle === null ? shown : entities), middle, STEPS_NEAR);
  }, [shown, entities, near, chosen]);
  if (loaded.value === null) {
    return loaded.error === null ? <Empty>{t("loading")}</Empty> : <Trouble of={loaded} what={t("theGraph")} />;
  }
  if (entities.length === 0) return <Empty>{t("noEntities")}</Empty>;
  return (
    <>
      <Trouble of={loaded} what={t("theGraph")} />
      <div className={css.bar}>
        <input
          type="search"
          className={css.search}
          aria-label={t("filter")}
          placeholder={t("filter")}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <span className={css.quiet} role="status">
          {t("count", { count: shown.length })}
        </span>
        <label className={css.check}>
          <input type="checkbox" checked={near} disabled={entity === null} onChange={(event) => setNear(event.target.checked)} />
          {entity === null ? t("nearNobody") : <Said>{t("near", { name: entity.name })}</Said>}
        </label>
      </div>
      {loaded.value.more && limit < MANY && (
        <p className={css.row}>
          <span className={css.quiet}>{t("more")}</span> <Button onClick={() => setLimit(MANY)}>{t("showMore")}</Button>
        </p>
      )}
      <div className={css.known} data-open={entity !== null}>
        <section aria-label={t("list")} className={css.list}>
          <ul className={css.plainList}>
            {shown.map((one) => (
              <li key={one.id}>
                <button type="button" className={css.entity} aria-pressed={one.id === chosen} onClick={() => setChosen(one.id)}>
                  <Said>{one.name}</Said> <span className={css.quiet}>{visible(one.kind)}</span>
                  {one.tainted && <Badge tone="warn">{t("outside")}</Badge>}
                </button>
              </li>
            ))}
          </ul>
          {shown.length === 0 && <Empty>{t("noMatch")}</Empty>}
        </section>
        <section aria-label={t("graph")} className={css.graph}>
          <Suspense fallback={<Empty>{t("drawing")}</Empty>}>
            <GraphDrawing graph={graph} chosen={chosen} onChoose={setChosen} />
          </Suspense>
        </section>
        <div className={css.opened}>
          {entity === null ? (
            <Empty>{t("pick")}</Empty>
          ) : (
            <Entity
              key={entity.id}
              agent={agent}
              entity={entity}
              all={entities}
              onOpen={setChosen}
              onChanged={(id) => {
                if (id !== undefined) setChosen(id);
                loaded.reload();
              }}
            />
          )}
        </div>
      </div>
    </>
  );
}
