import { useEffect } from "react";
import { Button } from "../../kit/Button";
import { Panel, Problem } from "../../kit/Panel";
import { Said, visible } from "../../kit/Said";
import { Trouble } from "../../kit/Trouble";
import type { Params } from "../../protocol/wire";
import { useCall } from "../../shell/page";
import { isActive, planOf } from "./cards";
import css from "./projects.module.css";
import { RunCard } from "./RunCard";
import { t } from "./words";

/**
 * A planning that this page has asked for: its run, and the plan when it is there, before anything is done of it.
 *
 * @param asked what it was asked with; asked again with the same `request_id`, the daemon says how it stands.
 */
export function Planning({ asked, onMoved, onWork }: { asked: Params<"project.plan">; onMoved: () => void; onWork: () => void }) {
  const loaded = useCall("project.plan", asked);
  const { reload, value } = loaded;
  const active = value === null || isActive(value.status);
  useEffect(() => {
    if (!active) return;
    const timer = setInterval(reload, 2500);
    return () => clearInterval(timer);
  }, [active, reload]);
  useEffect(() => {
    if (!active) onMoved();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once, when it is over
  }, [active]);
  const plan = value?.plan == null ? null : planOf(value.plan);
  return (
    <Panel title={visible(t("planning", { goal: asked.goal }))}>
      <Trouble of={loaded} what={t("theRun")} />
      {value !== null && <RunCard key={value.status} run={value.run} what="plan" onMoved={onMoved} />}
      {value !== null && value.trouble !== "" && <Problem>{visible(t("planFailed", { why: value.trouble }))}</Problem>}
      {plan !== null && (
        <>
          <h3>{t("thePlan")}</h3>
          {plan.strategy !== "" && <p className={css.quiet}>{visible(t("strategyIs", { strategy: plan.strategy }))}</p>}
          <ol className={css.plan}>
            {plan.tasks.map((task) => (
              <li key={task.id}>
                <Said>{task.title === "" ? task.id : task.title}</Said> <code className={css.id}>{visible(task.id)}</code>
                {task.description !== "" && task.description !== task.title && (
                  <div>
                    <Said>{task.description}</Said>
                  </div>
                )}
                <div className={css.quiet}>
                  {[
                    task.after.length > 0 ? t("needs", { ids: task.after.join(", ") }) : "",
                    task.agent !== "" ? t("by", { agent: task.agent }) : "",
                    task.success !== "" ? t("success", { what: task.success }) : "",
                  ]
                    .filter((line) => line !== "")
                    .map((line) => (
                      <div key={line}>
                        <Said>{line}</Said>
                      </div>
                    ))}
                </div>
              </li>
            ))}
          </ol>
          <p>{t("planStands")}</p>
          <Button tone="main" onClick={onWork}>
            {t("workOnPlan")}
          </Button>
        </>
      )}
    </Panel>
  );
}
