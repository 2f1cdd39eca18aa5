import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { Link } from "wouter";
import type { LiveRow } from "../../protocol/generated";
import { Empty } from "../../kit/Panel";
import { useCall, useMay, usePage } from "../../shell/page";
import css from "./live.module.css";
import { Row } from "./Row";
import { Shelf, type Kept } from "./shelf";
import { Summary } from "./Summary";
import { asksBelow, grouped, type Node } from "./tree";
import { t } from "./words";

const SWEEP_MS = 500;

/** Everything that works or waits at this moment. */
export default function LiveView() {
  const { live } = usePage();
  const { rows, more, switch: all } = useSyncExternalStore(live.subscribe, live.view);
  const kept = useShelf();
  const groups = useMemo(() => grouped(kept), [kept]);
  const paused = usePausedRuns(rows);
  return (
    <>
      <h1 className="visually-hidden">{t("title")}</h1>
      <Summary rows={rows} paused={paused} />
      {rows === null && <Empty>{t("loading")}</Empty>}
      {rows !== null && groups.length === 0 && <Nothing />}
      {groups.map((group) => (
        <section key={group.name} className={css.group} aria-label={t(group.name)}>
          <h2>{t(group.name)}</h2>
          <Level nodes={group.nodes} paused={paused} still={all.paused} />
        </section>
      ))}
      {more && <Empty>{t("more")}</Empty>}
    </>
  );
}

function Level({ nodes, paused, still }: { nodes: readonly Node[]; paused: ReadonlySet<string>; still: boolean }) {
  return (
    <ul className={css.level}>
      {nodes.map((node) => (
        <li key={node.row.thread_id} data-gone={node.goneAt !== null || undefined} data-thread={node.row.thread_id}>
          <Row row={node.row} gone={node.goneAt !== null} asked={asksBelow(node)} paused={paused.has(node.row.thread_id)} still={still} />
          {node.children.length > 0 && <Level nodes={node.children} paused={paused} still={still} />}
        </li>
      ))}
    </ul>
  );
}

function Nothing() {
  const mayWrite = useMay("write");
  return (
    <section className={css.nothing} aria-label={t("nothing")}>
      <p>{t("nothing")}</p>
      {mayWrite && (
        <>
          <p className={css.quiet}>{t("next")}</p>
          <ul>
            <li>
              <Link href="/chat">{t("nextTalk")}</Link>: {t("nextTalkWhy")}
            </li>
            <li>
              <Link href="/beats">{t("nextBeatSet")}</Link>: {t("nextBeatWhy")}
            </li>
            <li>
              <Link href="/playbooks">{t("nextPlaybook")}</Link>: {t("nextPlaybookWhy")}
            </li>
          </ul>
        </>
      )}
    </section>
  );
}

function useShelf(): readonly Kept[] {
  const { live } = usePage();
  const [shelf] = useState(() => {
    const made = new Shelf();
    made.take(live.view().rows ?? new Map<string, LiveRow>(), Date.now());
    return made;
  });
  const [kept, setKept] = useState(() => shelf.view());
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (): void => {
      setKept(shelf.view());
      // One that is set stays: changes come faster than it, and would put it off for ever.
      if (!shelf.fading || timer !== undefined) return;
      timer = setTimeout(() => {
        timer = undefined;
        shelf.sweep(Date.now(), isHeld);
        show();
      }, SWEEP_MS);
    };
    const changed = (): void => {
      shelf.take(live.view().rows ?? new Map<string, LiveRow>(), Date.now());
      show();
    };
    changed();
    const end = live.subscribe(changed);
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [live, shelf]);
  return kept;
}

/** Whether somebody is in the row or below it, by keyboard. */
function isHeld(threadId: string): boolean {
  return document.activeElement?.closest(`[data-thread="${CSS.escape(threadId)}"]`) != null;
}

/** The most that the daemon tells at once. */
const MOST_RUNS = 200;
const NOBODY: ReadonlySet<string> = new Set();

/** The runs that stand still because somebody said so: rows do not say it. Asked for again when a run's row changes its doing. */
function usePausedRuns(rows: ReadonlyMap<string, LiveRow> | null): ReadonlySet<string> {
  const standing = [...(rows?.values() ?? [])]
    .filter((row) => row.kind === "playbook" && (row.doing.what === "waits" || row.doing.what === "queued"))
    .map((row) => `${row.thread_id} ${row.doing.since}`)
    .join();
  const { value, reload } = useCall("workflow.runs", { status: "paused", limit: MOST_RUNS }, standing !== "");
  useEffect(() => {
    if (standing !== "") reload();
  }, [standing, reload]);
  return useMemo(() => (value === null || standing === "" ? NOBODY : new Set(value.runs.map((run) => run.run))), [value, standing]);
}
