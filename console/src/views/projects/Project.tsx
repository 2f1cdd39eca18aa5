import { useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import { Button } from "../../kit/Button";
import { Markdown } from "../../kit/Markdown";
import { Badge, Empty, Panel, Problem } from "../../kit/Panel";
import { Said, visible } from "../../kit/Said";
import { Trouble } from "../../kit/Trouble";
import { useLookAgain } from "../../kit/useLookAgain";
import type { Params } from "../../protocol/wire";
import { useAct, useCall, useMay, usePage } from "../../shell/page";
import { Board } from "./Board";
import { cards, page, runsOf } from "./cards";
import { PlanDialog, WorkDialog } from "./PlanDialog";
import { Planning } from "./Planning";
import css from "./projects.module.css";
import { Progress } from "./Progress";
import { RunCard } from "./RunCard";
import { t } from "./words";

/** One project: its board, its file, its runs, and what can be done with it. */
export function Project({ name }: { name: string }) {
  const [planned, setPlanned] = useState<Params<"project.plan"> | null>(null);
  const [begun, setBegun] = useState<string | null>(null);
  const [dialog, setDialog] = useState<"plan" | "work" | null>(null);
  const loaded = useCall("project.get", { project: name });
  const { value, reload } = loaded;
  // An editor changes the file without a word to anybody.
  useLookAgain(reload);
  const all = useMemo(() => cards(value?.tasks ?? []), [value]);
  const file = useMemo(() => page(value?.text ?? ""), [value]);
  const runs = useMemo(() => {
    const known = runsOf(file.front);
    return begun === null || known.some((one) => one.run === begun) ? known : [{ run: begun, what: "work" as const }, ...known];
  }, [file, begun]);
  const may = useMay("write");
  return (
    <>
      <p className={css.tight}>
        <Link href="/projects">{t("back")}</Link>
      </p>
      <div className={css.bar}>
        <div className={css.row}>
          <h1>
            <Said>{value?.about.title === undefined || value.about.title === "" ? name : value.about.title}</Said>
          </h1>
          {value !== null && (
            <>
              <Badge>{visible(value.about.status)}</Badge>
              <Badge>{visible(value.about.priority)}</Badge>
              <Progress row={value.about} />
            </>
          )}
        </div>
        {may && value !== null && <Acts name={name} onPlan={() => setDialog("plan")} onWork={() => setDialog("work")} />}
      </div>
      {loaded.code === "not_found" && value === null ? <Problem>{visible(t("notThere", { name }))}</Problem> : <Trouble of={loaded} what={t("theProject")} />}
      {value === null && loaded.loading && <Empty>{t("loading")}</Empty>}
      {value !== null && value.about.trouble !== "" && <Problem>{visible(t("trouble", { why: value.about.trouble }))}</Problem>}
      {planned !== null && <Planning asked={planned} onMoved={reload} onWork={() => setDialog("work")} />}
      {value !== null && (
        <div className={css.beside}>
          <section aria-label={t("board")}>
            <h2 className="visually-hidden">{t("board")}</h2>
            <Board project={name} all={all} digest={value.digest} onMoved={reload} />
            <Panel title={t("runs")}>
              {runs.filter(({ run }) => planned === null || run !== file.front.plan).map(({ run, what }) => (
                <RunCard key={run} run={run} what={what} onMoved={reload} />
              ))}
              {runs.length === 0 && planned === null && <Empty>{t("noRuns")}</Empty>}
            </Panel>
          </section>
          <Panel title={t("file")}>
            <Markdown text={file.body} />
          </Panel>
        </div>
      )}
      {dialog === "plan" && (
        <PlanDialog
          project={name}
          onClose={() => setDialog(null)}
          onBegun={(asked) => {
            setPlanned(asked);
            setDialog(null);
          }}
        />
      )}
      {dialog === "work" && (
        <WorkDialog
          project={name}
          onClose={() => setDialog(null)}
          onBegun={(run) => {
            setBegun(run);
            setDialog(null);
            reload();
          }}
        />
      )}
    </>
  );
}

function Acts({ name, onPlan, onWork }: { name: string; onPlan: () => void; onWork: () => void }) {
  const { connection } = usePage();
  const [busy, act] = useAct();
  const [, navigate] = useLocation();
  return (
    <div className={css.row}>
      <Button
        busy={busy}
        onClick={() =>
          void act(async () => {
            const { thread_id } = await connection.call("thread.create", { project: name, request_id: crypto.randomUUID() });
            navigate(`/chat/${thread_id}`);
          })
        }
      >
        {t("talk")}
      </Button>
      <Button onClick={onPlan}>{t("plan")}</Button>
      <Button tone="main" onClick={onWork}>
        {t("work")}
      </Button>
    </div>
  );
}
