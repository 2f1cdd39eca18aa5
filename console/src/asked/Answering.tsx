import { useEffect, useEffectEvent, useId, useState, useSyncExternalStore } from "react";
import { Button } from "../kit/Button";
import { Dialog } from "../kit/Dialog";
import { Said, visible } from "../kit/Said";
import { sentence } from "../protocol/errors";
import { useAct, useMay, useNow, usePage } from "../shell/page";
import { duration } from "../text/figures";
import { About } from "./About";
import css from "./asked.module.css";
import { useGuarded } from "./useGuarded";
import { isExact, leftS, overLine, TIMES_S, unanswered, USUAL_TIME_S, ways, type Verdict } from "./verdicts";
import { t } from "./words";

export interface Asked {
  readonly threadId: string;
  readonly id: string;
  readonly tool: string;
  readonly target: string;
  readonly agent: string;
  /** What the call would do, as the daemon tells it; empty where that is not known here. */
  readonly call: string;
  readonly prompt: string;
  readonly choices: readonly string[];
}

const TIME_WORDS = ["hour", "day", "week", "month", "year"] as const;

/** Tells a question from all others of the page. */
export function askedId(asked: { readonly threadId: string; readonly id: string }): string {
  return `${asked.threadId} ${asked.id}`;
}

/** What a question is about, for a told line. */
function what(asked: Asked): string {
  return visible(asked.tool === "" ? asked.prompt.slice(0, 80) : asked.tool);
}

/** Gives an answer and says that it was given. What went wrong is told. */
export function useAnswer(): [boolean, (asked: Asked, verdict: Verdict, more?: { text?: string; forS?: number }) => Promise<boolean>] {
  const { connection, inbox, tell, watch } = usePage();
  const [busy, setBusy] = useState(false);
  const answer = async (asked: Asked, verdict: Verdict, { text, forS }: { text?: string; forS?: number } = {}): Promise<boolean> => {
    if (!watch.wholes.allows(asked, verdict)) {
      tell(t("notWhole"), "bad");
      return false;
    }
    setBusy(true);
    watch.guard.answers(askedId(asked), verdict, performance.now());
    watch.measure();
    try {
      await connection.call("approval.answer", {
        thread_id: asked.threadId, id: asked.id, verdict, ...(text === undefined ? {} : { text }), ...(forS === undefined ? {} : { for_s: forS }),
      });
      inbox.answered(asked);
      const said = ({ approve: "saidApprove", reject: "saidReject", always: "saidAlways" } as const)[verdict as "approve"] as
        | "saidApprove" | undefined;
      tell(t(said ?? "saidOther", { what: what(asked) }));
      return true;
    } catch (error) {
      watch.guard.refused(askedId(asked));
      tell(sentence(error), "bad");
      return false;
    } finally {
      setBusy(false);
    }
  };
  return [busy, answer];
}

interface AnsweringProps {
  asked: Asked;
  gone?: boolean;
  onDone?: () => void;
  onAlways?: (open: boolean) => void;
}

/**
 * The buttons by which a question is answered. Drawn only where the session may answer.
 *
 * @param gone it is not asked any more, and is drawn for some seconds so that nothing else comes into its place.
 * @param onAlways the dialog for `always` was opened or closed: it is drawn as long as it is open.
 */
export function Answering({ asked, gone = false, onDone, onAlways }: AnsweringProps) {
  const may = useMay("approve");
  const { inbox, tell, watch } = usePage();
  const given = useSyncExternalStore(inbox.subscribe, () => inbox.given(asked.threadId, asked.id));
  const [busy, answer] = useAnswer();
  const [text, setText] = useState("");
  const [always, setAlways] = useState(false);
  const asks = (open: boolean): void => {
    if (open && !watch.wholes.allows(asked, "always")) {
      tell(t("notWhole"), "bad");
      return;
    }
    setAlways(open);
    onAlways?.(open);
  };
  const field = useId();
  const { watched, state, heeds, takes } = useGuarded(askedId(asked));
  const allows = useSyncExternalStore(watch.wholes.subscribe, () => watch.wholes.allows(asked, "approve"));
  if (!may) return <p className={css.quiet}>{t("mayNot")}</p>;
  const done = (taken: boolean): void => {
    if (taken) onDone?.();
  };
  const verdict = state === "ready" || state === "waits" ? "" : state;
  const over = gone || verdict !== "";
  const rests = state === "ready" && !over;
  const all = ways(asked);
  const wantsText = all.some((way) => way.wants === "text");
  return (
    <div ref={watched} {...heeds} inert={over} data-answering={over ? "over" : state}>
      {wantsText && (
        <div className={css.field}>
          <label htmlFor={field}>{asked.id.startsWith("review:") ? t("resultOf") : t("resultFor")}</label>
          <textarea id={field} rows={2} maxLength={100_000} value={text} onChange={(event) => setText(event.target.value)} />
        </div>
      )}
      <div className={css.buttons}>
        {all.map((way) =>
          way.wants === "for" ? (
            <Button
              key="always"
              busy={busy}
              waits={!rests || !allows}
              title={allows ? undefined : t("notWhole")}
              onClick={(event) => {
                if (takes(event)) asks(true);
              }}
            >
              {t("always")}
            </Button>
          ) : (
            <Button
              key={way.verdict + way.choice}
              busy={busy}
              tone={way.verdict === "approve" || way.verdict === "result" ? "main" : way.verdict === "reject" ? "bad" : "plain"}
              disabled={way.wants === "text" && text.trim() === ""}
              title={way.wants === "text" && text.trim() === "" ? t("resultMissing") : watch.wholes.allows(asked, way.verdict) ? undefined : t("notWhole")}
              waits={!rests || !watch.wholes.allows(asked, way.verdict)}
              onClick={(event) => {
                if (!takes(event)) return;
                void answer(asked, way.verdict, way.wants === "text" ? { text } : way.wants === "choice" ? { text: way.choice } : {}).then(done);
              }}
            >
              {way.wants === "choice" ? <Said>{way.choice}</Said> : t(way.verdict)}
            </Button>
          ),
        )}
        {over && (
          <span className={css.over}>
            <Said>{overLine(verdict, given)}</Said>
          </span>
        )}
      </div>
      {always && (
        <Always
          asked={asked}
          gone={over}
          onClose={() => asks(false)}
          onDone={() => {
            asks(false);
            onDone?.();
          }}
        />
      )}
    </div>
  );
}

