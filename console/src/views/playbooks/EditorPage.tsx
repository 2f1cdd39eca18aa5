import { lazy, startTransition, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { needOf, sectionKey, stepsGraph } from "./text/steps_graph";
import type { Graph, NodeState, Over } from "../../graph/graph";
import { StepList } from "../../graph/StepList";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { orOlder } from "../../kit/older";
import { Badge, Panel, Problem } from "../../kit/Panel";
import { Said, visible } from "../../kit/Said";
import { Sides } from "../../kit/Sides";
import { useThread } from "../../kit/useBeside";
import { codeOf, RpcError } from "../../protocol/errors";
import type { PlaybookText } from "../../protocol/generated";
import type { Result } from "../../protocol/wire";
import { useAct, useCall, useMay, usePage, useStanding } from "../../shell/page";
import { editAddress, runAddress } from "./address";
import type { EditorHandle } from "./code/CodeEditor";
import type { Names } from "./code/offers";
import { saves } from "./code/keys";
import { draftOf, keepDraft } from "./draft";
import { InputsForm } from "./InputsForm";
import { Palette } from "./Palette";
import css from "./playbooks.module.css";
import { inputSpecs, type InputSpec } from "./run/inputs";
import { Rehearsal, type Rehearsed } from "./Rehearsal";
import { readCases, readWays } from "./run/rehearsal";
import { idOf, wouldStand } from "./run/states";
import { RunTable } from "./RunTable";
import { useRuns } from "./runs";
import { StepPanel } from "./StepPanel";
import { CannotEdit, connect, deleteStep, disconnect, insertStep, type Edit, type Spot } from "./text/edit";
import { faultRange, readFault, refusals, toCheck, type Fault } from "./text/faults";
import { looked } from "./text/looked";
import { endOf, NO_STEPS, outline, SECTIONS, stepAt, type Kind, type Sketch } from "./text/outline";
import { renameStep } from "./text/rename";
import { outlineThread } from "./text/use_sketch";
import { t } from "./words";

const CodeEditor = lazy(() => import("./code/CodeEditor"));
const GraphView = lazy(() => import("../../graph/GraphView"));

/** How long the writer has to pause before a text is read, and one that is long. */
const SHORT_MS = 120;
const LONG_MS = 400;
const LONG_CHARS = 10_000;
/** Between two looks at the file, in case another program has written to it. */
const LOOK_MS = 10_000;

export interface Saved {
  readonly text: string;
  /** By which the daemon knows what was there before; null for a playbook that there is not yet. */
  readonly digest: string | null;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly trouble: string;
}

/** A playbook that there is. */
export default function EditorPage({ name }: { name: string }) {
  const { value, error, code, reload } = useCall("workflow.get", { playbook: name });
  const admin = useMay("admin");
  const [draft] = useState(() => draftOf(name));
  if (value === null && code === "not_found" && admin && draft !== null) {
    // It was begun here, or its file has gone since: what was written is still here.
    return <Editor name={name} first={{ text: "", digest: null, inputs: {}, trouble: "" }} />;
  }
  if (value === null) {
    return error === null ? (
      <p>{t("loading")}</p>
    ) : (
      <Problem>
        {t("loadFailed", { why: error })} <Button onClick={reload}>{t("again")}</Button> <a href="#/playbooks">{t("back")}</a>
      </Problem>
    );
  }
  return (
    <Editor
      name={name}
      first={savedOf(value)}
    />
  );
}

function savedOf(told: PlaybookText): Saved {
  return { text: told.text, digest: told.saved ?? "", inputs: told.about.inputs, trouble: told.about.trouble };
}

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

/** What is saved; null where there is nothing any more, undefined where it could not be asked for. */
async function findSaved(asked: Promise<PlaybookText>): Promise<Saved | null | undefined> {
  try {
    return savedOf(await asked);
  } catch (error) {
    return codeOf(error) === "not_found" ? null : undefined;
  }
}

function RunsOf({ name }: { name: string }) {
  const runs = useRuns("", name);
  return (
    <Panel title={t("runsOf")} actions={<a href="#/playbooks/runs">{t("allRuns")}</a>}>
      <RunTable runs={runs} most={20} named={false} />
    </Panel>
  );
}

function RunDialog({ name, specs, stale, onClose }: { name: string; specs: readonly InputSpec[]; stale: boolean; onClose: () => void }) {
  const { connection } = usePage();
  const [busy, act] = useAct();
  // The same for as long as this is open: pressed twice, or sent again, it begins one run.
  const [request] = useState(() => `con-${crypto.randomUUID()}`);
  return (
    <Dialog title={t("runTitle", { name })} onClose={onClose}>
      {stale && <p className={css.quiet}>{t("saveFirst")}</p>}
      <InputsForm
        specs={specs}
        act={t("start")}
        busy={busy}
        onValues={(inputs) =>
          void act(async () => {
            const { run } = await connection.call("workflow.start", { playbook: name, inputs, request_id: request });
            location.hash = runAddress(name, run);
          })
        }
      />
    </Dialog>
  );
}

interface DryProps {
  name: string;
  specs: readonly InputSpec[];
  text: () => string;
  unsaved: boolean;
  onClose: () => void;
  onDone: (answer: Result<"workflow.dry_run">, tried: string) => void;
}

function DryDialog({ name, specs, text, unsaved, onClose, onDone }: DryProps) {
  const { connection } = usePage();
  const [busy, act] = useAct();
  // Here nothing has to be given: what is missing is assumed.
  const free = useMemo(() => specs.map((spec) => ({ ...spec, required: false })), [specs]);
  return (
    <Dialog title={t("dryTitle")} onClose={onClose}>
      {unsaved && <p className={css.quiet}>{t("asWritten")}</p>}
      <InputsForm
        specs={free}
        act={t("dryRun")}
        busy={busy}
        onValues={(inputs) => void act(async () => {
          const tried = text();
          onDone(await orOlder("workflow.dry_run", connection.call("workflow.dry_run", { playbook: name, inputs, text: tried })), tried);
        })}
      />
    </Dialog>
  );
}

function DeleteDialog({ name, digest, onClose, onGone }: { name: string; digest: string; onClose: () => void; onGone: () => void }) {
  const { connection, tell } = usePage();
  const [busy, act] = useAct();
  return (
    <Dialog title={t("delete")} onClose={onClose}>
      <p>{t("deleteAsk", { name })}</p>
      <div className={css.row}>
        <Button
          tone="bad"
          busy={busy}
          onClick={() =>
            void act(async () => {
              await orOlder("workflow.delete", connection.call("workflow.delete", { playbook: name, digest }));
              keepDraft(name, null);
              onGone();
              tell(t("deleted", { name }));
              location.hash = "#/playbooks";
            })
          }
        >
          {t("delete")}
        </Button>
        <Button onClick={onClose}>{t("cancel")}</Button>
      </div>
    </Dialog>
  );
}

function FaultList({ faults, onOpen }: { faults: readonly Fault[] | null; onOpen: (fault: Fault) => void }) {
  if (faults === null) return null;
  const errors = faults.filter((fault) => fault.severity === "error").length;
  return (
    <div>
      <p className={css.quiet} role="status">
        {faults.length === 0 ? t("faultsNone") : t("faults", { errors, warnings: faults.length - errors })}
      </p>
      <Faults faults={faults} onOpen={onOpen} />
    </div>
  );
}

/** Faults, each of which leads to its place in the text. */
function Faults({ faults, onOpen }: { faults: readonly Fault[]; onOpen: (fault: Fault) => void }) {
  if (faults.length === 0) return null;
  return (
    <ul className={css.faults} aria-label={t("faultsTitle")}>
      {faults.slice(0, 200).map((fault, index) => (
        <li key={index}>
          <button type="button" onClick={() => onOpen(fault)}>
            <span className={fault.severity === "error" ? css.bad : css.warn}>{t(fault.severity)}</span> · {t("faultAt", { line: fault.line })} ·{" "}
            <Said>{fault.cause}</Said>
            {fault.rule !== "" && (
              <span className={css.quiet}>
                {" "}
                <Said>{fault.rule}</Said>
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}

function useNames(): Names {
  const tools = useCall("tool.list", {});
  const agents = useCall("agent.list", {});
  const playbooks = useCall("workflow.list", {});
  return useMemo(
    () => ({
      tools: tools.value?.tools.map((one) => one.name) ?? [],
      agents: agents.value?.agents.map((one) => one.id) ?? [],
      playbooks: playbooks.value?.playbooks.map((one) => one.playbook) ?? [],
    }),
    [tools.value, agents.value, playbooks.value],
  );
}

/** The same graph as long as it says the same: it is laid out anew only when it has changed. */
function useSame(graph: Graph): Graph {
  const said = useMemo(() => JSON.stringify(graph), [graph]);
  return useMemo(() => JSON.parse(said) as Graph, [said]);
}

/** Where a new step goes: into an arrow, behind the step that is marked, to the end of a marked branch or section, else to the end of all. */
function spotOf(of: Sketch, over: Over): Spot {
  if ("edge" in over) return needOf(of, over.edge) ?? { after: over.edge.from };
  const key = over.node;
  if (of.steps.some((step) => step.key === key)) return { after: key };
  const section = SECTIONS.find((one) => sectionKey(one) === key);
  if (section !== undefined) return { list: section };
  return { list: key.startsWith("branch:") && of.lists.has(key.slice(7)) ? key.slice(7) : "steps" };
}

function wayStates(rehearsed: Rehearsed, at: number): ReadonlyMap<string, NodeState> | undefined {
  if (rehearsed.what !== "dry") return undefined;
  const way = rehearsed.ways[at];
  return way === undefined
    ? undefined
    : new Map(way.steps.map((step) => [idOf(step.at), wouldStand(step.status, step.what)]));
}

function cannot({ why, about }: CannotEdit): string {
  switch (why) {
    case "unreadable":
      return t("cannotUnreadable", { about });
    case "otherList":
      return t("cannotOtherList", { about });
    case "circle":
      return t("cannotCircle", { about });
    case "itself":
      return t("cannotItself");
    case "noStep":
      return t("cannotNoStep");
    case "noId":
      return t("cannotNoId");
    case "badId":
      return t("cannotBadId");
    case "taken":
      return t("cannotTaken", { about });
  }
}
