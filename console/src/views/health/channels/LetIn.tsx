import { useId, useState } from "react";
import { Dialog, Foot } from "../../../kit/Dialog";
import { Said } from "../../../kit/Said";
import type { ChannelCode, ChannelPerson } from "../../../protocol/generated";
import type { Scope } from "../../../protocol/wire";
import { useAct, usePage, useStanding } from "../../../shell/page";
import css from "../health.module.css";
import { letting, pairing, SCOPES, USUAL } from "./rows";
import { t } from "./words";

interface LetInProps {
  row: ChannelCode;
  /** Who is known already. */
  people: readonly ChannelPerson[];
  onClose: () => void;
}

/** Asks who it is that was given a code, and what they may. */
export function LetIn({ row, people, onClose }: LetInProps) {
  const { connection, tell } = usePage();
  const { scopes: own } = useStanding();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(USUAL);
  const [busy, act] = useAct();
  const [nameField, hint] = [useId(), useId()];
  const found = letting(name, people);
  const wanted = pairing(row.code, name, people, scopes);
  return (
    <Dialog title={t("letInThis", { code: row.code })} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (wanted === null) return;
          void act(async () => {
            const { person, channel } = await connection.call("channel.pair", wanted);
            tell(t("letInDone", { person, channel }));
            onClose();
          });
        }}
      >
        <Who row={row} />
        <p>{t("letInHint")}</p>
        <label htmlFor={nameField}>{t("name")}</label>
        <input
          id={nameField}
          aria-describedby={hint}
          required
          maxLength={40}
          pattern="[a-z0-9][a-z0-9_.\-]*"
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <p id={hint} className={css.quiet}>
          {t("nameHint")}
        </p>
        {found.as === "known" ? (
          <p role="status">{t("known", { name: name.trim(), scopes: found.scopes.join(", ") })}</p>
        ) : (
          <fieldset className={css.scopes}>
            <legend>{t("may")}</legend>
            {SCOPES.filter((scope) => own.includes(scope)).map((scope) => (
              <label key={scope}>
                <input
                  type="checkbox"
                  checked={scopes.includes(scope)}
                  onChange={(event) => setScopes(event.target.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))}
                />{" "}
                {t(scope)}
              </label>
            ))}
          </fieldset>
        )}
        <Foot act={t("letIn")} busy={busy} disabled={wanted === null} onClose={onClose} />
      </form>
    </Dialog>
  );
}

/** What is known of a stranger, and what they only say. */
function Who({ row }: { row: ChannelCode }) {
  const facts = [
    ["code", row.code],
    ["channel", row.channel],
    ["sender", row.sender],
    ["called", row.called],
  ] as const;
  return (
    <dl className={css.facts}>
      {facts.map(([name, said]) => (
        <div key={name}>
          <dt>{t(name)}</dt>
          <dd>
            <Said>{said}</Said>
          </dd>
        </div>
      ))}
    </dl>
  );
}
