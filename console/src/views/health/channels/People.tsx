import { useState } from "react";
import { Answer } from "../../../kit/Answer";
import { Button } from "../../../kit/Button";
import { Badge, Empty, Panel } from "../../../kit/Panel";
import { Said } from "../../../kit/Said";
import type { ChannelPerson } from "../../../protocol/generated";
import type { Result } from "../../../protocol/wire";
import { useMay, usePage, type Loaded } from "../../../shell/page";
import css from "../health.module.css";
import { Sure } from "../Sure";
import { forgettable } from "./rows";
import { t } from "./words";

/** Who may write by channels. */
export function People({ call }: { call: Loaded<Result<"channel.people">> }) {
  const admin = useMay("admin");
  const [forgetting, setForgetting] = useState<string | null>(null);
  return (
    <Panel title={t("people")}>
      <Answer call={call} what={t("peopleWhat")}>
        {({ people: rows }) =>
          rows.length === 0 ? (
            <Empty>{t("nobody")}</Empty>
          ) : (
            <div className={css.scroll} tabIndex={0} role="group" aria-label={t("people")}>
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t("person")}</th>
                    <th scope="col">{t("mayShort")}</th>
                    <th scope="col">{t("identities")}</th>
                    <td />
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <Person key={row.person} row={row} onForget={admin ? setForgetting : null} />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Answer>
      {forgetting !== null && (
        <Forget
          person={forgetting}
          onClose={() => {
            setForgetting(null);
            call.reload();
          }}
        />
      )}
    </Panel>
  );
}

function Person({ row, onForget }: { row: ChannelPerson; onForget: ((person: string) => void) | null }) {
  return (
    <tr>
      <th scope="row">
        <Said>{row.person}</Said>
      </th>
      <td>{row.scopes.join(", ")}</td>
      <td>
        {row.identities.map(({ channel, sender, in_settings }) => (
          <div key={`${channel} ${sender}`}>
            <Said>{`${channel}: ${sender}`}</Said> {in_settings && <Badge>{t("inSettings")}</Badge>}
          </div>
        ))}
      </td>
      <td className={css.end}>
        {onForget !== null && forgettable(row) && (
          <Button tone="ghost" className={css.bad} aria-label={t("forgetThis", { person: row.person })} onClick={() => onForget(row.person)}>
            {t("forget")}
          </Button>
        )}
      </td>
    </tr>
  );
}

function Forget({ person, onClose }: { person: string; onClose: () => void }) {
  const { connection } = usePage();
  return (
    <Sure
      title={t("forgetThis", { person })}
      ask={t("forgetAsk", { person })}
      verb={t("forget")}
      act={() => connection.call("channel.forget", { person })}
      done={t("forgotten", { person })}
      onClose={onClose}
    />
  );
}
