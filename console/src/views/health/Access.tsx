import { useState } from "react";
import { Ago } from "../../kit/Ago";
import { Answer } from "../../kit/Answer";
import { Button } from "../../kit/Button";
import { Badge, Panel } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import type { PersonRow, TokenRow } from "../../protocol/generated";
import { useCall, useMay, usePage } from "../../shell/page";
import { dayAndClock } from "../../text/figures";
import css from "./health.module.css";
import { NewToken } from "./NewToken";
import { Sure } from "./Sure";
import { t } from "./words";

export function Access() {
  const admin = useMay("admin");
  return (
    <>
      <People />
      {admin && <Tokens />}
    </>
  );
}

function People() {
  const people = useCall("presence.list", {});
  return (
    <Panel title={t("people")} actions={<Button onClick={people.reload}>{t("lookAgain")}</Button>}>
      <Answer call={people} what={t("peopleWhat")}>
        {({ people: rows }) => (
          <div className={css.scroll} tabIndex={0} role="group" aria-label={t("people")}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t("person")}</th>
                  <th scope="col">{t("connected")}</th>
                  <th scope="col">{t("active")}</th>
                  <th scope="col">{t("activity")}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <Person key={row.person} row={row} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Answer>
    </Panel>
  );
}

function Person({ row }: { row: PersonRow }) {
  return (
    <tr>
      <th scope="row">
        <Said>{row.person}</Said> {!row.available && <Badge>{t("away")}</Badge>}
      </th>
      <td>{row.connected.length === 0 ? t("notConnected") : <Said>{row.connected.join(", ")}</Said>}</td>
      <td>{row.active_at === null ? t("never") : <Ago at={row.active_at} />}</td>
      <td>
        <Said>{row.activity}</Said>
      </td>
    </tr>
  );
}

function Tokens() {
  const tokens = useCall("token.list", {});
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<TokenRow | null>(null);
  return (
    <Panel
      title={t("tokens")}
      actions={
        <Button tone="main" onClick={() => setMaking(true)}>
          {t("newToken")}
        </Button>
      }
    >
      <Answer call={tokens} what={t("tokensWhat")}>
        {({ tokens: rows }) => (
          <div className={css.scroll} tabIndex={0} role="group" aria-label={t("tokens")}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t("name")}</th>
                  <th scope="col">{t("scopes")}</th>
                  <th scope="col">{t("made")}</th>
                  <th scope="col">{t("expires")}</th>
                  <td />
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.name}>
                    <th scope="row">
                      <Said>{row.name}</Said>
                    </th>
                    <td>{row.scopes.join(", ")}</td>
                    <td>
                      {row.created_at !== null && dayAndClock(row.created_at)} {row.by !== "" && <Said>{t("by", { name: row.by })}</Said>}
                    </td>
                    <td>{row.expired ? <Badge tone="warn">{t("expired")}</Badge> : row.expires_at === null ? t("forGood") : dayAndClock(row.expires_at)}</td>
                    <td className={css.end}>
                      <Button tone="ghost" className={css.bad} aria-label={t("revokeThis", { name: row.name })} onClick={() => setRevoking(row)}>
                        {t("revoke")}
                      </Button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Answer>
      {making && (
        <NewToken
          onClose={() => {
            setMaking(false);
            tokens.reload();
          }}
        />
      )}
      {revoking !== null && (
        <Revoke
          row={revoking}
          onClose={() => {
            setRevoking(null);
            tokens.reload();
          }}
        />
      )}
    </Panel>
  );
}

function Revoke({ row, onClose }: { row: TokenRow; onClose: () => void }) {
  const { connection } = usePage();
  const { name } = row;
  return (
    <Sure
      title={t("revokeThis", { name })}
      ask={name === "owner" ? t("revokeOwner") : t("revokeAsk", { name })}
      verb={t("revoke")}
      act={() => connection.call("token.revoke", { name })}
      done={t("revoked", { name })}
      onClose={onClose}
    />
  );
}
