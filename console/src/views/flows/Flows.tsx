import { lazy, Suspense, useMemo, useState } from "react";
import { StepList } from "../../graph/StepList";
import { Empty, Panel } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import { useCall } from "../../shell/page";
import css from "./flows.module.css";
import { Node } from "./Node";
import { flowGraph } from "./routes_graph";
import { Failed } from "./Told";
import { t } from "./words";

const GraphView = lazy(() => import("../../graph/GraphView"));

export function Flows({ name }: { name: string }) {
  const { value, error, reload } = useCall("flow.list", {});
  return (
    <Panel title={t("flows")}>
      {error !== null && <Failed method="flow.list" why={error} onAgain={reload} />}
      {value === null && error === null && <p>{t("loading")}</p>}
      {value?.flows.length === 0 && <Empty>{t("noFlows")}</Empty>}
      {value !== null && value.flows.length > 0 && (
        <div className={css.split}>
          <nav aria-label={t("flows")}>
            <ul className={css.names}>
              {value.flows.slice(0, 500).map((flow) => (
                <li key={flow.flow}>
                  <a href={`#/flows/flow/${encodeURIComponent(flow.flow)}`} aria-current={flow.flow === name ? "page" : undefined}>
                    <Said>{flow.flow}</Said>
                    {flow.file !== "" && (
                      <div className={css.quiet}>
                        <Said>{flow.file}</Said>
                      </div>
                    )}
                    {flow.faults.slice(0, 3).map((fault) => (
                      <div key={fault} className={css.trouble}>
                        <Said>{fault}</Said>
                      </div>
                    ))}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          {name === "" ? <p className={css.quiet}>{t("choose")}</p> : <Flow key={name} name={name} />}
        </div>
      )}
    </Panel>
  );
}

function Flow({ name }: { name: string }) {
  const { value, error, reload } = useCall("flow.get", { flow: name });
  const [opened, setOpened] = useState("");
  const graph = useMemo(() => (value === null ? null : flowGraph(value)), [value]);
  if (graph === null) return error === null ? <p>{t("loading")}</p> : <Failed method="flow.get" why={error} onAgain={reload} />;
  if (graph.nodes.length === 0) return <p>{t("unusable")}</p>;
  return (
    <div>
      <div className={css.pane}>
        <Suspense fallback={<p>{t("loading")}</p>}>
          <GraphView graph={graph} selected={opened} label={t("graphOf", { name })} onOpen={setOpened} />
        </Suspense>
      </div>
      {opened !== "" && <Node graph={graph} id={opened} about={null} onClose={() => setOpened("")} />}
      <StepList graph={graph} selected={opened} onOpen={setOpened} />
    </div>
  );
}
