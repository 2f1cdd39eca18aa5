import { useEffect, useId, useRef, useState } from "react";
import { useHashLocation } from "wouter/use-hash-location";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { Panel, Problem } from "../../kit/Panel";
import { Said, visible } from "../../kit/Said";
import { RpcError, sentence } from "../../protocol/errors";
import type { AgentRow, AgentText } from "../../protocol/generated";
import { useAct, usePage } from "../../shell/page";
import { Allowed } from "./Allowed";
import css from "./agents.module.css";
import { Conflict } from "./Conflict";
import { begun, changesOf, edited, inOrder, isChanged, nameTrouble, placeIn, SETTINGS, spanOfLine, without, type Draft } from "./draft";
import { keepDraft, keptDraft } from "./drafts";
import { t } from "./words";

interface EditorProps {
  saved: AgentText;
  agents: readonly AgentRow[];
  onUnsaved: (unsaved: boolean) => void;
  onSaved: () => void;
}

interface Refused {
  readonly code: string;
  readonly why: string;
}

/** An agent's files. Nothing is written before it is saved, and nothing of somebody else's is overwritten by it. */
export function Editor({ saved, agents, onUnsaved, onSaved }: EditorProps) {
  const { connection, tell } = usePage();
  const [draft, setDraft] = useState(() => keptDraft(connection, saved.agent) ?? begun(saved));
  const [warnings, setWarnings] = useState<readonly string[]>(saved.warnings ?? []);
  const [at, setAt] = useState(() => inOrder(draft.files)[0] ?? SETTINGS);
  const [refused, setRefused] = useState<Refused | null>(null);
  const [comparing, setComparing] = useState(false);
  const [asking, setAsking] = useState(false);
  const [busy, act] = useAct();
  const area = useRef<HTMLTextAreaElement>(null);
  const changed = isChanged(draft);
  const { agent } = draft;

  useEffect(() => keepDraft(connection, draft), [connection, draft]);
  useEffect(() => {
    onUnsaved(changed);
    if (!changed) return;
    const stay = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", stay);
    return () => removeEventListener("beforeunload", stay);
  }, [changed, onUnsaved]);

  const take = (text: AgentText): void => {
    setDraft(begun(text));
    setWarnings(text.warnings ?? []);
    setRefused(null);
    setComparing(false);
    if (!(at in text.files)) setAt(inOrder(text.files)[0] ?? SETTINGS);
  };

  // What is refused stays at the file, where it is mended, and not in a passing line.
  const save = (): Promise<boolean> =>
    act(async () => {
      try {
        take(await connection.call("agent.update", { agent, files: changesOf(draft), digest: draft.digest }));
        tell(t("saved"));
        onSaved();
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        setRefused({ code: error.code, why: sentence(error) });
        setComparing(error.code === "conflict");
      }
    });

  const show = (file: string, line: number): void => {
    setAt(file);
    // After the other file is drawn.
    requestAnimationFrame(() => {
      const { start, end } = spanOfLine(draft.files[file] ?? "", line);
      area.current?.focus();
      area.current?.setSelectionRange(start, end);
    });
  };

  const settings = draft.files[SETTINGS] ?? "";
  const others = agents.map(({ id }) => id).filter((id) => id !== agent);
  return (
    <>
      <Panel
        title={t("files")}
        actions={
          <>
            {changed && <span className={css.unsaved}>{t("unsaved")}</span>}
            {changed && (
              <Button
                onClick={() => {
                  setDraft(begun({ agent, files: draft.base, digest: draft.digest }));
                  setRefused(null);
                }}
              >
                {t("revert")}
              </Button>
            )}
            <Button tone="main" busy={busy} disabled={!changed} onClick={() => void save()}>
              {t("save")}
            </Button>
          </>
        }
      >
        {refused !== null &&
          (refused.code === "conflict" ? (
            <Problem>
              {t("conflict")} <Button onClick={() => setComparing(true)}>{t("conflictCompare")}</Button>
            </Problem>
          ) : (
            <Problem>
              <Told said={refused.why} draft={draft} onShow={show} />
            </Problem>
          ))}
        {warnings.length > 0 && (
          <section aria-label={t("warnings")}>
            <ul className={css.warnings}>
              {warnings.map((warning) => (
                <li key={warning}>
                  <Told said={warning} draft={draft} onShow={show} />
                </li>
              ))}
            </ul>
          </section>
        )}
        <FileList draft={draft} at={at} onGo={setAt} onAdd={(name) => {
          setDraft(edited(draft, name, ""));
          setAt(name);
        }} />
        {at in draft.files && (
          <>
            <textarea
              ref={area}
              key={at}
              aria-label={visible(t("file", { file: at }))}
              className={css.text}
              spellCheck={at !== SETTINGS}
              dir={at === SETTINGS ? "ltr" : "auto"}
              rows={16}
              value={draft.files[at] ?? ""}
              onChange={(event) => setDraft(edited(draft, at, event.target.value))}
              onKeyDown={(event) => {
                if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
                event.preventDefault();
                if (changed && !busy) void save();
              }}
            />
            <div className={css.line}>
              <Button
                tone="ghost"
                className={css.bad}
                onClick={() => {
                  const next = without(draft, at);
                  setDraft(next);
                  setAt(inOrder(next.files)[0] ?? SETTINGS);
                }}
              >
                {t("removeFile")}
              </Button>
            </div>
          </>
        )}
      </Panel>
      <Allowed text={settings} what="tools" onText={(text) => setDraft(edited(draft, SETTINGS, text))} />
      <Allowed text={settings} what="skills" onText={(text) => setDraft(edited(draft, SETTINGS, text))} />
      <Allowed text={settings} what="spawns" others={others} onText={(text) => setDraft(edited(draft, SETTINGS, text))} />
      <Allowed text={settings} what="hands_to" others={others} onText={(text) => setDraft(edited(draft, SETTINGS, text))} />
      <p>
        <Button tone="bad" onClick={() => setAsking(true)}>
          {t("remove")}
        </Button>
      </p>
      {comparing && (
        <Conflict
          draft={draft}
          onTheirs={take}
          onMine={(mine) => {
            setDraft(mine.draft);
            setRefused(null);
            setComparing(false);
          }}
          onClose={() => setComparing(false)}
        />
      )}
      {asking && <Remove draft={draft} onClose={() => setAsking(false)} />}
    </>
  );
}

