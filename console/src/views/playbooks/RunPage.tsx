import { lazy, Suspense, useId, useMemo, useRef, useState } from "react";
import type { Graph, NodeState } from "../../graph/graph";
import { StepList } from "../../graph/StepList";
import { Button } from "../../kit/Button";
import { Dialog, Foot } from "../../kit/Dialog";
import { Badge, Panel, Problem } from "../../kit/Panel";
import { Said, visible } from "../../kit/Said";
import type { PlayDetail } from "../../protocol/generated";
import { useAct, useCall, useMay, useNow, usePage } from "../../shell/page";
import { count, dayAndClock, duration, spent } from "../../text/figures";
import type { ChildItem } from "../../thread/items";
import { editAddress, runAddress } from "./address";
import { InputsForm } from "./InputsForm";
import css from "./playbooks.module.css";
import { inputSpecs } from "./run/inputs";
import { openQuestions } from "./run/log";
import { acts, againWord, byStep, isOver, nodeStates, runState, stepAtWork, tookS } from "./run/states";
import { stepsTold, waitedS } from "./run/spent";
import { RunQuestions } from "./RunQuestions";
import { Log, RunStep, Value } from "./RunStep";
import { stepsGraph } from "./text/steps_graph";
import { useSketch } from "./text/use_sketch";
import { useRun } from "./use_run";
import { t } from "./words";

const GraphView = lazy(() => import("../../graph/GraphView"));

