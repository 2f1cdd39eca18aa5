import { useId, useState } from "react";
import { useHashLocation } from "wouter/use-hash-location";
import { Answer } from "../../kit/Answer";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import type { ToolRow } from "../../protocol/generated";
import { useAct, useCall, usePage } from "../../shell/page";
import { count } from "../../text/figures";
import css from "./agents.module.css";
import { Boxes } from "./Allowed";
import { firstSettings, GRANTS, listOf, reading, type Grant } from "./grant";
import { t } from "./words";

/** Makes an agent of a few words; the rest is done in its files. */
export function NewAgent({ onClose }: { onClose: () => void }) {
  const { connection, tell } = usePage();
  const [, go] = useHashLocation();
  const [id, setId] = useState("");
  const [description, setDescription] = useState("");
  const [soul, setSoul] = useState("");
  const tools = useCall("tool.list", {});
  const rows = tools.value?.tools ?? null;
  const [grant, setGrant] = useState<Grant>("reading");
  const [ticked, setTicked] = useState<readonly string[] | null>(null);
  const [busy, act] = useAct();
  const [idField, idHow, descriptionField, soulField] = [useId(), useId(), useId(), useId()];
  return (
    <Dialog title={t("newAgent")} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (rows === null) return;
          const files = { "agent.toml": firstSettings(description, listOf(grant, rows, ticked ?? reading(rows))), "soul.md": `${soul.trimEnd()}\n` };
          void act(() => connection.call("agent.create", { agent: id, files })).then((done) => {
            if (!done) return;
            tell(t("created", { agent: id }));
            onClose();
            go(`/agents/${encodeURIComponent(id)}`);
          });
        }}
      >
        <label htmlFor={idField}>{t("newId")}</label>
        <input
          id={idField}
          autoFocus
          required
          maxLength={64}
          pattern="[a-z0-9]+([_\-][a-z0-9]+)*"
          spellCheck={false}
          aria-describedby={idHow}
          value={id}
          onChange={(event) => setId(event.target.value)}
        />
        <p id={idHow} className={css.quiet}>
          {t("newIdHow")}
        </p>
        <label htmlFor={descriptionField}>{t("newDescription")}</label>
        <input id={descriptionField} dir="auto" value={description} onChange={(event) => setDescription(event.target.value)} />
        <label htmlFor={soulField}>{t("newSoul")}</label>
        <textarea id={soulField} required dir="auto" rows={6} value={soul} onChange={(event) => setSoul(event.target.value)} />
        <Answer call={tools} what={t("toolWhat")}>
          {({ tools: all }) => <Grants tools={all} grant={grant} ticked={ticked ?? reading(all)} onGrant={setGrant} onTicked={setTicked} />}
        </Answer>
        <div className={css.line}>
          <Button type="submit" tone="main" busy={busy} disabled={rows === null}>
            {t("create")}
          </Button>
          <Button onClick={onClose}>{t("cancel")}</Button>
        </div>
      </form>
    </Dialog>
  );
}

interface GrantsProps {
  tools: readonly ToolRow[];
  grant: Grant;
  ticked: readonly string[];
  onGrant: (grant: Grant) => void;
  onTicked: (names: readonly string[]) => void;
}

/** Which tools it may use from the first: each way with how many that is, and what it means. */
function Grants({ tools, grant, ticked, onGrant, onTicked }: GrantsProps) {
  const group = useId();
  return (
    <>
      <fieldset className={css.grants}>
        <legend>{t("allowTools")}</legend>
        {GRANTS.map((one) => (
          <div key={one}>
            <label>
              <input type="radio" name={group} checked={grant === one} aria-describedby={`${group}${one}`} onChange={() => onGrant(one)} />{" "}
              {t(GRANT_NAMES[one], { count: count((listOf(one, tools, ticked) ?? tools).length) })}
            </label>
            <p id={`${group}${one}`} className={css.quiet}>
              {t(GRANT_MEANS[one])}
            </p>
          </div>
        ))}
      </fieldset>
      {grant === "chosen" && (
        <Boxes
          told
          what="tools"
          values={ticked}
          head={null}
          all={tools.map((row) => ({ name: row.name, about: row.description }))}
          onValues={(names) => onTicked(names ?? [])}
        />
      )}
    </>
  );
}

const GRANT_NAMES = { none: "grantNone", reading: "grantReading", chosen: "grantChosen", all: "grantAll" } as const;
const GRANT_MEANS = { none: "meansNone", reading: "meansReading", chosen: "meansChosen", all: "meansAll" } as const;