function Told({ said, draft, onShow }: { said: string; draft: Draft; onShow: (file: string, line: number) => void }) {
  const place = placeIn(said, draft.files);
  return (
    <>
      <Said>{said}</Said>{" "}
      {place !== null && (
        <Button tone="ghost" className={css.small} onClick={() => onShow(place.file, place.line)}>
          <Said>{t("toPlace", { line: place.line, file: place.file })}</Said>
        </Button>
      )}
    </>
  );
}

function FileList({ draft, at, onGo, onAdd }: { draft: Draft; at: string; onGo: (file: string) => void; onAdd: (file: string) => void }) {
  const [adding, setAdding] = useState(false);
  const [name, setName] = useState("");
  const [trouble, setTrouble] = useState<"taken" | "form" | "">("");
  const field = useId();
  const names = inOrder(draft.files);
  return (
    <>
      <div className={css.files} role="group" aria-label={t("files")}>
        {names.map((file) => (
          <Button key={file} tone="ghost" aria-pressed={file === at} onClick={() => onGo(file)}>
            <Said>{file}</Said>
            {draft.base[file] !== draft.files[file] && <span className={css.mark}> · {t("changedMark")}</span>}
          </Button>
        ))}
        <Button tone="ghost" aria-expanded={adding} onClick={() => setAdding(!adding)}>
          {t("addFile")}
        </Button>
      </div>
      {names.length === 0 && <p className={css.quiet}>{t("noFiles")}</p>}
      {adding && (
        <form
          className={css.line}
          onKeyDown={(event) => event.key === "Escape" && setAdding(false)}
          onSubmit={(event) => {
            event.preventDefault();
            const wrong = nameTrouble(name, draft.files);
            setTrouble(wrong);
            if (wrong !== "") return;
            onAdd(name);
            setName("");
            setAdding(false);
          }}
        >
          <label htmlFor={field}>{t("addFileName")}</label>
          <input id={field} autoFocus required spellCheck={false} value={name} onChange={(event) => setName(event.target.value)} />
          <Button type="submit">{t("add")}</Button>
          {trouble !== "" && <Problem>{t(trouble === "taken" ? "nameTaken" : "nameForm")}</Problem>}
        </form>
      )}
    </>
  );
}

function Remove({ draft, onClose }: { draft: Draft; onClose: () => void }) {
  const { connection, tell } = usePage();
  const [, go] = useHashLocation();
  const [busy, act] = useAct();
  const { agent, digest } = draft;
  return (
    <Dialog title={t("remove")} onClose={onClose}>
      <p>
        <Said>{t("removeAsk", { agent })}</Said>
      </p>
      <div className={css.line}>
        <Button
          tone="bad"
          busy={busy}
          onClick={() =>
            void act(() => connection.call("agent.delete", { agent, digest })).then((done) => {
              if (!done) return;
              keepDraft(connection, begun({ agent, files: draft.base, digest }));
              tell(t("removed", { agent }));
              go("/agents");
            })
          }
        >
          {t("remove")}
        </Button>
        <Button onClick={onClose}>{t("cancel")}</Button>
      </div>
    </Dialog>
  );
}
