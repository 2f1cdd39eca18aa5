import { useEffect, useId, useRef, useState, useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import { Button } from "../../kit/Button";
import { Said, visible } from "../../kit/Said";
import { useAct, useCall, useMay, useNow, usePage, useStanding } from "../../shell/page";
import { count, duration, sinceS } from "../../text/figures";
import type { ThreadView } from "../../thread/items";
import css from "./chat.module.css";
import { pathOf, WRITE } from "./address";
import { behind, countsAs, type Draft, Drafts, keyDoes, leadsToField, type Marks, sendable, shownLeft, takenUp } from "./composing";
import { useCopying } from "./shared";
import { working } from "./working";
import { t } from "./words";

type Mode = "queue" | "steer" | "interrupt";
const MODES: readonly Mode[] = ["queue", "steer", "interrupt"];

/** A message that was taken up to be edited, and when. */
export interface Taken {
  readonly draft: Draft;
  readonly at: number;
}

/** Where a message is written, and what goes on is stopped. */
export function Composer({ threadId, view, draft, onSent }: { threadId: string; view: ThreadView; draft: Taken | null; onSent: () => void }) {
  const { connection, threads } = usePage();
  const may = useMay("write");
  const most = useStanding().textChars;
  const [drafts] = useState(() => new Drafts(sessionStorage));
  const [said, setSaid] = useState(() => drafts.get(threadId));
  const { text } = said;
  const [taken, setTaken] = useState(0);
  const [mode, setMode] = useState<Mode>("queue");
  const [agent, setAgent] = useState("");
  const [busy, act] = useAct();
  const [, go] = useLocation();
  const copyBefore = useCopying(threadId);
  const agents = useCall("agent.list", {}, may);
  const field = useRef<HTMLTextAreaElement>(null);
  const ids = { text: useId(), mode: useId(), agent: useId(), left: useId() };
  const keep = (now: Draft): void => {
    setSaid(now);
    drafts.set(threadId, now);
  };
  // A message that was taken up to be edited comes into the field once.
  if (draft !== null && draft.at !== taken) {
    setTaken(draft.at);
    setSaid(takenUp(said, draft.draft));
  }
  useEffect(() => {
    if (draft !== null) field.current?.focus();
  }, [draft]);
  // It is there again for who leaves and comes back.
  useEffect(() => {
    if (taken !== 0) drafts.set(threadId, said);
  }, [drafts, said, taken, threadId]);
  // Who has begun a conversation or a copy of one writes next; later a key leads here.
  useEffect(() => {
    if ((history.state as { write?: boolean } | null)?.write === true) field.current?.focus();
    const pressed = (event: KeyboardEvent): void => {
      if (!leadsToField(event, event.target instanceof Element ? event.target : null)) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
  if (!may) return <p className={css.quiet}>{t("mayNotWrite")}</p>;

  const running = view.running !== "";
  const can = sendable(text, most);
  const left = shownLeft(text, most);
  const send = (): void => {
    if (can !== "yes" || busy) return;
    const more = { ...(agent === "" ? {} : { agent }), ...(said.again === null ? {} : { again: said.again }) };
    const { copyBefore: seq } = said;
    if (seq !== null) {
      void act(async () => {
        const copy = await copyBefore(seq);
        void threads.send(copy, text, more).catch(() => undefined);
        keep(behind(said));
        go(pathOf(copy), WRITE);
      });
      return;
    }
    // What goes wrong is shown at the message, where it can be sent again.
    void threads.send(threadId, text, { ...(running ? { mode } : {}), ...more }).catch(() => undefined);
    keep(behind(said));
    setMode("queue");
    field.current?.focus();
    onSent();
  };
  const stop = (drop: boolean): void => {
    void act(() => connection.call("turn.stop", { thread_id: threadId, request_id: `con-${crypto.randomUUID()}`, ...(drop ? { drop } : {}) })).then(() =>
      field.current?.focus(),
    );
  };
  const waits = view.items.some((item) => item.kind === "input" && item.state === "waits");
  return (
    <form
      className={css.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {view.held > 0 && (
        <div className={css.heldLine}>
          <span>{t("held", { count: view.held })}</span>
          <Button
            busy={busy}
            onClick={() => void act(() => connection.call("turn.continue", { thread_id: threadId, request_id: `con-${crypto.randomUUID()}` })).then(() => field.current?.focus())}
          >
            {t("continue")}
          </Button>
          <Button tone="bad" busy={busy} onClick={() => stop(true)}>
            {t("dropHeld")}
          </Button>
        </div>
      )}
      <WorkingLine view={view} />
      {(said.again !== null || said.copyBefore !== null) && (
        <Again
          draft={said}
          onLeave={() => {
            keep(behind(said));
            field.current?.focus();
          }}
        />
      )}
      <label htmlFor={ids.text} className="visually-hidden">
        {t("message")}
      </label>
      <textarea
        id={ids.text}
        ref={field}
        className={css.field}
        rows={2}
        dir="auto"
        placeholder={t("messageHint")}
        value={text}
        aria-describedby={left === null ? undefined : ids.left}
        aria-invalid={can === "long" || undefined}
        onChange={(event) => keep({ ...said, text: event.target.value })}
        onKeyDown={(event) => {
          const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
          if (keyDoes({ key, shiftKey, ctrlKey, metaKey, altKey, composing: event.nativeEvent.isComposing }) !== "send") return;
          event.preventDefault();
          send();
        }}
      />
      <div className={css.composerLine}>
        {running && said.copyBefore === null && (
          <>
            <label htmlFor={ids.mode} className="visually-hidden">
              {t("mode")}
            </label>
            <select id={ids.mode} value={mode} onChange={(event) => setMode(event.target.value as Mode)}>
              {MODES.map((one) => (
                <option key={one} value={one}>
                  {t(`mode_${one}`)}
                </option>
              ))}
            </select>
          </>
        )}
        {(agents.value?.agents.length ?? 0) > 1 && (
          <>
            <label htmlFor={ids.agent}>{t("to")}</label>
            <select id={ids.agent} value={agent} onChange={(event) => setAgent(event.target.value)}>
              <option value="">{t("toUsual")}</option>
              {agents.value?.agents.map((one) => (
                <option key={one.id} value={one.id}>
                  {visible(one.id)}
                </option>
              ))}
            </select>
          </>
        )}
        {left !== null && (
          <span id={ids.left} className={left < 0 ? css.over : css.quiet}>
            {left < 0 ? t("over", { count: count(-left), most: count(most) }) : t("left", { count: count(left) })}
          </span>
        )}
        <span className={css.composerActs}>
          {running && (
            <Button tone="bad" busy={busy} onClick={() => stop(false)}>
              {t("stop")}
            </Button>
          )}
          {running && waits && (
            <Button tone="bad" busy={busy} onClick={() => stop(true)}>
              {t("stopDrop")}
            </Button>
          )}
          <Button type="submit" tone="main" disabled={can !== "yes"}>
            {t("send")}
          </Button>
        </span>
      </div>
    </form>
  );
}

function WorkingLine({ view }: { view: ThreadView }) {
  const { live } = usePage();
  const { paused } = useSyncExternalStore(live.subscribe, live.view).switch;
  const does = working(view, paused);
  return does === null ? null : <Since since={does.since} what={does.what} />;
}

function Since({ since, what }: { since: string; what: string }) {
  const now = useNow(1);
  return (
    <p className={css.quiet}>
      <Said>{t("working", { time: since === "" ? "" : duration(sinceS(since, now)), what })}</Said>
    </p>
  );
}

/** What rides on with a message that says an earlier one again, told before it is sent. */
function Again({ draft, onLeave }: { draft: Draft; onLeave: () => void }) {
  return (
    <>
      {draft.marks === null ? <p className={css.quiet}>{t("againKeeps")}</p> : <Riding text={draft.text} marks={draft.marks} />}
      <p className={css.quiet}>
        {draft.copyBefore !== null && t("againCopy")} <Button onClick={onLeave}>{t("againLeave")}</Button>
      </p>
    </>
  );
}

function Riding({ text, marks }: { text: string; marks: Marks }) {
  const { quoted } = marks;
  const whose = countsAs(text, marks);
  return (
    <>
      {whose !== "own" && <p className={css.quiet}>{t(whose === "applications" ? "againApplications" : marks.outside ? "againOutside" : "againChanged")}</p>}
      {quoted !== "" && (
        <p className={css.quiet}>
          {t("againQuoted")} <Said>{quoted.length > QUOTED ? `${quoted.slice(0, QUOTED)} …` : quoted}</Said>
        </p>
      )}
    </>
  );
}

/** How much of what is passed on is shown, in characters; all of it stands at the message. */
const QUOTED = 200;
