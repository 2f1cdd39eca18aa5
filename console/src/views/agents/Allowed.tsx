import { useId, useState } from "react";
import { Answer } from "../../kit/Answer";
import { Button } from "../../kit/Button";
import { Empty, Panel } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import { useCall } from "../../shell/page";
import { ALWAYS, allows, unknownIn, withName } from "./allow";
import css from "./agents.module.css";
import { readList, writeList } from "./toml";
import { t } from "./words";

type What = "tools" | "skills" | "spawns" | "hands_to";

interface Choice {
  readonly name: string;
  readonly about: string;
}

const HEADINGS = { tools: "allowTools", skills: "allowSkills", spawns: "allowSpawns", hands_to: "allowHands" } as const;
/** From how many on there is a field to find one. */
const MANY = 12;

interface AllowedProps {
  /** The text of agent.toml. */
  text: string;
  what: What;
  others?: readonly string[];
  onText: (text: string) => void;
}

/** What an agent may use, as boxes to tick. They write the one line of its settings that says so. */
export function Allowed({ text, what, others = [], onText }: AllowedProps) {
  const list = readList(text, what);
  const absent = what === "tools" || what === "skills"; // without a list all of these are allowed, and nobody of others
  const head = list.state === "list" ? null : list.state === "absent" ? t(absent ? "allOf" : "noneOf") : null;
  return (
    <Panel title={t(HEADINGS[what])}>
      {list.state === "unclear" ? (
        <Empty>{t("unclear", { key: what })}</Empty>
      ) : what === "tools" ? (
        <ToolBoxes text={text} head={head} onText={onText} />
      ) : what === "skills" ? (
        <SkillBoxes text={text} head={head} onText={onText} />
      ) : others.length === 0 ? (
        <Empty>{t("noOthers")}</Empty>
      ) : (
        <Boxes text={text} what={what} absent={false} head={head} all={others.map((name) => ({ name, about: "" }))} onText={onText} />
      )}
    </Panel>
  );
}

function ToolBoxes({ text, head, onText }: { text: string; head: string | null; onText: (text: string) => void }) {
  const tools = useCall("tool.list", {});
  return (
    <Answer call={tools} what={t("toolWhat")}>
      {({ tools: rows }) => (
        <Boxes text={text} what="tools" absent head={head} all={rows.map((row) => ({ name: row.name, about: row.description }))} onText={onText} />
      )}
    </Answer>
  );
}

function SkillBoxes({ text, head, onText }: { text: string; head: string | null; onText: (text: string) => void }) {
  const skills = useCall("skill.list", {});
  return (
    <Answer call={skills} what={t("skillWhat")}>
      {({ skills: rows }) => (
        <Boxes text={text} what="skills" absent head={head} all={rows.map((row) => ({ name: row.name, about: row.description }))} onText={onText} />
      )}
    </Answer>
  );
}

interface BoxesProps {
  text: string;
  what: What;
  absent: boolean;
  head: string | null;
  all: readonly Choice[];
  onText: (text: string) => void;
}

function Boxes({ text, what, absent, head, all, onText }: BoxesProps) {
  const [words, setWords] = useState("");
  const field = useId();
  const list = readList(text, what);
  const values = list.state === "list" ? list.values : null;
  const names = all.map(({ name }) => name);
  const shown = all.filter(({ name, about }) => `${name} ${about}`.toLowerCase().includes(words.toLowerCase()));
  const unknown = unknownIn(values, names);
  const write = (next: readonly string[] | null): void => {
    const written = writeList(text, what, next);
    if (written !== null) onText(written);
  };
  const isOn = (name: string): boolean => (what === "tools" && ALWAYS.has(name)) || allows(values, name, absent);
  return (
    <fieldset className={css.boxes}>
      <legend>{head ?? t("listed", { count: names.filter(isOn).length, all: names.length })}</legend>
      <div className={css.line}>
        {all.length > MANY && (
          <>
            <label htmlFor={field}>{t("find")}</label>
            <input id={field} type="search" value={words} onChange={(event) => setWords(event.target.value)} />
          </>
        )}
        {absent && values !== null && <Button onClick={() => write(null)}>{t("allAgain")}</Button>}
      </div>
      {unknown.length > 0 && (
        <p className={css.warning}>
          <Said>{t("unknownNames", { names: unknown.join(", ") })}</Said>
        </p>
      )}
      {shown.length === 0 && (
        <p className={css.quiet}>
          <Said>{t("nothingFits", { words })}</Said>
        </p>
      )}
      <ul>
        {shown.map(({ name, about }) => {
          const fixed = what === "tools" && ALWAYS.has(name);
          return (
            <li key={name}>
              <label title={about.slice(0, 400)}>
                <input
                  type="checkbox"
                  checked={isOn(name)}
                  disabled={fixed}
                  onChange={(event) => write(withName(values, name, event.target.checked, names.filter((one) => what !== "tools" || !ALWAYS.has(one)), absent))}
                />{" "}
                <Said>{name}</Said>
                {fixed && <span className={css.quiet}> ({t("everybody")})</span>}
              </label>
            </li>
          );
        })}
      </ul>
    </fieldset>
  );
}