/** A run on the graph of the text that it began with, as it goes on or as it went. */
export default function RunPage({ name, run }: { name: string; run: string }) {
  const { connection } = usePage();
  const write = useMay("write");
  const { detail, error, thread, look } = useRun(run);
  // The address may name another one: a run that this one is a step of, or that it handed over to.
  const text = useCall("workflow.get", { playbook: detail?.about.playbook ?? name, run }, detail !== null);
  const [opened, setOpened] = useState("");
  const [dialog, setDialog] = useState<"cancel" | { readonly fork: string } | null>(null);
  const [busy, act] = useAct();
  const tools = useRef<HTMLDivElement>(null);

  const of = useSketch(text.value?.text ?? null);
  const rows = useMemo(() => detail?.steps ?? [], [detail]);
  const flat = useMemo(() => (of === null ? rowsGraph(rows.map((row) => ({ id: row.at.split("@")[0] ?? row.at, kind: row.kind }))) : null), [of, rows]);
  const graph = useMemo(() => (of === null ? (flat ?? { nodes: [], edges: [] }) : stepsGraph(of)), [of, flat]);
  const states = useMemo(() => {
    const ids = of?.steps.map((step) => step.id) ?? graph.nodes.map((node) => node.id);
    const found = nodeStates(ids, rows);
    return of === null ? found : new Map(of.steps.flatMap((step): [string, NodeState][] => { const state = found.get(step.id); return state === undefined ? [] : [[step.key, state]]; }));
  }, [of, graph, rows]);
  const atWork = useMemo(() => {
    const id = stepAtWork(rows);
    return of === null ? id : (of.steps.find((one) => one.id === id)?.key ?? "");
  }, [of, rows]);
  // Nobody waits any more for what a run that is over had asked, though the log of one below it may end with the question.
  const over = detail !== null && isOver(detail.about.status);
  const questions = useMemo(() => (over ? [] : openQuestions(thread.view)), [over, thread.view]);
  const children = thread.view.items.filter((item): item is ChildItem => item.kind === "child");

  // What a step's playbook does is a run of its own; all other threads below are conversations.
  const inner = useMemo(() => new Set(of?.steps.flatMap((one) => (one.kind === "playbook" ? [one.detail] : []))), [of]);

  if (detail === null) {
    return error === null ? (
      <p>{t("loadingRun")}</p>
    ) : (
      <Problem>
        <Said>{t("loadFailed", { why: error })}</Said> <Button onClick={look}>{t("again")}</Button> <a href="#/playbooks/runs">{t("allRuns")}</a>
      </Problem>
    );
  }
  const { about } = detail;
  const may = acts(about);
  const standing = runState(about.status, rows, questions.length > 0);
  const step = of?.steps.find((one) => one.key === opened);
  const stepId = step?.id ?? (of === null ? opened : "");
  const ask = (what: () => Promise<unknown>): void =>
    void act(async () => {
      await what();
      look();
    }).then(() => tools.current?.querySelector("button")?.focus());
  return (
    <>
      <div className={css.between}>
        <div className={css.row}>
          <a href={editAddress(about.playbook)}>
            <Said>{about.playbook}</Said>
          </a>
          <h1>
            <Said>{t("runOf", { name: about.playbook })}</Said>
          </h1>
          <Badge tone={standing.tone}>{standing.word}</Badge>
        </div>
        {write && (
          <div className={css.row} ref={tools}>
            {(may.pause || may.resume) && (
              <Button busy={busy} tone={may.resume ? "main" : "plain"} onClick={() => ask(() => connection.call(may.pause ? "workflow.pause" : "workflow.resume", { run }))}>
                {may.pause ? t("pause") : t("resume")}
              </Button>
            )}
            {may.step && (
              <Button busy={busy} onClick={() => ask(() => connection.call("workflow.step", { run }))}>
                {t("oneStep")}
              </Button>
            )}
            {may.again && (
              <Button busy={busy} tone="main" onClick={() => ask(() => connection.call("workflow.resume", { run }))}>
                {againWord(about.status)}
              </Button>
            )}
            {may.cancel && (
              <Button tone="bad" onClick={() => setDialog("cancel")}>
                {t("cancelRun")}
              </Button>
            )}
          </div>
        )}
      </div>
      <Facts detail={detail} />
      {error !== null && (
        <Problem>
          <Said>{t("loadFailed", { why: error })}</Said>
        </Problem>
      )}
      {about.status === "failed" && about.failure !== "" && (
        <Problem>
          <Said>{`${t("failure")}: ${about.failure}`}</Said>
        </Problem>
      )}
      <p className="visually-hidden" role="status">
        {t("nowIs", { word: standing.word, done: about.done })}
      </p>
      <RunQuestions questions={questions} view={thread.view} />
      {of === null && text.error !== null && (
        <p className={css.quiet}>
          <Said>{t("textGone", { why: text.error })}</Said>
        </p>
      )}
      <div className={css.live} data-open={opened !== "" && stepId !== ""}>
        <div className={css.half}>
          <div className={css.pane}>
            <Suspense fallback={<p>{t("loading")}</p>}>
              <GraphView graph={graph} states={states} selected={opened} followed={over ? undefined : atWork} label={t("graphLabel")} onOpen={setOpened} />
            </Suspense>
          </div>
          <StepList graph={graph} states={states} selected={opened} onOpen={setOpened} />
        </div>
        {opened !== "" && stepId !== "" && (
          <RunStep
            key={opened}
            run={run}
            id={opened}
            title={step === undefined || step.title === "" ? stepId : step.title}
            rows={byStep(rows).get(stepId) ?? []}
            records={thread.records}
            busy={busy}
            onClose={() => {
              setOpened("");
              document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(opened)}"]`)?.focus();
            }}
            onFrom={write && may.from ? (at) => ask(() => connection.call("workflow.resume", { run, steps: [at] })) : undefined}
            onFork={write ? (at) => setDialog({ fork: at }) : undefined}
          />
        )}
      </div>
      <Panel title={t("inOut")}>
        <Value run={run} step="" title={t("inputs")} value={detail.inputs} />
        {Object.keys(detail.outputs).length > 0 && <Value run={run} step="" title={t("outputs")} value={detail.outputs} />}
      </Panel>
      {children.length > 0 && (
        <Panel title={t("conversations")}>
          <ul className={css.log}>
            {children.slice(-100).map((child) => (
              <li key={child.key}>
                <a href={inner.has(child.task) ? runAddress(child.task, child.childThreadId) : `#/chat/${child.childThreadId}`}>
                  <Said>{t("openThread", { agent: child.agent, task: child.task.slice(0, 120) || child.childThreadId })}</Said>
                </a>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <Panel title={t("panelLog")}>
        <Log records={thread.records} step={null} />
      </Panel>
      {dialog === "cancel" && <CancelDialog run={run} onClose={() => setDialog(null)} onDone={look} />}
      {dialog !== null && dialog !== "cancel" && (
        <ForkDialog
          detail={detail}
          at={dialog.fork}
          specs={inputSpecs((text.value?.about.inputs ?? {}))}
          onClose={() => setDialog(null)}
        />
      )}
    </>
  );
}

function Facts({ detail }: { detail: PlayDetail }) {
  const { about } = detail;
  const now = useNow(1);
  const [took, waited] = [tookS(about, now), waitedS(detail.steps, now)];
  const parts = [
    dayAndClock(about.started_at), waited < 1 ? took : t("tookWaited", { took, waited: duration(waited) }),
    stepsTold(about), t("tokensOf", { count: count(about.tokens) }),
    spent(about.cost, about.tokens), t("trigger", { what: about.trigger }),
  ];
  return (
    <p className={css.quiet}>
      <Said>{parts.filter(Boolean).join(" · ")}</Said>{" "}
      {about.tainted && <Badge tone="warn">{t("tainted")}</Badge>}{" "}
      {detail.forked_from !== "" && (
        <a href={runAddress(about.playbook, detail.forked_from)}>
          <Said>{t("forkedFrom", { run: detail.forked_from })}</Said>
        </a>
      )}{" "}
      {(detail.successor ?? "") !== "" && (
        <a href={runAddress(about.playbook, detail.successor ?? "")}>
          <Said>{t("successor", { run: detail.successor ?? "" })}</Said>
        </a>
      )}{" "}
      {about.parent !== "" && (
        <a href={runAddress(about.playbook, about.parent)}>
          <Said>{t("parent", { run: about.parent })}</Said>
        </a>
      )}{" "}
      {(about.behind ?? []).length > 0 && <Said>{t("behind", { runs: (about.behind ?? []).join(", ") })}</Said>}
    </p>
  );
}

function CancelDialog({ run, onClose, onDone }: { run: string; onClose: () => void; onDone: () => void }) {
  const { connection } = usePage();
  const [busy, act] = useAct();
  const [why, setWhy] = useState("");
  const field = useId();
  return (
    <Dialog title={t("cancelRun")} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          void act(() => connection.call("workflow.cancel", { run, why })).then((done) => {
            if (!done) return;
            onDone();
            onClose();
          });
        }}
      >
        <p>{t("cancelAsk")}</p>
        <div className={css.field}>
          <label htmlFor={field}>{t("why")}</label>
          <input id={field} value={why} maxLength={200} onChange={(event) => setWhy(event.target.value)} />
        </div>
        <Foot act={t("cancelRun")} tone="bad" busy={busy} leave={t("close")} onClose={onClose} />
      </form>
    </Dialog>
  );
}

function ForkDialog({ detail, at, specs, onClose }: { detail: PlayDetail; at: string; specs: ReturnType<typeof inputSpecs>; onClose: () => void }) {
  const { connection } = usePage();
  const [busy, act] = useAct();
  const [request] = useState(() => `con-${crypto.randomUUID()}`);
  const { run, playbook } = detail.about;
  return (
    <Dialog title={t("forkTitle", { step: visible(at) })} onClose={onClose}>
      <p>{t("forkHint")}</p>
      <InputsForm
        specs={specs}
        values={detail.inputs}
        act={t("forkDo")}
        busy={busy}
        onValues={(inputs) =>
          void act(async () => {
            const same = JSON.stringify(sorted(inputs)) === JSON.stringify(sorted(detail.inputs));
            const begun = await connection.call("workflow.fork", { run, steps: [at], inputs: (same ? null : inputs), request_id: request });
            location.hash = runAddress(playbook, begun.run);
          })
        }
      />
    </Dialog>
  );
}

function sorted(values: Readonly<Record<string, unknown>>): unknown[] {
  return Object.entries(values).sort(([one], [other]) => one.localeCompare(other));
}

/** Steps of which only the rows are known, without what leads to what. */
function rowsGraph(steps: readonly { id: string; kind: string }[]): Graph {
  const seen = new Map(steps.map((step) => [step.id, step]));
  return { nodes: [...seen.values()].map((step) => ({ id: step.id, kind: step.kind, label: step.id, detail: "", within: null, group: false })), edges: [] };
}
