import { useState } from "react";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { Problem } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import { RpcError } from "../../protocol/errors";
import type { Reloaded } from "../../protocol/generated";
import { useAct, usePage } from "../../shell/page";
import css from "./health.module.css";
import { t } from "./words";

/** What can be done to the daemon itself. */
export function Daemon() {
  const { connection } = usePage();
  const [busy, act] = useAct();
  const [told, setTold] = useState<Reloaded | string | null>(null);
  const [stopping, setStopping] = useState(false);
  const reload = (): Promise<boolean> =>
    act(async () => {
      try {
        setTold(await connection.call("system.reload", {}));
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        setTold(error.message);
      }
    });
  return (
    <>
      <div className={css.line}>
        <Button busy={busy} title={t("reloadHint")} onClick={() => void reload()}>
          {t("reload")}
        </Button>
        <Button tone="bad" onClick={() => setStopping(true)}>
          {t("stop")}
        </Button>
      </div>
      <div role="status">
        {typeof told === "string" && (
          <Problem>
            <Said>{t("reloadRefused", { why: told })}</Said>
          </Problem>
        )}
        {told !== null && typeof told !== "string" && <Taken told={told} />}
      </div>
      {stopping && <Stop onClose={() => setStopping(false)} />}
    </>
  );
}

function Taken({ told }: { told: Reloaded }) {
  const lists = [
    ["faults", told.faults ?? []],
    ["doubtful", told.doubtful ?? []],
    ["taken", told.taken],
    ["waits", told.waiting],
  ] as const;
  const full = lists.filter(([, said]) => said.length > 0);
  if (full.length === 0) return <p className={css.told}>{t("nothingNew")}</p>;
  return (
    <dl className={css.told}>
      {full.map(([name, said]) => (
        <div key={name}>
          <dt>{t(name)}</dt>
          {said.map((one) => (
            <dd key={one}>
              <Said>{one}</Said>
            </dd>
          ))}
        </div>
      ))}
    </dl>
  );
}

function Stop({ onClose }: { onClose: () => void }) {
  const { connection, tell } = usePage();
  const [now, setNow] = useState(false);
  const [busy, act] = useAct();
  return (
    <Dialog title={t("stop")} onClose={onClose}>
      <p>{t("stopAsk")}</p>
      <p>
        <label>
          <input type="checkbox" checked={now} onChange={(event) => setNow(event.target.checked)} /> {t("stopNow")}
        </label>
      </p>
      <div className={css.line}>
        <Button
          tone="bad"
          busy={busy}
          onClick={() =>
            void act(async () => {
              const { running, drain_s: seconds } = await connection.call("system.stop", { now });
              tell(t("stopping", { running, seconds }));
              onClose();
            })
          }
        >
          {t("stop")}
        </Button>
        <Button onClick={onClose}>{t("cancel")}</Button>
      </div>
    </Dialog>
  );
}
