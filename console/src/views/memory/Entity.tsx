import { useEffect, useRef, useState, type ReactNode } from "react";
import { Link } from "wouter";
import { Button } from "../../kit/Button";
import { Badge, Empty } from "../../kit/Panel";
import { Said, visible } from "../../kit/Said";
import { useCall, useMay, usePage } from "../../shell/page";
import { CorrectDialog, MergeDialog } from "./EntityDialogs";
import { ForgetDialog } from "./ForgetDialog";
import type { Entity as Known, Fact } from "./graph";
import css from "./memory.module.css";
import { t } from "./words";

type Opened =
  | { readonly what: "correct"; readonly about: string; readonly value: string }
  | { readonly what: "merge" }
  | { readonly what: "forget"; readonly id: string; readonly name: string };

/**
 * All that is known of one of them, each with where it came from.
 *
 * @param onChanged something of it is another now; with the id under which it is found from now on, if that is another, too.
 */
export function Entity({ agent, entity, all, onOpen, onChanged }: {
  agent: string;
  entity: Known;
  all: readonly Known[];
  onOpen: (id: string) => void;
  onChanged: (id?: string) => void;
}) {
  const { connection } = usePage();
  const may = useMay("write");
  const [opened, setOpened] = useState<Opened | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // What opens gets the focus, so that whoever chose it by keyboard reads on there.
  useEffect(() => heading.current?.focus(), []);
  const close = (): void => setOpened(null);
  const correct = (about: string, value: string): void => setOpened({ what: "correct", about, value });
  const rows = { entity, agent, may, all, onOpen, onCorrect: correct, onForget: (id: string, name: string) => setOpened({ what: "forget", id, name }) };
  return (
    <section aria-label={visible(entity.name)}>
      <header className={css.bar}>
        <h2 ref={heading} tabIndex={-1} className={css.title}>
          <Said>{entity.name}</Said>
        </h2>
        {entity.tainted && (
          <span title={t("outsideWhy")}>
            <Badge tone="warn">{t("outside")}</Badge>
          </span>
        )}
      </header>
      <dl className={css.about}>
        <dt>{t("kind")}</dt>
        <dd>
          <Said>{entity.kind}</Said>
          {entity.scope === "" && `, ${t("allAgents")}`}
        </dd>
        {entity.aliases.length > 0 && (
          <>
            <dt>{t("aliases")}</dt>
            <dd>
              <Said>{entity.aliases.join(", ")}</Said>
            </dd>
          </>
        )}
      </dl>
      {may && (
        <div className={css.row}>
          <Button onClick={() => correct("", "")}>{t("sayMore")}</Button>
          <Button onClick={() => correct("name", entity.name)}>{t("correct")}</Button>
          <Button disabled={all.length < 2} onClick={() => setOpened({ what: "merge" })}>
            {t("merge")}
          </Button>
          <Button tone="bad" onClick={() => setOpened({ what: "forget", id: entity.id, name: entity.name })}>
            {t("forget")}
          </Button>
        </div>
      )}
      <h3 className={css.part}>{t("facts")}</h3>
      {entity.facts.length === 0 ? <Empty>{t("noFacts")}</Empty> : <Facts {...rows} facts={entity.facts} />}
      {entity.relations.length > 0 && (
        <>
          <h3 className={css.part}>{t("relations")}</h3>
          <Facts {...rows} facts={entity.relations} />
        </>
      )}
      {entity.merges.length > 0 && (
        <>
          <h3 className={css.part}>{t("merges")}</h3>
          <ul className={css.plainList}>
            {entity.merges.map((id) => (
              <li key={id} className={css.row}>
                <code>{visible(id)}</code>
                {may && (
                  <Button className={css.small} onClick={() => setOpened({ what: "forget", id, name: t("merges") })}>
                    {t("takeBack")}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {opened?.what === "correct" && (
        <CorrectDialog agent={agent} entity={entity} about={opened.about} value={opened.value} onClose={close} onChanged={onChanged} />
      )}
      {opened?.what === "merge" && <MergeDialog agent={agent} entity={entity} all={all} onClose={close} onChanged={onChanged} />}
      {opened?.what === "forget" && (
        <ForgetDialog
          title={t("forgetTitle", { what: opened.name })}
          hint={t("forgetHint")}
          ask={async (code) => {
            const { forgotten, would_go: going = [], code: next = "" } = await connection.call("memory.forget", { agent, named: [opened.id], code });
            return { forgotten, going, code: next };
          }}
          onClose={close}
          onForgotten={() => onChanged()}
        />
      )}
    </section>
  );
}

function Facts({ facts, entity, agent, may, all, onOpen, onCorrect, onForget }: {
  facts: readonly Fact[];
  entity: Known;
  agent: string;
  may: boolean;
  all: readonly Known[];
  onOpen: (id: string) => void;
  onCorrect: (about: string, value: string) => void;
  onForget: (id: string, name: string) => void;
}) {
  return (
    <ul className={css.plainList}>
      {facts.map((fact) => {
        const other = fact.to === undefined || fact.to === "" ? undefined : all.find((one) => one.id === fact.to);
        const name = fact.back === true ? t("back", { name: fact.value, what: fact.what }) : `${fact.what}: ${fact.value}`;
        return (
          <li key={fact.id} className={css.fact}>
            <div>
              {fact.back === true ? (
                <Said>{name}</Said>
              ) : (
                <>
                  <span className={css.quiet}>
                    <Said>{fact.what}</Said>
                  </span>{" "}
                  <Said>{fact.value}</Said>
                </>
              )}
              {other !== undefined && other.id !== entity.id && (
                <>
                  {" "}
                  <Button className={css.small} tone="ghost" aria-label={visible(t("openEntity", { name: other.name }))} onClick={() => onOpen(other.id)}>
                    →
                  </Button>
                </>
              )}
            </div>
            <div className={css.noteFoot}>
              {fact.corrected ? <Badge tone="good">{t("corrected")}</Badge> : <Sources agent={agent} ids={fact.notes} />}
              {fact.tainted && (
                <span title={t("outsideWhy")}>
                  <Badge tone="warn">{t("outside")}</Badge>
                </span>
              )}
              {may && (
                <span className={css.row}>
                  {fact.back !== true && (
                    <Button className={css.small} onClick={() => onCorrect(fact.what, fact.value)}>
                      {t("correct")}
                    </Button>
                  )}
                  <Button className={css.small} tone="bad" onClick={() => onForget(fact.id, name)}>
                    {t("forget")}
                  </Button>
                </span>
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

/** The newest notes of an agent are looked through for those that something was drawn from. */
const LOOKED_THROUGH = 200;

/** The notes that something was drawn from: their words and conversation where they are among the newest, else their ids. */
function Sources({ agent, ids }: { agent: string; ids: readonly string[] }) {
  const [open, setOpen] = useState(false);
  if (ids.length === 0) return <span className={css.quiet}>{t("noSources")}</span>;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={css.quiet}>{`${t("sources")} ${ids.length === 1 ? (ids[0] ?? "") : String(ids.length)}`}</summary>
      {open && <SourceList agent={agent} ids={ids} />}
    </details>
  );
}

function SourceList({ agent, ids }: { agent: string; ids: readonly string[] }): ReactNode {
  const notes = useCall("memory.notes", { agent, limit: LOOKED_THROUGH });
  return (
    <ul className={css.plainList}>
      {ids.map((id) => {
        const note = notes.value?.notes.find((one) => one.id === id);
        return (
          <li key={id} className={css.quiet}>
            {note === undefined ? (
              <code>{visible(id)}</code>
            ) : (
              <>
                <Said>{note.text}</Said>{" "}
                {note.thread_id !== "" && <Link href={`/chat/${note.thread_id}`}>{t("conversation")}</Link>}
              </>
            )}
          </li>
        );
      })}
    </ul>
  );
}
