import { Ago } from "../../../kit/Ago";
import { Answer } from "../../../kit/Answer";
import { Button } from "../../../kit/Button";
import { Badge, Empty, Panel } from "../../../kit/Panel";
import { Said } from "../../../kit/Said";
import type { ChannelAccount, ChannelGivenUp } from "../../../protocol/generated";
import type { Result } from "../../../protocol/wire";
import { useAct, useMay, usePage, type Loaded } from "../../../shell/page";
import { count, dayAndClock } from "../../../text/figures";
import css from "../health.module.css";
import { inOrder, toneOf } from "./rows";
import { t } from "./words";

/** The channels, and how they do. */
export function Accounts({ call }: { call: Loaded<Result<"channel.list">> }) {
  return (
    <Panel title={t("channels")} actions={<Button onClick={call.reload}>{t("lookAgain")}</Button>}>
      <Answer call={call} what={t("channelsWhat")}>
        {({ channels: rows }) =>
          rows.length === 0 ? (
            <Empty>{t("noChannels")}</Empty>
          ) : (
            <div className={css.scroll} tabIndex={0} role="group" aria-label={t("channels")}>
              <table>
                <thead>
                  <tr>
                    {(["channel", "account", "state", "places", "waiting", "givenUp", "lastError"] as const).map((name) => (
                      <th key={name} scope="col">
                        {t(name)}
                      </th>
                    ))}
                    <td />
                  </tr>
                </thead>
                <tbody>
                  {inOrder(rows).map((row) => (
                    <Account key={row.channel} row={row} />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Answer>
    </Panel>
  );
}

function Account({ row }: { row: ChannelAccount }) {
  const admin = useMay("admin");
  return (
    <tr>
      <th scope="row">
        <Said>{row.channel}</Said> <span className={css.quiet}>{row.kind}</span>
      </th>
      <td>
        <Said>{row.account}</Said>
      </td>
      <td>
        <Badge tone={toneOf(row.state)}>{row.state}</Badge> <Ago at={row.since_at} />
      </td>
      <td>{count(row.places)}</td>
      <td>{count(row.waiting)}</td>
      <td>
        {count(row.given_up)} {row.last_given_up !== null && <LastGivenUp one={row.last_given_up} />}
      </td>
      <td>
        {row.failed_at === null ? (
          t("none")
        ) : (
          <>
            <Said>{row.failed_why}</Said> <span className={css.quiet}>{dayAndClock(row.failed_at)}</span>
          </>
        )}
      </td>
      <td className={css.end}>{admin && <Test channel={row.channel} />}</td>
    </tr>
  );
}

/** Why a message was given up, where it was to go, and when. */
function LastGivenUp({ one }: { one: ChannelGivenUp }) {
  return (
    <>
      <Said>{one.why}</Said>{" "}
      <span className={css.quiet}>
        <Said>{one.called === "" ? one.place : `${one.called} (${one.place})`}</Said>, {dayAndClock(one.at)}
      </span>
    </>
  );
}

function Test({ channel }: { channel: string }) {
  const { connection, tell } = usePage();
  const [busy, act] = useAct();
  return (
    <Button
      busy={busy}
      aria-label={t("testThis", { channel })}
      onClick={() =>
        void act(async () => {
          const { account, why } = await connection.call("channel.test", { channel });
          tell(why === "" ? t("tested", { channel, account }) : t("testFailed", { channel, why }), why === "" ? "plain" : "bad");
        })
      }
    >
      {t("test")}
    </Button>
  );
}
