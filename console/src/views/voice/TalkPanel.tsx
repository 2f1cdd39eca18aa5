import { useEffect, useId, useRef, useState, useSyncExternalStore, type KeyboardEvent } from "react";
import { Button } from "../../kit/Button";
import { Markdown } from "../../kit/Markdown";
import { Badge, Empty, Panel, Problem } from "../../kit/Panel";
import { Said, visible } from "../../kit/Said";
import { useMay, usePage } from "../../shell/page";
import { clock } from "../../text/figures";
import { recognizers, voice } from "./browser";
import { heardUntil, Talk, type Ended, type TalkView } from "./talk";
import { SpaceBar, type InFocus } from "./space";
import css from "./voice.module.css";
import { reasonWord, t } from "./words";

/** Talking in one thread, which stays the same: the button, what is heard, what was said, and why each turn ended. */
export function TalkPanel({ threadId }: { threadId: string }) {
  const { connection } = usePage();
  const [talk] = useState(
    () =>
      new Talk(
        threadId,
        {
          connection, recognizer: recognizers(), voice: voice(), lang: navigator.language,
          makeId: () => `con-${crypto.randomUUID()}`,
          later: (run, s) => {
            const timer = setTimeout(run, s * 1000);
            return () => clearTimeout(timer);
          },
        },
        true,
      ),
  );
  useEffect(() => {
    talk.start();
    return () => talk.close();
  }, [talk]);
  return <Talking talk={talk} />;
}

function Talking({ talk }: { talk: Talk }) {
  const view = useSyncExternalStore(talk.subscribe, talk.view);
  const may = useMay("write");
  return (
    <>
      {view.lost !== "" && <Problem>{visible(t("cannotFollow", { why: view.lost }))}</Problem>}
      {view.trouble !== null && <Problem>{visible(t(view.trouble, { why: view.why }))}</Problem>}
      <Panel>
        {recognizers() !== null && (may ? <Controls talk={talk} view={view} /> : <p>{t("mayNot")}</p>)}
        <Settings talk={talk} />
        <p className={css.state} role="status">
          {t(`state_${standing(view)}`)}
        </p>
        {recognizers() !== null && (
          <div className={css.partial} role="group" aria-label={t("heard")} data-hearing={view.hearing}>
            {view.partial === "" ? <span className={css.quiet}>{t("nothingHeard")}</span> : <Said>{view.partial}</Said>}
          </div>
        )}
      </Panel>
      <Panel title={t("said")}>
        <Conversation view={view} />
      </Panel>
      <Panel title={t("trace")}>
        <Trace rows={view.trace} />
      </Panel>
    </>
  );
}

function standing(view: TalkView): "idle" | "listening" | "speaking" | "ending" | "answering" | "stopped" {
  if (view.hearing === "ending") return "ending";
  if (view.stopped) return "stopped";
  if (view.hearing === "speaking" || view.partial !== "") return "speaking";
  if (view.speaking) return "answering";
  return view.listening ? "listening" : "idle";
}

function Controls({ talk, view }: { talk: Talk; view: TalkView }) {
  const hint = useId();
  const holding = view.mode === "held";

  // The space bar does what the button does, unless something else has the focus that takes it.
  useEffect(() => {
    const bar = new SpaceBar();
    let pointed: Element | null = null;
    const pointer = (event: Event): void => {
      const control = event.target instanceof Element ? event.target.closest("input, select, button, a, summary, label") : null;
      pointed = control instanceof HTMLLabelElement ? control.control : control;
    };
    const left = (event: globalThis.KeyboardEvent): void => {
      if (event.key === "Tab") pointed = null;
    };
    const inFocus = (target: EventTarget | null): InFocus => ({
      tag: target instanceof Element ? target.tagName.toLowerCase() : "",
      type: target instanceof HTMLInputElement ? target.type : "",
      editable: target instanceof HTMLElement && target.isContentEditable,
      byPointer: target !== null && target === pointed,
    });
    const down = (event: globalThis.KeyboardEvent): void => {
      left(event);
      if (event.key !== " " || event.ctrlKey || event.altKey || event.metaKey) return;
      const does = bar.down(inFocus(event.target), event.repeat);
      if (does === null) return;
      event.preventDefault();
      event.stopPropagation();
      if (does === "talk") talk.press();
    };
    const up = (event: globalThis.KeyboardEvent): void => {
      if (event.key !== " " || !bar.up()) return;
      event.preventDefault();
      talk.release();
    };
    // Whoever leaves the window with the key held lets go of it elsewhere.
    const away = (): void => {
      bar.up();
      talk.release();
    };
    document.addEventListener("pointerdown", pointer, true);
    document.addEventListener("keydown", down, true);
    document.addEventListener("keyup", up, true);
    addEventListener("blur", away);
    return () => {
      document.removeEventListener("pointerdown", pointer, true);
      document.removeEventListener("keydown", down, true);
      document.removeEventListener("keyup", up, true);
      removeEventListener("blur", away);
    };
  }, [talk]);

  return (
    <>
      <div className={css.controls}>
        <button
          type="button"
          className={css.talk}
          aria-pressed={holding}
          aria-describedby={hint}
          disabled={view.mode === "free"}
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            talk.press();
          }}
          onPointerUp={talk.release}
          onPointerCancel={talk.release}
          onContextMenu={(event) => event.preventDefault()}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            if (!event.repeat) toggle(talk, holding);
          }}
          // A screen reader's click comes without a pointer.
          onClick={(event) => {
            if (event.detail === 0) toggle(talk, holding);
          }}
        >
          {holding ? t("holding") : t("hold")}
        </button>
        <div className={css.row}>
          <Button aria-pressed={view.mode === "free"} disabled={holding} onClick={view.mode === "free" ? talk.stopFree : talk.startFree}>
            {view.mode === "free" ? t("freeStop") : t("free")}
          </Button>
          <Button tone="bad" disabled={view.mode === "off" && view.hearing === "idle"} onClick={talk.cancel}>
            {t("drop")}
          </Button>
        </div>
      </div>
      <p id={hint} className={css.quiet}>
        {view.mode === "free" ? t("freeHint") : t("holdHint")}
      </p>
    </>
  );
}

