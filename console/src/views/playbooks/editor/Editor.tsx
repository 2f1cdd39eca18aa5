import { lazy, startTransition, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { stepsGraph } from "../text/steps_graph";
import type { Over } from "../../../graph/graph";
import { StepList } from "../../../graph/StepList";
import { Button } from "../../../kit/Button";
import { Dialog } from "../../../kit/Dialog";
import { orOlder } from "../../../kit/older";
import { Badge, Panel, Problem } from "../../../kit/Panel";
import { Said, visible } from "../../../kit/Said";
import { Sides } from "../../../kit/Sides";
import { useThread } from "../../../kit/useBeside";
import { RpcError } from "../../../protocol/errors";
import { useAct, useMay, usePage, useStanding } from "../../../shell/page";
import { editAddress } from "../address";
import type { EditorHandle } from "../code/CodeEditor";
import { saves } from "../code/keys";
import { draftOf, keepDraft } from "../draft";
import { Palette } from "../Palette";
import css from "../playbooks.module.css";
import { inputSpecs } from "../run/inputs";
import { Rehearsal, type Rehearsed } from "../Rehearsal";
import { readCases, readWays } from "../run/rehearsal";
import { idOf } from "../run/states";
import { RunTable } from "../RunTable";
import { useRuns } from "../runs";
import { StepPanel } from "../StepPanel";
import { CannotEdit, connect, deleteStep, disconnect, insertStep, type Edit } from "../text/edit";
import { faultRange, readFault, refusals, toCheck, type Fault } from "../text/faults";
import { looked } from "../text/looked";
import { endOf, NO_STEPS, outline, stepAt, type Kind, type Sketch } from "../text/outline";
import { renameStep } from "../text/rename";
import { outlineThread } from "../text/use_sketch";
import { t } from "../words";
import { DeleteDialog, DryDialog, RunDialog } from "./Dialogs";
import { cannot, spotOf, useSame, wayStates } from "./drawn";
import { FaultList, Faults } from "./Faults";
import { findSaved, type Saved } from "./saved";
import { useNames } from "./useNames";

const CodeEditor = lazy(() => import("../code/CodeEditor"));
const GraphView = lazy(() => import("../../../graph/GraphView"));

/** How long the writer has to pause before a text is read, and one that is long. */
const SHORT_MS = 120;
const LONG_MS = 400;
const LONG_CHARS = 10_000;
/** Between two looks at the file, in case another program has written to it. */
const LOOK_MS = 10_000;

/** Its text beside its graph. What is in the text decides; the graph shows it, and changes it. */
export function Editor({ name, first }: { name: string; first: Saved }) {
  const { connection, tell } = usePage();
  const admin = useMay("admin");
  const write = useMay("write");
  const [saved, setSaved] = useState(first);
  const [begun] = useState(() => (admin ? (draftOf(name) ?? first.text) : first.text));
  const [text, setText] = useState(begun);
  const [restored, setRestored] = useState(begun !== first.text);
  const [faults, setFaults] = useState<readonly Fault[] | null>(null);
  const [selected, setSelected] = useState("");
  const [opened, setOpened] = useState("");
  const [naming, setNaming] = useState("");
  const [conflict, setConflict] = useState<Saved | null>(null);
  const [changed, setChanged] = useState<Saved | null>(null);
  const [refused, setRefused] = useState<readonly Fault[]>([]);
  const [noted, setNoted] = useState<"" | "taken" | "gone">("");
  const [dialog, setDialog] = useState<"run" | "dry" | "delete" | "gone" | null>(null);
  const [rehearsed, setRehearsed] = useState<Rehearsed | null>(null);
  const [way, setWay] = useState(0);
  const [told, setTold] = useState({ line: "", of: "" });
  const [busy, act] = useAct();
  const handle = useRef<EditorHandle | null>(null);
  const [ready, setReady] = useState(false);
  const names = useNames();

  const [{ shown, of }, setParsed] = useState({ shown: "", of: NO_STEPS });
  const read = useRef({ shown, of });
  const cursor = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const show = useCallback((parsed: typeof read.current) => {
    read.current = parsed;
    // It is drawn in pieces, between which letters have their turn.
    startTransition(() => {
      setParsed(parsed);
      setSelected(stepAt(parsed.of, cursor.current, parsed.shown)?.key ?? "");
    });
  }, []);
  const ask = useThread<string, Sketch>(outlineThread, (asked, of) => {
    // What was written meanwhile is read when the writer pauses.
    if (asked === (handle.current?.text() ?? begun)) show({ shown: asked, of });
  });
  useEffect(() => ask(begun), [ask, begun]);
  // Reading the text and drawing its graph waits until the writer pauses: each letter is there at once, however long the text.
  const settle = useCallback(() => {
    if (timer.current !== null) clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const now = handle.current?.text();
      if (now === undefined) return;
      if (read.current.shown === now) show(read.current);
      else ask(now);
    }, (handle.current?.text().length ?? 0) > LONG_CHARS ? LONG_MS : SHORT_MS);
  }, [ask, show]);
  const graph = useSame(useMemo(() => stepsGraph(of), [of]));
  const states = useMemo(() => (rehearsed === null ? undefined : wayStates(rehearsed, way)), [rehearsed, way]);
  const isNew = saved.digest === null;
  const dirty = isNew || text !== saved.text;

  useEffect(() => {
    if (!admin) return;
    const timer = setTimeout(() => keepDraft(name, dirty ? text : null), 300);
    return () => clearTimeout(timer);
  }, [admin, name, text, dirty]);
  const left = useRef({ dirty, text });
  useEffect(() => {
    left.current = { dirty: dirty && admin, text };
  });
  useEffect(
    () => () => {
      if (!left.current.dirty) return;
      keepDraft(name, left.current.text);
      tell(t("leftUnsaved", { name: visible(name) }));
    },
    [name, tell],
  );

  const say = useCallback((line: string) => setTold({ line, of: handle.current?.text() ?? "" }), []);
  const check = useCallback(
    async (now: string) => (await connection.call("workflow.check", { text: now, file: `${name}.yaml` })).faults,
    [connection, name],
  );

  const change = useCallback(
    (make: (now: string) => Edit, done: (edit: Edit) => string, opens = false): string => {
      const editor = handle.current;
      if (editor === null) return "";
      try {
        const edit = make(editor.text());
        if (edit.changes.length > 0) editor.apply(edit);
        if (edit.select !== "") {
          const shown = editor.text();
          const now = outline(shown);
          const step = now.steps.find((one) => one.key === edit.select);
          if (opens) {
            // At once, and not when the writer pauses: the panel with the focus in it stays open.
            setParsed({ shown, of: now });
            setOpened(edit.select);
          }
          if (step !== undefined) editor.show(endOf(step, shown), step.from);
        }
        say(done(edit));
        return edit.select;
      } catch (error) {
        if (!(error instanceof CannotEdit)) throw error;
        tell(cannot(error), "bad");
        return "";
      }
    },
    [say, tell],
  );

  const open = useCallback(
    (key: string) => {
      const step = read.current.of.steps.find((one) => one.key === key);
      setSelected(key);
      setNaming("");
      setOpened(step === undefined ? "" : key);
      if (step !== undefined) handle.current?.show(endOf(step, read.current.shown), step.from);
    },
    [],
  );

  const marked = useRef("");
  useEffect(() => {
    marked.current = selected;
  });
  const add = useCallback(
    (kind: Kind, over: Over | null = null): void =>
      setNaming(change((now) => insertStep(now, kind, spotOf(outline(now), over ?? { node: marked.current })), (edit) => t("added", { id: edit.select }), true)),
    [change],
  );
  // The same for as long as it is open: a graph whose text has another note alone is not drawn again.
  const byGraph = useMemo(() => ({
    connect: (from: string, to: string) => void change((now) => connect(now, from, to), () => t("connected", { from, to })),
    disconnect: (from: string, to: string) => {
      const implied = read.current.of.steps.find((step) => step.key === to)?.needs.some((need) => !need.said && need.id === from) ?? false;
      if (implied) tell(t("impliedEdge", { from, to }));
      else change((now) => disconnect(now, from, to), () => t("cut", { from, to }));
    },
    remove: (key: string) => {
      if (!read.current.of.steps.some((step) => step.key === key)) return;
      setOpened("");
      change((now) => deleteStep(now, key), () => t("removed", { id: key }));
    },
    rename: (key: string, id: string) => {
      if (change((now) => renameStep(now, key, id), () => t("renamed", { id }), true) !== "") setNaming("");
    },
    drop: (what: string, over: Over | null) => add(what as Kind, over),
  }), [add, change, tell]);

  const standing = useStanding().state === "open";
  const latest = useRef({ saved, text, busy });
  useEffect(() => {
    latest.current = { saved, text, busy };
  });
  const look = useCallback(async () => {
    const before = latest.current.saved;
    const found = before.digest === null ? null : await findSaved(connection.call("workflow.get", { playbook: name }));
    // What was saved from here in the meantime is newer than the answer.
    if (found === undefined || latest.current.busy || latest.current.saved.digest !== before.digest) return null;
    const what = looked(before, handle.current?.text() ?? latest.current.text, found);
    if (what === "gone") {
      setSaved({ ...before, digest: null });
      setNoted("gone");
      setChanged(null);
    } else if (found !== null && what === "conflict") {
      setChanged(found);
      return found;
    } else if (found !== null && what !== "same") {
      if (what === "take") {
        handle.current?.replace(found.text);
        setNoted("taken");
      }
      setSaved(found);
      setChanged(null);
    }
    return what === "gone" ? what : null;
  }, [connection, name]);
  useEffect(() => {
    if (!standing) return;
    const seen = (): void => {
      if (document.visibilityState === "visible" && !latest.current.busy) void look();
    };
    const timer = setInterval(seen, LOOK_MS);
    window.addEventListener("focus", seen);
    document.addEventListener("visibilitychange", seen);
    return () => {
      clearInterval(timer);
      window.removeEventListener("focus", seen);
      document.removeEventListener("visibilitychange", seen);
    };
  }, [look, standing]);
  /** What is done with what is saved begins with a look at it: it is done only with what is shown here. */
  const looking = (then: () => void): void =>
    void look().then((what) => {
      if (what === null) then();
      else if (what !== "gone") setConflict(what);
    });

  const save = (digest: string | null): Promise<boolean> =>
    act(async () => {
      const now = handle.current?.text() ?? text;
      const called = outline(now).name;
      if (called !== "" && called !== name) throw new Error(t("nameDiffers", { said: called, name }));
      try {
        const answer = await orOlder("workflow.save", connection.call("workflow.save", { playbook: name, text: now, digest }));
        const kept = await connection.call("workflow.get", { playbook: name }).catch(() => null);
        setSaved({
          text: now, digest: answer.saved,
          inputs: (kept?.about.inputs ?? saved.inputs), trouble: kept?.about.trouble ?? "",
        });
        keepDraft(name, null);
        setRestored(false);
        setConflict(null);
        setChanged(null);
        setNoted("");
        setRefused([]);
        say(t("saved"));
        left.current = { dirty: false, text: now };
        if (isNew) location.hash = editAddress(name);
      } catch (error) {
        const why = error instanceof RpcError ? refusals(error.code, (await check(toCheck(now)).catch((): string[] => [])).map(readFault)) : [];
        if (why.length > 0) {
          setConflict(null);
          setRefused(why);
          return;
        }
        if (!(error instanceof RpcError && (error.code === "conflict" || (error.code === "not_found" && digest !== null)))) throw error;
        const theirs = await findSaved(connection.call("workflow.get", { playbook: name }));
        if (theirs === undefined) throw error;
        if (theirs !== null) {
          setConflict(theirs);
          return;
        }
        setSaved((before) => ({ ...before, digest: null }));
        setNoted("gone");
        setConflict(null);
        setChanged(null);
      }
    });

  /** Somebody has deleted the file: it is written again only if the person says so. */
  const begin = (): void => {
    if (noted === "gone") setDialog("gone");
    else void save(saved.digest);
  };

  const take = (theirs: Saved): void => {
    handle.current?.replace(theirs.text);
    setSaved(theirs);
    setConflict(null);
    setChanged(null);
    setNoted("");
    setRestored(false);
    keepDraft(name, null);
  };

  const tests = (): Promise<boolean> =>
    act(async () => {
      const now = handle.current?.text() ?? text;
      const answer = await orOlder("workflow.test", connection.call("workflow.test", { playbook: name, text: now }));
      setRehearsed({ what: "tests", text: now, ...readCases(answer) });
    });

  const byKey = useRef<() => void>(() => undefined);
  useEffect(() => {
    byKey.current = () => {
      if (admin && dirty && !busy && dialog === null && conflict === null) begin();
    };
  });
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (!saves(event)) return;
      event.preventDefault();
      byKey.current();
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, []);

  const specs = useMemo(() => inputSpecs(saved.inputs), [saved.inputs]);
  const step = of.steps.find((one) => one.key === opened);
  const toFault = (fault: Fault): void => {
    const { from } = faultRange(text, fault);
    handle.current?.show(from, from, true);
  };
  return (
    <>
      <div className={css.between}>
        <div className={css.row}>
          <a href="#/playbooks">{t("back")}</a>
          <h1>
            <Said>{name}</Said>
          </h1>
          {dirty && admin && <Badge tone="warn">{t("unsaved")}</Badge>}
        </div>
        <div className={css.row}>
          {write && !isNew && (
            <Button tone={dirty && admin ? "plain" : "main"} disabled={saved.trouble !== ""} onClick={() => looking(() => setDialog("run"))}>
              {t("runWith")}
            </Button>
          )}
          {!isNew && (
            <>
              <Button onClick={() => looking(() => setDialog("dry"))}>{t("dryRun")}</Button>
              <Button busy={busy} onClick={() => looking(() => void tests())}>
                {t("tests")}
              </Button>
            </>
          )}
          {admin && !isNew && (
            <Button tone="bad" onClick={() => setDialog("delete")}>
              {t("delete")}
            </Button>
          )}
          {admin && (
            <Button tone="main" busy={busy} disabled={!dirty} onClick={begin}>
              {t("save")}
            </Button>
          )}
        </div>
      </div>
      {!admin && <p className={css.quiet}>{write ? t("readOnly") : t("readAlone")}</p>}
      {noted !== "" && (
        <div className={css.note} role="status">
          <p>{noted === "taken" ? t("takenAnew") : t("fileGone")}</p>
          {noted === "taken" ? (
            <Button onClick={() => setNoted("")}>{t("close")}</Button>
          ) : (
            admin && (
              <Button busy={busy} onClick={() => void save(null)}>
                {t("writeAgain")}
              </Button>
            )
          )}
        </div>
      )}
      {refused.length > 0 && (
        <div className={css.note}>
          <div>
            <p role="alert">{t("refused")}</p>
            <Faults faults={refused} onOpen={toFault} />
          </div>
          <Button onClick={() => setRefused([])}>{t("close")}</Button>
        </div>
      )}
      {changed !== null && (
        <div className={css.note} role="alert">
          <p>{t("conflict")}</p>
          <Button onClick={() => setConflict(changed)}>{t("compare")}</Button>
        </div>
      )}
      {restored && !isNew && (
        <div className={css.note} role="status">
          <p>{t("restored")}</p>
          <Button onClick={() => take(saved)}>{t("dropDraft")}</Button>
        </div>
      )}
      {saved.trouble !== "" && !dirty && (
        <Problem>
          <Said>{saved.trouble}</Said>
        </Problem>
      )}
      <div className={css.halves}>
        <section className={css.half} aria-label={t("text")}>
          <div className={css.pane}>
            <Suspense fallback={<p>{t("loading")}</p>}>
              <CodeEditor
                first={begun}
                label={t("editorLabel")}
                readOnly={!admin}
                names={names}
                check={check}
                onText={(now) => {
                  setText(now);
                  settle();
                }}
                onCursor={(offset) => {
                  cursor.current = offset;
                  settle();
                }}
                onFaults={setFaults}
                onReady={(editor) => {
                  handle.current = editor;
                  setReady(editor !== null);
                }}
              />
            </Suspense>
          </div>
          <FaultList
            faults={faults}
            onOpen={toFault}
          />
        </section>
        <section className={css.half} aria-label={t("graph")}>
          <div className={css.pane}>
            <Suspense fallback={<p>{t("loading")}</p>}>
              <GraphView graph={graph} states={states} selected={selected} label={t("graphLabel")} onOpen={open} change={admin ? byGraph : undefined} />
            </Suspense>
          </div>
          {!of.readable && shown.trim() !== "" && <p className={css.quiet}>{t("unreadable")}</p>}
          {admin && ready && <Palette onAdd={add} />}
          <StepList graph={graph} states={states} selected={selected} onOpen={open} />
          {step !== undefined && (
            <StepPanel
              step={step}
              of={of}
              naming={naming === step.key}
              rehearsed={rehearsed}
              way={way}
              onClose={() => {
                setOpened("");
                document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(step.key)}"]`)?.focus();
              }}
              onText={() => handle.current?.show(endOf(step, shown), step.from, true)}
              change={admin ? byGraph : undefined}
            />
          )}
        </section>
      </div>
      <p className="visually-hidden" role="status">
        {told.of === text ? told.line : "" /* undone, it is not so any more */}
      </p>
      {rehearsed !== null && (
        <Rehearsal
          of={rehearsed}
          name={name}
          way={way}
          stale={rehearsed.text !== text}
          onWay={setWay}
          onStep={(at) => open(idOf(at))}
          onClose={() => {
            setRehearsed(null);
            setWay(0);
          }}
        />
      )}
      {!isNew && <RunsOf name={name} />}
      {dialog === "run" && <RunDialog name={name} specs={specs} stale={dirty} onClose={() => setDialog(null)} />}
      {dialog === "dry" && (
        <DryDialog
          name={name}
          specs={specs}
          text={() => handle.current?.text() ?? text}
          unsaved={dirty}
          onClose={() => setDialog(null)}
          onDone={(answer, tried) => {
            setWay(0);
            setRehearsed({ what: "dry", text: tried, ...readWays(answer) });
            setDialog(null);
          }}
        />
      )}
      {dialog === "delete" && saved.digest !== null && <DeleteDialog name={name} digest={saved.digest} onClose={() => setDialog(null)} onGone={() => (left.current = { dirty: false, text: "" })} />}
      {dialog === "gone" && (
        <Dialog title={t("writeAgain")} onClose={() => setDialog(null)}>
          <p>{t("fileGone")}</p>
          <div className={css.row}>
            <Button tone="main" busy={busy} onClick={() => void save(null).then(() => setDialog(null))}>
              {t("writeAgain")}
            </Button>
            <Button onClick={() => setDialog(null)}>{t("cancel")}</Button>
          </div>
        </Dialog>
      )}
      {conflict !== null && (
        <Dialog title={t("conflict")} onClose={() => setConflict(null)}>
          <div className={css.form}>
            <Sides label={t("text")} theirs={conflict.text} mine={text} />
            <div className={css.row}>
              <Button tone="bad" busy={busy} onClick={() => void save(conflict.digest)}>
                {t("keepMine")}
              </Button>
              <Button onClick={() => take(conflict)}>{t("takeTheirs")}</Button>
              <Button onClick={() => setConflict(null)}>{t("goOn")}</Button>
            </div>
          </div>
        </Dialog>
      )}
    </>
  );
}

function RunsOf({ name }: { name: string }) {
  const runs = useRuns("", name);
  return (
    <Panel title={t("runsOf")} actions={<a href="#/playbooks/runs">{t("allRuns")}</a>}>
      <RunTable runs={runs} most={20} named={false} />
    </Panel>
  );
}
