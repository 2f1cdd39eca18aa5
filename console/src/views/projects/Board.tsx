import { useEffect, useRef, useState } from "react";
import { Badge, Empty } from "../../kit/Panel";
import { Said, visible } from "../../kit/Said";
import { codeOf } from "../../protocol/errors";
import { useAct, useMay, usePage } from "../../shell/page";
import { cards, columns, elsewhere, sameCard, wantsWhy, type Card, type State } from "./cards";
import { MoveMenu } from "./MoveMenu";
import { WhyDialog } from "./WhyDialog";
import css from "./projects.module.css";
import { t } from "./words";

const TONES = { pending: "plain", in_progress: "accent", blocked: "warn", failed: "bad", completed: "good" } as const;

/**
 * The tasks of a project in columns by their state. A move changes the line of the file, if the file is still the one that is shown.
 *
 * @param digest of the file that the cards were read from.
 */
export function Board({ project, all, digest, onMoved }: { project: string; all: readonly Card[]; digest: string; onMoved: () => void }) {
  const { connection, tell } = usePage();
  const [, act] = useAct();
  const may = useMay("write");
  const [moving, setMoving] = useState<string | null>(null);
  const [asked, setAsked] = useState<{ card: Card; state: State } | null>(null);
  const [over, setOver] = useState<State | null>(null);
  const dragged = useRef<Card | null>(null);
  const focused = useRef<string | null>(null);

  // A card that has moved is drawn anew in another column, when the file is here again: its button has the focus there as before,
  // unless the person has gone elsewhere meanwhile.
  useEffect(() => {
    const key = focused.current;
    if (key === null || moving !== null) return;
    const now = document.activeElement;
    if (now === null || now === document.body || now.getAttribute("data-card") === key) {
      document.querySelector<HTMLElement>(`[data-card="${CSS.escape(key)}"]`)?.focus();
    } else focused.current = null;
  }, [digest, moving]);

  const move = (card: Card, state: State, why?: string): void => {
    if (card.state === state || moving !== null) return;
    if (!elsewhere(card).includes(state)) {
      tell(t("onlyPlans", { state: t(`state_${state}`) }), "bad");
      return;
    }
    if (wantsWhy(state) && why === undefined) {
      setAsked({ card, state });
      return;
    }
    setAsked(null);
    setMoving(card.key);
    focused.current = card.key;
    void act(async () => {
      try {
        const asked = { project, state, why: why ?? "" };
        try {
          await connection.call("project.task.move", { ...asked, number: card.number, digest });
        } catch (error) {
          if (codeOf(error) !== "conflict") throw error;
          // The file is another, but the task may be as it was: then it is moved there.
          const now = await connection.call("project.get", { project });
          const same = sameCard(cards(now.tasks), card);
          if (same === null) throw error;
          await connection.call("project.task.move", { ...asked, number: same.number, digest: now.digest });
        }
        tell(visible(t("moved", { task: card.text, state: t(`state_${state}`) })));
      } catch (error) {
        const code = codeOf(error);
        if (code === "conflict") tell(t("conflict"), "bad");
        else if (code === "unknown_method") tell(t("olderMove"), "bad");
        else throw error;
      } finally {
        onMoved();
      }
    }).finally(() => setMoving(null));
  };

  if (all.length === 0) return <Empty>{t("noCards")}</Empty>;
  return (
    <>
      <div className={css.board}>
        {columns(all).map(({ state, cards: held, tasks }) => (
          <section
            key={state}
            className={css.column}
            aria-label={t(`state_${state}`)}
            data-over={over === state}
            data-empty={held.length === 0}
            onDragOver={(event) => {
              if (dragged.current === null) return;
              event.preventDefault();
              setOver(state);
            }}
            onDragLeave={(event) => {
              if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget))) setOver(null);
            }}
            onDrop={(event) => {
              event.preventDefault();
              setOver(null);
              if (dragged.current !== null) move(dragged.current, state);
              dragged.current = null;
            }}
          >
            <h3 className={css.columnHead}>
              {t(`state_${state}`)}{" "}
              <span className={css.quiet} title={t("count", { count: tasks })}>
                {tasks}
              </span>
            </h3>
            <ul className={css.plainList}>
              {held.map((card) => (
                <li
                  key={card.key}
                  className={css.card}
                  draggable={may}
                  data-tone={TONES[card.state]}
                  data-moving={moving === card.key}
                  onDragStart={(event) => {
                    dragged.current = card;
                    event.dataTransfer.effectAllowed = "move";
                    event.dataTransfer.setData("text/plain", card.text);
                  }}
                  onDragEnd={() => {
                    dragged.current = null;
                    setOver(null);
                  }}
                >
                  <CardBody card={card} may={may} moving={moving} onMove={move} />
                </li>
              ))}
            </ul>
            {held.length === 0 && <p className={css.quiet}>{t("emptyColumn")}</p>}
          </section>
        ))}
      </div>
      {may && <p className={css.quiet}>{t("dragHint")} {t("addHint")}</p>}
      {asked !== null && (
        <WhyDialog card={asked.card} state={asked.state} onClose={() => setAsked(null)} onSaid={(why) => move(asked.card, asked.state, why)} />
      )}
    </>
  );
}

interface BodyProps {
  card: Card;
  may: boolean;
  moving: string | null;
  onMove: (card: Card, state: State) => void;
  part?: boolean;
}

function CardBody({ card, may, moving, onMove, part = false }: BodyProps) {
  return (
    <>
      <div className={css.cardHead}>
        <div>
          <Said>{card.text}</Said>
          {card.id !== "" && (
            <>
              {" "}
              <code className={css.id}>{visible(card.id)}</code>
            </>
          )}
          {part && (
            <>
              {" "}
              <Badge tone={TONES[card.state]}>{t(`state_${card.state}`)}</Badge>
            </>
          )}
        </div>
        {may && <MoveMenu card={card} busy={moving === card.key} onMove={(state) => onMove(card, state)} />}
      </div>
      {card.why !== "" && (
        <p className={css.why}>
          <Said>{card.why}</Said>
        </p>
      )}
      {card.after.length > 0 && (
        <p className={css.quiet}>
          {t("after")}
          {card.after.map(({ text, done }, index) => (
            <span key={index} data-done={done}>
              {index > 0 && ", "}
              <Said>{text}</Said>
              {done && ` (${t("doneMark")})`}
            </span>
          ))}
        </p>
      )}
      {card.below.length > 0 && (
        <ul className={css.parts}>
          {card.below.map((below) => (
            <li key={below.key}>
              <CardBody card={below} may={may} moving={moving} onMove={onMove} part />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
