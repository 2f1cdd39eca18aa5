import { memo, useCallback, useEffect, useEffectEvent, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { Virtuoso, type VirtuosoHandle } from "react-virtuoso";
import { Link, useLocation } from "wouter";
import { Button } from "../../kit/Button";
import { Badge, Empty, Problem } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import { useAct, useMay, usePage, useThread } from "../../shell/page";
import { standOf } from "../../shell/stand";
import type { InputItem, Item, ThreadView } from "../../thread/items";
import { Acts } from "./Acts";
import { pathOf, WRITE } from "./address";
import { announcement, heard } from "./announce";
import css from "./chat.module.css";
import { Composer, type Taken } from "./Composer";
import { NOTHING, sayingAgain } from "./composing";
import { againId, Forks, notCopied, saidIn } from "./forks";
import { foundAt } from "./found";
import { Row } from "./items/Rows";
import { AroundContext, BelowContext, NotCopiedContext, useCopying, type Around } from "./shared";
import { StandBadge } from "./StandBadge";
import { moves, MOVED_MS, sticks } from "./sticking";
import { Timeline } from "./Timeline";
import { t } from "./words";

/** One conversation: who speaks, what was said and done, and where the next message is written. */
export function Conversation({ threadId, timeline, runId, at }: { threadId: string; timeline: boolean; runId: string; at: number }) {
  const { live, threads } = usePage();
  const { paused } = useSyncExternalStore(live.subscribe, live.view).switch;
  const [, go] = useLocation();
  const opened = useThread(threadId);
  const { view } = opened;
  // A long conversation is there from its end, while what came before is still on its way.
  const seen = opened.newest ?? view;
  const [, act] = useAct();
  const [draft, setDraft] = useState<Taken | null>(null);
  const from = useMemo(() => new Forks(sessionStorage).from(threadId), [threadId]);
  const heading = useRef<HTMLHeadingElement>(null);
  const title = view.title === "" ? firstWords(view.items) : view.title;

  // The conversation that a person has gone to has the focus; the one that the page begins with does not take it.
  useEffect(() => {
    if (document.activeElement !== null && document.activeElement !== document.body) heading.current?.focus();
  }, [threadId]);

  const copyBefore = useCopying(threadId);
  const around = useMemo<Around>(() => {
    return {
      threadId, acts: true, open: new Set(),
      retry: (runId: string) => {
        const said = threads.now(threadId).view.items.find((item) => item.kind === "input" && item.runId === runId);
        // What goes wrong is shown at the message.
        if (said?.kind !== "input") return;
        void threads.send(threadId, said.text, said.seq === null ? {} : { again: { thread_id: threadId, seq: said.seq } }).catch(() => undefined);
      },
      sayAgain: (runId: string) => {
        for (const item of saidIn(threads.now(threadId).view.items, runId)) {
          const again = { thread_id: threadId, seq: item.seq ?? 0 };
          // What goes wrong is shown at the message.
          void threads.send(threadId, item.text, { again }, againId(item)).catch(() => undefined);
        }
      },
      fork: (item: InputItem) => {
        const { seq } = item;
        if (seq !== null) void act(async () => go(pathOf(await copyBefore(seq)), WRITE));
      },
      edit: (item: InputItem) => {
        if (item.seq === null) {
          const again = threads.saysAgain(item.messageId);
          threads.forget(threadId, item.messageId);
          setDraft({ draft: { ...NOTHING, text: item.text, again }, at: Date.now() });
        } else setDraft({ draft: sayingAgain(threadId, item, item.seq), at: Date.now() });
      },
    };
  }, [act, copyBefore, go, threadId, threads]);

  return (
    <AroundContext value={around}>
      <BelowContext value={view.below}>
        <section className={css.conversation} aria-label={title === "" ? t("untitled") : title}>
          <header className={css.head}>
            <Link href="/chat" className={css.back}>
              ← {t("back")}
            </Link>
            <h2 ref={heading} tabIndex={-1} className={css.title}>
              <Said>{title === "" ? t("untitled") : title}</Said>
            </h2>
            {view.agent !== "" && (
              <Badge>
                <Said>{t("speaks", { agent: view.agent })}</Said>
              </Badge>
            )}
            {seen.running !== "" && <StandBadge stand={standOf({ asks: seen.asks, rests: seen.suspended, paused })} />}
            <div className={css.headActs}>
              {timeline ? <Link href={pathOf(threadId)}>{t("conversation")}</Link> : <Link href={pathOf(threadId, "")}>{t("timeline")}</Link>}
              <Acts
                threadId={threadId}
                title={title}
                tainted={view.tainted}
              />
            </div>
          </header>
          {from !== "" && (
            <p className={css.quiet}>
              {t("copyOf")} · <Link href={pathOf(from)}>{t("copyBack")}</Link>
            </p>
          )}
          <Announcer view={view} ready={opened.ready} />
          {opened.trouble !== null ? (
            <Problem>
              <Said>{opened.troubleCode === "not_found" ? t("deleted") : t("gone", { why: opened.trouble })}</Said>
            </Problem>
          ) : !opened.ready && (timeline || opened.newest === null) ? (
            <p>{t("loading")}</p>
          ) : timeline ? (
            <Timeline threadId={threadId} runId={runId} records={opened.records} lastSeq={view.lastSeq} />
          ) : (
            <NotCopiedContext value={notCopied(seen.items)}>
              <Log threadId={threadId} view={seen} whole={opened.ready} draft={draft} at={at} />
            </NotCopiedContext>
          )}
        </section>
      </BelowContext>
    </AroundContext>
  );
}

function firstWords(items: readonly Item[]): string {
  const first = items.find((item) => item.kind === "input");
  return first?.kind === "input" ? first.text.replace(/\s+/g, " ").slice(0, 80) : "";
}

/** Reads out that a turn began or ended and that a question waits; nothing of what was before the conversation was opened. */
function Announcer({ view, ready }: { view: ThreadView; ready: boolean }) {
  const place = useRef<HTMLParagraphElement>(null);
  const before = useRef<ReturnType<typeof heard> | null>(null);
  useEffect(() => {
    if (!ready) return;
    const said = before.current === null ? "" : announcement(before.current, view);
    before.current = heard(view);
    if (said !== "" && place.current !== null) place.current.textContent = said;
  }, [view, ready]);
  return <p ref={place} role="status" className="visually-hidden" />;
}

const LAST = { index: "LAST", align: "end" } as const;

/** Any number that is higher than that of the items which may come to stand before the first one. */
const FAR = 10_000_000;

interface LogProps {
  threadId: string;
  view: ThreadView;
  /** Whether what came before is here, too. */
  whole: boolean;
  draft: Taken | null;
  /** The number of the message at which it is opened, and which is marked; 0 for its end. */
  at: number;
}

const Log = memo(function Log({ threadId, view, whole, draft, at }: LogProps) {
  const mayWrite = useMay("write");
  const list = useRef<VirtuosoHandle>(null);
  const place = useRef<HTMLDivElement>(null);
  const found = useMemo(() => foundAt(view.items, at), [view.items, at]);
  const foundKey = view.items[found]?.key ?? "";
  const stuck = useRef(found === -1);
  const movedAt = useRef(-Infinity);
  const [away, setAway] = useState(false);
  const [seenItems, setSeenItems] = useState(view.items.length);
  const toBottom = useCallback((): void => {
    stuck.current = true;
    setAway(false);
    list.current?.scrollToIndex({ ...LAST, behavior: "auto" });
  }, []);
  const follow = useCallback((): void => {
    if (stuck.current && performance.now() - movedAt.current > MOVED_MS) toBottom();
  }, [toBottom]);
  const atBottomChanged = (atBottom: boolean): void => {
    stuck.current = sticks(stuck.current, atBottom, performance.now() - movedAt.current);
    setAway(!stuck.current);
    if (stuck.current && !atBottom) toBottom();
  };
  // A smaller window or a longer message below leaves less room; a page in the background was not drawn.
  useEffect(() => {
    const room = place.current;
    if (room === null) return;
    const resized = new ResizeObserver(follow);
    resized.observe(room);
    const seen = (): void => {
      if (document.visibilityState === "visible") follow();
    };
    const moved = (event: Event): void => {
      if (moves(event)) movedAt.current = performance.now();
    };
    const kinds = ["wheel", "touchmove", "keydown", "pointerdown", "click"] as const;
    for (const kind of kinds) room.addEventListener(kind, moved, { passive: true, capture: true });
    document.addEventListener("visibilitychange", seen);
    return () => {
      resized.disconnect();
      document.removeEventListener("visibilitychange", seen);
      for (const kind of kinds) room.removeEventListener(kind, moved, { capture: true });
    };
  }, [follow]);
  const [foundBefore, setFoundBefore] = useState("");
  if (foundKey !== "" && foundBefore !== `${at} ${foundKey}`) {
    setFoundBefore(`${at} ${foundKey}`);
    setAway(true);
  }
  // Who has come by a search sees what was found, as soon as it is here; what comes later moves it no more.
  const foundIndex = useEffectEvent(() => found);
  useEffect(() => {
    if (foundKey === "") return;
    movedAt.current = performance.now();
    stuck.current = false;
    list.current?.scrollToIndex({ index: foundIndex(), align: "center", behavior: "auto" });
  }, [foundKey, at]);
  if (!away && seenItems !== view.items.length) setSeenItems(view.items.length);
  // What comes to stand before the first item moves nothing of what is read.
  const firstKey = view.items[0]?.key ?? "";
  const [front, setFront] = useState({ key: firstKey, index: FAR });
  if (front.key !== firstKey) {
    const earlier = Math.max(0, view.items.findIndex((item) => item.key === front.key));
    setFront({ key: firstKey, index: front.index - earlier });
    setSeenItems(seenItems + earlier);
  }
  return (
    <>
      <div ref={place} className={css.log}>
        {!whole && <p className={css.earlier}>{t("earlier")}</p>}
        {view.items.length === 0 ? (
          <Empty>{mayWrite ? t("nothingYet") : t("nothingMay")}</Empty>
        ) : (
          <Virtuoso
            ref={list}
            className={css.virtual}
            data={view.items}
            firstItemIndex={front.index}
            computeItemKey={(_, item) => item.key}
            itemContent={(_, item) => (
              <div className={item.key === foundKey ? `${css.item} ${css.found}` : css.item}>
                {item.key === foundKey && <p className={css.foundHere}>{t("foundHere")}</p>}
                <Row item={item} />
              </div>
            )}
            initialTopMostItemIndex={found === -1 ? LAST : { index: found, align: "center" }}
            followOutput={() => (stuck.current ? "auto" : false)}
            totalListHeightChanged={follow}
            atBottomThreshold={48}
            atBottomStateChange={atBottomChanged}
            increaseViewportBy={200}
            aria-label={t("conversation")}
          />
        )}
        {away && view.items.length > 0 && (
          <Button className={css.toBottom} onClick={toBottom}>
            {view.items.length > seenItems ? t("toBottomNew") : t("toBottom")}
          </Button>
        )}
      </div>
      <Composer key={threadId} threadId={threadId} view={view} draft={draft} onSent={() => setTimeout(toBottom, 50)} />
    </>
  );
});