function toggle(talk: Talk, holding: boolean): void {
  if (holding) talk.release();
  else talk.press();
}

function Settings({ talk }: { talk: Talk }) {
  const [speaks, setSpeaks] = useState(true);
  const [lang, setLang] = useState(navigator.language);
  const field = useId();
  return (
    <div className={css.row}>
      {voice() === null ? (
        <span className={css.quiet}>{t("noVoice")}</span>
      ) : (
        <label className={css.row}>
          <input
            type="checkbox"
            checked={speaks}
            onChange={(event) => {
              setSpeaks(event.target.checked);
              talk.setSpeaks(event.target.checked);
            }}
          />
          {t("speaks")}
        </label>
      )}
      <label htmlFor={field}>{t("language")}</label>
      <select
        id={field}
        value={lang}
        onChange={(event) => {
          setLang(event.target.value);
          talk.setLang(event.target.value);
        }}
      >
        {[...new Set([...navigator.languages, navigator.language, "en-US"])].map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </div>
  );
}

function Conversation({ view }: { view: TalkView }) {
  const list = useRef<HTMLOListElement>(null);
  const newest = view.said.at(-1);
  const sign = newest === undefined ? "" : `${newest.key} ${newest.text.length}`;
  useEffect(() => {
    if (list.current !== null) list.current.scrollTop = list.current.scrollHeight;
  }, [sign]);
  if (view.said.length === 0) return <Empty>{t("nobodySaid")}</Empty>;
  return (
    <ol ref={list} className={css.said} tabIndex={0} aria-label={t("said")}>
      {view.said.map((item) => (
        <li key={item.key} data-kind={item.kind}>
          <span className={css.quiet}>{item.kind === "input" ? t("you") : <Said>{item.agent}</Said>}</span>
          {item.kind === "input" ? (
            <p className={css.words}>
              <Said>{item.text}</Said>
            </p>
          ) : (
            <>
              <Markdown text={item.text} />
              <Heard text={item.text} chars={view.heard.get(item.messageId)} />
            </>
          )}
        </li>
      ))}
    </ol>
  );
}

/** How much of a reply was heard when the person spoke into it. */
function Heard({ text, chars }: { text: string; chars: number | undefined }) {
  const words = chars === undefined ? null : heardUntil(text, chars);
  if (words === null) return null;
  return <p className={css.quiet}>{words === "" ? t("heardNothing") : <Said>{t("heardUntil", { words })}</Said>}</p>;
}

function Trace({ rows }: { rows: readonly Ended[] }) {
  if (rows.length === 0) return <Empty>{t("noTrace")}</Empty>;
  return (
    <div className={css.wide} tabIndex={0} role="group" aria-label={t("trace")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("when")}</th>
            <th scope="col">{t("reason")}</th>
            <th scope="col">{t("score")}</th>
            <th scope="col">{t("rule")}</th>
            <th scope="col">{t("silence")}</th>
            <th scope="col">{t("text")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ at, end, turnId }) => (
            <tr key={`${turnId} ${at}`}>
              <td>{clock(at)}</td>
              {end === null ? (
                <td colSpan={5}>{t("dropped")}</td>
              ) : (
                <>
                  <td>
                    {reasonWord(end.reason)}
                    {!end.delivered && (
                      <>
                        {" "}
                        <Badge tone="warn">{t("notDelivered")}</Badge>
                      </>
                    )}
                  </td>
                  <td className={css.figure}>{`${Math.round(end.score * 100)} %`}</td>
                  <td>
                    <Said>{end.detail}</Said>
                  </td>
                  <td className={css.figure}>{t("ms", { ms: end.waited_ms })}</td>
                  <td>
                    <Said>{end.text}</Said>
                  </td>
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
