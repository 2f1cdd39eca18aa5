import { useEffect, useId, useMemo, useRef, useState, useSyncExternalStore, type Ref } from "react";
import { Button } from "../kit/Button";
import { Said, visible } from "../kit/Said";
import { useAct, usePage } from "../shell/page";
import css from "./about.module.css";
import { linesOf, reasonParts } from "./lines";
import { kindOf } from "./verdicts";
import { isCut, type Shown } from "./whole";
import { t } from "./words";

/** A call's arguments, each real line beside a number of its own, so that no text can look like a line that it is not. */
export function Lines({ text, label, box }: { text: string; label: string; box?: Ref<HTMLDivElement> }) {
  const lines = useMemo(() => linesOf(visible(text)), [text]);
  return (
    <div ref={box} className={css.lines} role="group" aria-label={label} tabIndex={0}>
      {lines.map((pieces, row) => (
        <div key={row} className={css.line}>
          <span className={css.number} aria-hidden="true" data-number={row + 1} />
          <bdi className={css.text}>
            {pieces.map((piece, index) =>
              piece.blanks === 0 ? (
                piece.text
              ) : (
                <span key={index} className={css.blanks}>
                  {t("blanks", { count: piece.blanks })}
                </span>
              ),
            )}
          </bdi>
        </div>
      ))}
    </div>
  );
}

/** What the call would do and why people are asked, as the daemon tells it. What was cut can be shown whole. */
export function About({ asked, why }: { asked: Shown; why: string }) {
  const { connection, tell, watch } = usePage();
  const whole = useSyncExternalStore(watch.wholes.subscribe, () => watch.wholes.of(asked));
  const [busy, act] = useAct();
  const says = useId();
  const box = useRef<HTMLDivElement>(null);
  const presses = useRef(false);
  const call = whole ?? (isCut(asked) ? "" : asked.call);
  const show = (): void => {
    presses.current = true;
    void act(async () => {
      if (await watch.wholes.fetch(connection, asked)) tell(t("wholeShown"));
      else tell(t("wholeGone"), "bad");
    });
  };
  useEffect(() => {
    // The button that had the focus went when the call came.
    if (whole !== undefined && presses.current) box.current?.focus();
    presses.current = false;
  }, [whole]);
  return (
    <>
      {isCut(asked) && whole === undefined && (
        <div className={css.cut}>
          <span id={says}>{t("notWhole")}</span>
          <Button busy={busy} aria-describedby={says} onClick={show}>
            {t("showWhole")}
          </Button>
        </div>
      )}
      {call !== "" && (
        <div>
          <div className={css.label}>{t(whole === undefined ? "wouldDo" : "wouldDoWhole")}</div>
          <Lines text={call} label={t("wouldDo")} box={box} />
        </div>
      )}
      {why !== "" && <Why why={why} />}
    </>
  );
}

/** What is asked, in the words of the daemon. One about a call has its arguments among them, so it is shown as these are. */
export function Prompt({ id, children, className }: { id: string; children: string; className: string | undefined }) {
  const kind = kindOf(id);
  if (kind === "approval" || kind === "review") return <Lines text={children} label={t("asks")} />;
  return (
    <p className={className}>
      <Said>{children}</Said>
    </p>
  );
}

function Why({ why }: { why: string }) {
  const [all, setAll] = useState(false);
  const [first, rest] = reasonParts(why);
  return (
    <div className={css.why}>
      <span className={css.label}>{t("why")}: </span>
      <Said>{all ? why : first}</Said>
      {rest !== "" && (
        <Button aria-expanded={all} onClick={() => setAll(!all)}>
          {t(all ? "whyLess" : "whyMore", { count: rest.length })}
        </Button>
      )}
    </div>
  );
}
