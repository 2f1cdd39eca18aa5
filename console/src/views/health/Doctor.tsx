import { Answer } from "../../kit/Answer";
import { Button } from "../../kit/Button";
import { Badge, Empty, Panel, Problem } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import type { ChannelRow } from "../../protocol/generated";
import { useAct, useCall, useMay, usePage } from "../../shell/page";
import { count } from "../../text/figures";
import { Daemon } from "./Daemon";
import { findings, isWhole, textOf } from "./findings";
import css from "./health.module.css";
import { t } from "./words";

type Open = Record<string, unknown>;

export function Doctor() {
  const admin = useMay("admin");
  const status = useCall("system.status", {});
  const check = useCall("system.check", { everything: true }, admin);
  return (
    <>
      <Panel
        title={t("doctor")}
        actions={
          <Button
            onClick={() => {
              status.reload();
              if (admin) check.reload();
            }}
          >
            {t("lookAgain")}
          </Button>
        }
      >
        <Answer call={status} what={t("statusWhat")}>
          {(value) => <Findings status={value as Open} check={check.value as Open | null} />}
        </Answer>
        {!admin && <Empty>{t("noAdmin")}</Empty>}
        {admin && check.value === null && check.error === null && <Empty>{t("looking")}</Empty>}
        {check.error !== null && (
          <Answer call={check} what={t("checkWhat")}>
            {() => null}
          </Answer>
        )}
      </Panel>
      <div className={css.beside}>
        <Panel title={t("about")}>
          <Answer call={status} what={t("statusWhat")}>
            {(value) => <About status={value as Open} />}
          </Answer>
          {admin && <Daemon />}
        </Panel>
        <div>
          <Services />
          <Channels />
        </div>
      </div>
    </>
  );
}

const TONES = { ok: "good", warning: "warn", fault: "bad" } as const;

function Findings({ status, check }: { status: Open; check: Open | null }) {
  const all = findings(status, check);
  const faults = all.filter(({ state }) => state === "fault").length;
  const warnings = all.filter(({ state }) => state === "warning").length;
  return (
    <>
      <p role="status" className={css.worst}>
        {faults + warnings > 0 ? t("worst", { faults, warnings }) : t(isWhole(check) ? "allWell" : "partWell")}
      </p>
      <div className={css.scroll} tabIndex={0} role="group" aria-label={t("doctor")}>
        <table className={css.findings}>
          <thead>
            <tr>
              <th scope="col">{t("part")}</th>
              <th scope="col">{t("state")}</th>
              <th scope="col">{t("found")}</th>
              <th scope="col">{t("todo")}</th>
            </tr>
          </thead>
          <tbody>
            {all.map((one) => (
              <tr key={`${one.part} ${one.found}`}>
                <th scope="row">{one.part}</th>
                <td>
                  <Badge tone={TONES[one.state]}>{t(one.state)}</Badge>
                </td>
                <td>
                  <Said>{one.found}</Said>
                </td>
                <td>
                  <Said>{one.remedy}</Said>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const FACTS = ["version", "model", "home", "workspace", "store", "running", "queued"] as const;

function About({ status }: { status: Open }) {
  const how = textOf(status.how_to);
  return (
    <>
      <dl className={css.facts}>
        {FACTS.filter((name) => textOf(status[name]) !== "").map((name) => (
          <div key={name}>
            <dt>{t(name)}</dt>
            <dd>
              <Said>{textOf(status[name])}</Said>
            </dd>
          </div>
        ))}
      </dl>
      {how !== "" && (
        <pre className={css.how} tabIndex={0}>
          <Said>{how}</Said>
        </pre>
      )}
    </>
  );
}

function Services() {
  const models = useCall("model.list", {});
  return (
    <Panel title={t("services")}>
      <Answer call={models} what={t("servicesWhat")}>
        {({ models: rows, troubles = [] }) =>
          troubles.length === 0 ? (
            <Empty>{t("servicesFine", { count: count(rows.length) })}</Empty>
          ) : (
            troubles.map((trouble) => (
              <Problem key={trouble}>
                <Said>{trouble}</Said>
              </Problem>
            ))
          )
        }
      </Answer>
    </Panel>
  );
}

function Channels() {
  const channels = useCall("notify.list", {});
  return (
    <Panel title={t("channels")}>
      <Answer call={channels} what={t("channelsWhat")}>
        {({ channels: rows }) =>
          rows.length === 0 ? (
            <Empty>{t("noChannels")}</Empty>
          ) : (
            <ul className={css.list}>
              {rows.map((row) => (
                <Channel key={row.channel} row={row} onTested={channels.reload} />
              ))}
            </ul>
          )
        }
      </Answer>
    </Panel>
  );
}

function Channel({ row, onTested }: { row: ChannelRow; onTested: () => void }) {
  const { connection, tell } = usePage();
  const admin = useMay("admin");
  const [busy, act] = useAct();
  const { channel } = row;
  return (
    <li>
      <div className={css.line}>
        <strong>
          <Said>{channel}</Said>
        </strong>
        <Said>{row.kinds.join(", ")}</Said>
        {row.failures > 0 && (
          <Badge tone="bad">
            {t("failures")}: {count(row.failures)}
          </Badge>
        )}
        {row.waiting > 0 && (
          <Badge>
            {t("waiting")}: {count(row.waiting)}
          </Badge>
        )}
        {admin && (
          <Button
            busy={busy}
            aria-label={t("testThis", { channel })}
            onClick={() =>
              void act(async () => {
                const { why } = await connection.call("notify.test", { channel });
                tell(why === "" ? t("tested", { channel }) : t("testFailed", { channel, why }), why === "" ? "plain" : "bad");
                onTested();
              })
            }
          >
            {t("test")}
          </Button>
        )}
      </div>
      {row.why !== "" && (
        <Problem>
          <Said>{row.why}</Said>
        </Problem>
      )}
    </li>
  );
}
