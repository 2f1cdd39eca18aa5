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
  const head = list.state === "absent" ? t(allOfThem(what) ? "allOf" : "noneOf") : null;
  const values = list.state === "list" ? list.values : null;
  const write = (next: readonly string[] | null): void => {
    const written = writeList(text, what, next);
    if (written !== null) onText(written);
  };
  return (
    <Panel title={t(HEADINGS[what])}>
      {list.state === "unclear" ? (
        <Empty>{t("unclear", { key: what })}</Empty>
      ) : what === "tools" ? (
        <ToolBoxes values={values} head={head} onValues={write} />
      ) : what === "skills" ? (
        <SkillBoxes values={values} head={head} onValues={write} />
      ) : others.length === 0 ? (
        <Empty>{t("noOthers")}</Empty>
      ) : (
        <Boxes what={what} values={values} head={head} all={others.map((name) => ({ name, about: "" }))} onValues={write} />
      )}
    </Panel>
  );
}

/** Without a list all tools and skills are allowed, and nobody of other agents. */
function allOfThem(what: What): boolean {
  return what === "tools" || what === "skills";
}

function ToolBoxes(props: Omit<BoxesProps, "what" | "all">) {
  const tools = useCall("tool.list", {});
  return (
    <Answer call={tools} what={t("toolWhat")}>
      {({ tools: rows }) => <Boxes {...props} what="tools" all={rows.map((row) => ({ name: row.name, about: row.description }))} />}
    </Answer>
  );
}

function SkillBoxes(props: Omit<BoxesProps, "what" | "all">) {
  const skills = useCall("skill.list", {});
  return (
    <Answer call={skills} what={t("skillWhat")}>
      {({ skills: rows }) => <Boxes {...props} what="skills" all={rows.map((row) => ({ name: row.name, about: row.description }))} />}
    </Answer>
  );
}

interface BoxesProps {
  what: What;
  /** The list as it is; null for none. */
  values: readonly string[] | null;
  /** What is so without a list; null where there is one. */
  head: string | null;
  all: readonly Choice[];
  /** The list is another one now; null takes it away. */
  onValues: (values: readonly string[] | null) => void;
  /** What each is for stands below its name, and there is always a list. */
  told?: boolean;
}

/** Names to tick, with a field to find one where there are many. */
export function Boxes({ what, values, head, all, onValues, told = false }: BoxesProps) {
  const [words, setWords] = useState("");
  const field = useId();
  const absent = allOfThem(what);
  const names = all.map(({ name }) => name);
  const shown = all.filter(({ name, about }) => `${name} ${about}`.toLowerCase().includes(words.toLowerCase()));
  const unknown = unknownIn(values, names);
  const isOn = (name: string): boolean => (what === "tools" && ALWAYS.has(name)) || allows(values, name, absent);
  return (
    <fieldset className={`${css.boxes ?? ""} ${told ? (css.told ?? "") : ""}`}>
      <legend>{head ?? t("listed", { count: names.filter(isOn).length, all: names.length })}</legend>
      <div className={css.line}>
        {all.length > MANY && (
          <>
            <label htmlFor={field}>{t("find")}</label>
            <input id={field} type="search" value={words} onChange={(event) => setWords(event.target.value)} />
          </>
        )}
        {absent && values !== null && !told && <Button onClick={() => onValues(null)}>{t("allAgain")}</Button>}
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
              <label title={told ? undefined : about.slice(0, 400)}>
                <input
                  type="checkbox"
                  checked={isOn(name)}
                  disabled={fixed}
                  onChange={(event) => onValues(withName(values, name, event.target.checked, names.filter((one) => what !== "tools" || !ALWAYS.has(one)), absent))}
                />{" "}
                <Said>{name}</Said>
                {fixed && <span className={css.quiet}> ({t("everybody")})</span>}
                {told && (
                  <span className={css.quiet}>
                    {" "}
                    <Said>{about}</Said>
                  </span>
                )}
              </label>
            </li>
          );
        })}
      </ul>
    </fieldset>
  );
}
