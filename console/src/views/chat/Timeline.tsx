import { useEffect, useId, useMemo, useRef, useState } from "react";
import { Virtuoso, type VirtuosoHandle } from "react-virtuoso";
import { useLocation } from "wouter";
import { Button } from "../../kit/Button";
import { Empty } from "../../kit/Panel";
import { Said, visible } from "../../kit/Said";
import type { ThreadEvent } from "../../protocol/wire";
import { dayAndClock } from "../../text/figures";
import { pathOf } from "./address";
import css from "./chat.module.css";
import { Row } from "./items/Rows";
import { AroundContext, BelowContext, type Around } from "./shared";
import { offset, replayed, rowsOf, turnsOf, type Turn } from "./timeline";
import { t } from "./words";

const NOTHING_BELOW = new Map();

/** A turn as the list of its records, and what was to be seen of it at any of them. */
export function Timeline({ threadId, runId, records, lastSeq }: { threadId: string; runId: string; records: readonly ThreadEvent[]; lastSeq: number }) {
  const [, go] = useLocation();
  const field = useId();
  // The records grow in place: their last number says when there are more.
  // eslint-disable-next-line react-hooks/exhaustive-deps -- as above
  const turns = useMemo(() => turnsOf(records), [records, lastSeq]);
  const turn = turns.find((one) => one.runId === runId) ?? turns[0];
  if (turn === undefined) return <Empty>{t("noTurns")}</Empty>;
  return (
    <div className={css.timeline}>
      <div className={css.finder}>
        <label htmlFor={field}>{t("turn")}</label>
        <select id={field} className={css.turns} value={turn.runId} onChange={(event) => go(pathOf(threadId, event.target.value))}>
          {turns.slice(0, 500).map((one) => (
            <option key={one.runId} value={one.runId}>
              {t("turnAt", { time: dayAndClock(one.at), words: visible(one.words) })}
            </option>
          ))}
        </select>
      </div>
      <Replay key={turn.runId} threadId={threadId} turn={turn} />
    </div>
  );
}

function Replay({ threadId, turn }: { threadId: string; turn: Turn }) {
  const rows = useMemo(() => rowsOf(turn), [turn]);
  const [chosen, setChosen] = useState<number | null>(null);
  // As long as nobody has moved it, it stays at the end of a turn that goes on.
  const at = Math.min(chosen ?? rows.length, rows.length);
  const items = useMemo(() => replayed(threadId, turn, at), [threadId, turn, at]);
  const list = useRef<VirtuosoHandle>(null);
  const scrub = useId();
  const around = useMemo<Around>(() => ({ threadId, acts: false, open: new Set(), fork: () => undefined, edit: () => undefined, retry: () => undefined, sayAgain: () => undefined }), [threadId]);
  const current = rows[at - 1];
  useEffect(() => {
    list.current?.scrollIntoView({ index: Math.max(0, at - 1), behavior: "auto" });
  }, [at]);
  const move = (to: number): void => setChosen(Math.min(rows.length, Math.max(1, to)));
  return (
    <>
      <div className={css.scrubber}>
        <label htmlFor={scrub}>{t("scrub")}</label>
        <input
          id={scrub}
          type="range"
          min={1}
          max={rows.length}
          value={at}
          aria-valuetext={t("scrubAt", { at, all: rows.length, offset: offset(current?.offsetMs ?? 0) })}
          onChange={(event) => move(Number(event.target.value))}
        />
        <span className={css.buttons}>
          <Button disabled={at <= 1} onClick={() => move(1)}>
            {t("first")}
          </Button>
          <Button disabled={at <= 1} onClick={() => move(at - 1)}>
            {t("previous")}
          </Button>
          <Button disabled={at >= rows.length} onClick={() => move(at + 1)}>
            {t("next")}
          </Button>
          <Button disabled={at >= rows.length} onClick={() => move(rows.length)}>
            {t("last")}
          </Button>
        </span>
        <span className={css.quiet}>{t("scrubAt", { at, all: rows.length, offset: offset(current?.offsetMs ?? 0) })}</span>
      </div>
      <div className={css.replay}>
        <section className={css.records} aria-label={t("timelineOf")}>
          <Virtuoso
            ref={list}
            className={css.virtual}
            data={rows}
            computeItemKey={(_, row) => row.seq}
            itemContent={(index, row) => (
              <button type="button" className={css.record} aria-current={index === at - 1 ? "step" : undefined} data-past={index < at} onClick={() => move(index + 1)}>
                <span className={css.offset}>{offset(row.offsetMs)}</span>
                <span className={css.bar} aria-hidden="true">
                  <span className={css.mark} style={{ insetInlineStart: `${row.share * 100}%` }} />
                </span>
                <span className={css.recordWhat}>
                  <code>{row.type}</code> <Said>{row.what}</Said>
                </span>
              </button>
            )}
          />
        </section>
        <section className={css.replayed} aria-label={t("replayed")} tabIndex={0}>
          <h3>{t("replayed")}</h3>
          <AroundContext value={around}>
            <BelowContext value={NOTHING_BELOW}>
              {items.map((item) => (
                <div key={item.key} className={css.item}>
                  <Row item={item} />
                </div>
              ))}
            </BelowContext>
          </AroundContext>
        </section>
      </div>
    </>
  );
}
