import { lazy, Suspense, useId, useMemo, useState } from "react";
import { StepList } from "../../graph/StepList";
import { Button } from "../../kit/Button";
import { Empty, Panel, Problem } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import type { Result } from "../../protocol/wire";
import { useAct, useCall, usePage } from "../../shell/page";
import css from "./flows.module.css";
import { Node } from "./Node";
import { routesGraph, tried } from "./routes_graph";
import { Failed } from "./Told";
import { t } from "./words";

const GraphView = lazy(() => import("../../graph/GraphView"));

/** What routes.yaml holds, and which route a message would take. */
export function Routes() {
  const { value, error, reload } = useCall("route.get", {});
  const [opened, setOpened] = useState("");
  const found = useMemo(() => (value === null ? null : routesGraph(value)), [value]);
  return (
    <>
      <Try />
      <Panel title={t("routes")}>
        {error !== null && <Failed method="route.get" why={error} onAgain={reload} />}
        {value === null && error === null && <p>{t("loading")}</p>}
        {value !== null && value.faults.length > 0 && (
          <Problem>
            {t("faults")}
            {value.faults.slice(0, 100).map((fault) => (
              <span key={fault}>
                <br />
                <Said>{fault}</Said>
              </span>
            ))}
          </Problem>
        )}
        {value !== null && value.held !== "" && (
          <p>
            <Said>{t("held", { what: value.held })}</Said>
          </p>
        )}
        {value !== null && value.faults.length === 0 && found?.graph.nodes.length === 0 && <Empty>{t("noRoutes")}</Empty>}
        {found !== null && found.graph.nodes.length > 0 && (
          <>
            <div className={css.pane}>
              <Suspense fallback={<p>{t("loading")}</p>}>
                <GraphView graph={found.graph} selected={opened} label={t("graphRoutes")} onOpen={setOpened} />
              </Suspense>
            </div>
            {opened !== "" && <Node graph={found.graph} id={opened} about={found.about.get(opened) ?? null} onClose={() => setOpened("")} />}
            <StepList graph={found.graph} selected={opened} onOpen={setOpened} />
          </>
        )}
      </Panel>
    </>
  );
}

function Try() {
  const { connection } = usePage();
  const [text, setText] = useState("");
  const [answer, setAnswer] = useState<Result<"route.try"> | null>(null);
  const [busy, act] = useAct();
  const field = useId();
  return (
    <Panel title={t("tryTitle")}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== "") void act(async () => setAnswer(await connection.call("route.try", { text })));
        }}
      >
        <label htmlFor={field}>{t("tryText")}</label>
        <textarea id={field} rows={2} value={text} aria-describedby={`${field}-hint`} onChange={(event) => setText(event.target.value)} />
        <span id={`${field}-hint`} className={css.quiet}>
          {t("tryHint")}
        </span>
        <div>
          <Button type="submit" tone="main" busy={busy} disabled={text.trim() === ""}>
            {t("tryDo")}
          </Button>
        </div>
      </form>
      <div role="status">
        {answer !== null && (
          <>
            <p>
              <Said>{tried(answer)}</Said>
            </p>
            {answer.why.length > 0 && (
              <p>
                {t("because")} <Said>{answer.why.join(" · ")}</Said>
              </p>
            )}
          </>
        )}
      </div>
    </Panel>
  );
}
