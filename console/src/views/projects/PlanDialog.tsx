import { useId, useState } from "react";
import { Dialog, Foot } from "../../kit/Dialog";
import { visible } from "../../kit/Said";
import type { Params } from "../../protocol/wire";
import { useAct, useCall, usePage } from "../../shell/page";
import css from "./projects.module.css";
import { t } from "./words";

/** Asks for a goal, and has it planned. A project that there is not is made by its plan. */
export function PlanDialog({ project, onClose, onBegun }: { project: string | null; onClose: () => void; onBegun: (asked: Params<"project.plan">) => void }) {
  const { connection } = usePage();
  const [busy, act] = useAct();
  const [name, setName] = useState(project ?? "");
  const [goal, setGoal] = useState("");
  const [remarks, setRemarks] = useState("");
  const [agent, setAgent] = useState("");
  const [request] = useState(() => crypto.randomUUID());
  const id = useId();
  return (
    <Dialog title={project === null ? t("newPlan") : t("planTitle", { name: visible(project) })} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          const asked: Params<"project.plan"> = { project: name, goal: goal.trim(), request_id: request };
          if (remarks.trim() !== "") asked.remarks = remarks.trim();
          if (agent !== "") asked.agent = agent;
          void act(() => connection.call("project.plan", asked)).then((done) => {
            if (done) onBegun(asked);
          });
        }}
      >
        {project === null && (
          <div className={css.field}>
            <label htmlFor={`${id}-name`}>{t("name")}</label>
            <input
              id={`${id}-name`}
              required
              pattern="[a-z0-9_\-]{1,64}"
              title={t("nameHint")}
              aria-describedby={`${id}-hint`}
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
            <span id={`${id}-hint`} className={css.quiet}>
              {t("nameHint")}
            </span>
          </div>
        )}
        <div className={css.field}>
          <label htmlFor={`${id}-goal`}>{t("goal")}</label>
          <textarea id={`${id}-goal`} required rows={2} placeholder={t("goalHint")} value={goal} onChange={(event) => setGoal(event.target.value)} />
        </div>
        <div className={css.field}>
          <label htmlFor={`${id}-remarks`}>{t("remarks")}</label>
          <textarea id={`${id}-remarks`} rows={2} value={remarks} onChange={(event) => setRemarks(event.target.value)} />
        </div>
        <AgentField label={t("planner")} usual={t("plannerUsual")} value={agent} onChange={setAgent} />
        <Foot act={t("begin")} busy={busy} onClose={onClose} />
      </form>
    </Dialog>
  );
}

/** Asks how a project is to be worked on, and begins it. */
export function WorkDialog({ project, onClose, onBegun }: { project: string; onClose: () => void; onBegun: (run: string) => void }) {
  const { connection, tell } = usePage();
  const [busy, act] = useAct();
  const [strategy, setStrategy] = useState<"" | "sequential" | "parallel" | "dag">("");
  const [tasks, setTasks] = useState("1");
  const [minutes, setMinutes] = useState("120");
  const [tokens, setTokens] = useState("");
  const [agent, setAgent] = useState("");
  const [request] = useState(() => crypto.randomUUID());
  const id = useId();
  const figure = { type: "number", inputMode: "numeric", step: 1 } as const;
  return (
    <Dialog title={t("workTitle", { name: visible(project) })} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          const asked: Params<"project.work"> = { project, tasks: Number(tasks), time_limit_min: Number(minutes), request_id: request };
          if (strategy !== "") asked.strategy = strategy;
          if (tokens !== "") asked.tokens = Number(tokens);
          if (agent !== "") asked.agent = agent;
          void act(async () => {
            const begun = await connection.call("project.work", asked);
            tell(t("workBegun"));
            onBegun(begun.run);
          });
        }}
      >
        <div className={css.field}>
          <label htmlFor={`${id}-strategy`}>{t("strategy")}</label>
          <select id={`${id}-strategy`} value={strategy} onChange={(event) => setStrategy(event.target.value as typeof strategy)}>
            <option value="">{t("strategy_")}</option>
            <option value="sequential">{t("strategy_sequential")}</option>
            <option value="parallel">{t("strategy_parallel")}</option>
            <option value="dag">{t("strategy_dag")}</option>
          </select>
        </div>
        <div className={css.field}>
          <label htmlFor={`${id}-tasks`}>{t("tasks")}</label>
          <input id={`${id}-tasks`} {...figure} required min={1} max={20} value={tasks} onChange={(event) => setTasks(event.target.value)} />
        </div>
        <div className={css.field}>
          <label htmlFor={`${id}-minutes`}>{t("minutes")}</label>
          <input id={`${id}-minutes`} {...figure} required min={1} max={1440} value={minutes} onChange={(event) => setMinutes(event.target.value)} />
        </div>
        <div className={css.field}>
          <label htmlFor={`${id}-tokens`}>{t("tokens")}</label>
          <input id={`${id}-tokens`} {...figure} min={1} value={tokens} onChange={(event) => setTokens(event.target.value)} />
        </div>
        <AgentField label={t("agent")} usual={t("homeAgent")} value={agent} onChange={setAgent} />
        <Foot act={t("begin")} busy={busy} onClose={onClose} />
      </form>
    </Dialog>
  );
}

function AgentField({ label, usual, value, onChange }: { label: string; usual: string; value: string; onChange: (agent: string) => void }) {
  const agents = useCall("agent.list", {});
  const id = useId();
  return (
    <div className={css.field}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{usual}</option>
        {agents.value?.agents.map((agent) => (
          <option key={agent.id} value={agent.id}>
            {visible(agent.id)}
          </option>
        ))}
      </select>
    </div>
  );
}
