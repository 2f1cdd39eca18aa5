import { useEffect, useRef, useState } from "react";
import { Answer } from "../../../kit/Answer";
import { Button } from "../../../kit/Button";
import { Empty, Panel } from "../../../kit/Panel";
import { Said } from "../../../kit/Said";
import type { ChannelCode } from "../../../protocol/generated";
import type { Result } from "../../../protocol/wire";
import { useCall, useMay, useNow, usePage, type Loaded } from "../../../shell/page";
import { count, duration } from "../../../text/figures";
import css from "../health.module.css";
import { Sure } from "../Sure";
import { LetIn } from "./LetIn";
import { t } from "./words";

/** What is being decided of somebody who waits. */
type Deciding = { readonly row: ChannelCode; readonly as: "letIn" | "refuse" } | null;

/** Who was given a code: the codes are for whoever may let people in, others see how many there are. */
export function Waiting({ people }: { people: Loaded<Result<"channel.people">> }) {
  const admin = useMay("admin");
  const [deciding, setDeciding] = useState<Deciding>(null);
  const waiting = people.value?.codes ?? 0;
  const close = (): void => {
    setDeciding(null);
    people.reload();
  };
  return (
    <Panel title={t("waits")}>
      {waiting === 0 ? (
        <Empty>{t(people.value === null ? "looking" : "nobodyWaits")}</Empty>
      ) : admin ? (
        <Codes waiting={waiting} onDecide={setDeciding} />
      ) : (
        <Empty>{t("waitsNoAdmin", { count: count(waiting) })}</Empty>
      )}
      {deciding?.as === "letIn" && <LetIn row={deciding.row} people={people.value?.people ?? []} onClose={close} />}
      {deciding?.as === "refuse" && <Refuse row={deciding.row} onClose={close} />}
    </Panel>
  );
}

function Codes({ waiting, onDecide }: { waiting: number; onDecide: (deciding: Deciding) => void }) {
  // Asked for anew only when there are more or fewer: the audit log has each question that takes the scope admin.
  const codes = useCall("channel.codes", {});
  const { reload } = codes;
  const seen = useRef(waiting);
  useEffect(() => {
    if (seen.current === waiting) return;
    seen.current = waiting;
    reload();
  }, [waiting, reload]);
  return (
    <Answer call={codes} what={t("waitsWhat")}>
      {({ codes: rows }) => <Table rows={rows} onDecide={onDecide} />}
    </Answer>
  );
}

function Table({ rows, onDecide }: { rows: readonly ChannelCode[]; onDecide: (deciding: Deciding) => void }) {
  const now = useNow(1);
  return (
    <div className={css.scroll} tabIndex={0} role="group" aria-label={t("waits")}>
      <table>
        <thead>
          <tr>
            {(["code", "channel", "sender", "called", "left"] as const).map((name) => (
              <th key={name} scope="col">
                {t(name)}
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.code}>
              <th scope="row">
                <code>{row.code}</code>
              </th>
              <td>
                <Said>{row.channel}</Said>
              </td>
              <td>
                <Said>{row.sender}</Said>
              </td>
              <td>
                <Said>{row.called}</Said>
              </td>
              <td>{duration(Math.max(0, (Date.parse(row.until_at) - now) / 1000))}</td>
              <td className={css.end}>
                <Button aria-label={t("letInThis", { code: row.code })} onClick={() => onDecide({ row, as: "letIn" })}>
                  {t("letIn")}
                </Button>{" "}
                <Button tone="ghost" className={css.bad} aria-label={t("refuseThis", { code: row.code })} onClick={() => onDecide({ row, as: "refuse" })}>
                  {t("refuse")}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Refuse({ row, onClose }: { row: ChannelCode; onClose: () => void }) {
  const { connection } = usePage();
  const { code, sender, channel } = row;
  return (
    <Sure
      title={t("refuseThis", { code })}
      ask={t("refuseAsk", { code, sender, channel })}
      verb={t("refuse")}
      act={() => connection.call("channel.refuse", { code })}
      done={t("refused", { code })}
      onClose={onClose}
    />
  );
}