interface AlwaysProps {
  asked: Asked;
  /** It is not asked any more. */
  gone: boolean;
  onClose: () => void;
  onDone: () => void;
}

/** Asks what is to be allowed, and for how long. When somebody else has answered meanwhile, it says so and closes. */
export function Always({ asked, gone, onClose, onDone }: AlwaysProps) {
  const { tell } = usePage();
  // The answer that was given here takes the question away, too.
  const [sent, setSent] = useState(false);
  const isOver = gone && !sent;
  const over = useEffectEvent(() => {
    tell(t("alwaysGone", { what: what(asked) }));
    onClose();
  });
  useEffect(() => {
    if (isOver) over();
  }, [isOver]);
  const [busy, answer] = useAnswer();
  const [forS, setForS] = useState<number>(USUAL_TIME_S);
  const field = useId();
  const { watched, state, heeds, takes } = useGuarded(`always ${askedId(asked)}`, true);
  return (
    <Dialog title={t("forHow", { tool: visible(asked.tool) })} onClose={onClose}>
      <form
        ref={watched}
        className={css.form}
        data-answering={state}
        {...heeds}
        onSubmit={(event) => {
          event.preventDefault();
          if (!takes(event)) return;
          setSent(true);
          void answer(asked, "always", { forS }).then((given) => {
            if (given) onDone();
            else setSent(false);
          });
        }}
      >
        <dl className={css.facts}>
          {asked.agent !== "" && (
            <>
              <dt>{t("forWhom")}</dt>
              <dd>
                <Said>{asked.agent}</Said>
              </dd>
            </>
          )}
          <dt>{t(isExact(asked.target) ? "forArgs" : "forTarget")}</dt>
          <dd>{isExact(asked.target) ? t("exactly") : <Said>{asked.target}</Said>}</dd>
        </dl>
        {isExact(asked.target) && <About asked={asked} why="" />}
        <label htmlFor={field}>{t("forLong")}</label>
        <select id={field} value={forS} onChange={(event) => setForS(Number(event.target.value))}>
          {TIMES_S.map((time, index) => (
            <option key={time} value={time}>
              {t(TIME_WORDS[index] ?? "month")}
            </option>
          ))}
        </select>
        <p className={css.quiet}>{t("forSays")}</p>
        <div className={css.buttons}>
          <Button type="submit" tone="main" busy={busy} waits={state !== "ready"}>
            {t("alwaysYes")}
          </Button>
          <Button onClick={onClose}>{t("cancel")}</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** What happens if nobody answers, and when: counted down. */
export function Expiry({ id, expiresMs }: { id: string; expiresMs: number | null }) {
  const left = leftS(expiresMs, useNow(1));
  if (left === null) return null;
  return <span className={css.quiet}>{left === 0 ? t(`ended_${unanswered(id)}`) : t(`ends_${unanswered(id)}`, { left: duration(left) })}</span>;
}

/** Changes of files that a command has made and that a person has to allow. */
export function HeldChanges({ changes, onDecided }: { changes: string; onDecided?: () => void }) {
  const { connection, tell, watch } = usePage();
  const may = useMay("approve");
  const [busy, act] = useAct();
  const { watched, state, heeds, takes } = useGuarded(`changes ${changes}`);
  const [text, setText] = useState<string | null>(null);
  const [decided, setDecided] = useState("");
  const decide = (method: "changes.keep" | "changes.drop", event: { timeStamp: number; detail?: number }): void => {
    if (!takes(event)) return;
    watch.guard.answers(`changes ${changes}`, method, performance.now());
    void act(async () => {
      const { text: said } = await connection.call(method, { changes });
      setDecided(said);
      tell(visible(said));
      onDecided?.();
    }).then((done) => {
      if (!done) watch.guard.refused(`changes ${changes}`);
    });
  };
  if (decided !== "")
    return (
      <p className={css.quiet}>
        <Said>{decided}</Said>
      </p>
    );
  return (
    <section className={css.held} aria-label={t("held")}>
      <strong>{t("held")}</strong>
      <p>{t("heldSays")}</p>
      {text !== null && (
        <pre className={css.args} tabIndex={0}>
          <Said>{text}</Said>
        </pre>
      )}
      <div ref={watched} className={css.buttons} data-answering={state} {...heeds}>
        {text === null && (
          <Button busy={busy} onClick={() => void act(async () => setText((await connection.call("changes.show", { changes })).text))}>
            {t("show")}
          </Button>
        )}
        {may && (
          <>
            <Button busy={busy} waits={state !== "ready"} onClick={(event) => decide("changes.keep", event)}>
              {t("keep")}
            </Button>
            <Button tone="bad" busy={busy} waits={state !== "ready"} onClick={(event) => decide("changes.drop", event)}>
              {t("drop")}
            </Button>
          </>
        )}
      </div>
    </section>
  );
}
