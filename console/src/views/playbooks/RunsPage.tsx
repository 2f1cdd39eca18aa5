import { useId, useState } from "react";
import { Button } from "../../kit/Button";
import { Panel } from "../../kit/Panel";
import css from "./playbooks.module.css";
import { statusWord } from "./run/states";
import { RunTable } from "./RunTable";
import { useRuns } from "./runs";
import { t } from "./words";

const STATUSES = ["queued", "running", "waiting", "paused", "completed", "failed", "cancelled", "transferred"];

/** All runs of all playbooks. */
export function RunsPage() {
  const [status, setStatus] = useState("");
  const runs = useRuns(status);
  const field = useId();
  return (
    <>
      <div className={css.between}>
        <h1>{t("runsTitle")}</h1>
        <a href="#/playbooks">{t("back")}</a>
      </div>
      <Panel>
        <p className={css.row}>
          <label htmlFor={field}>{t("status")}</label>
          <select id={field} value={status} onChange={(event) => setStatus(event.target.value)}>
            <option value="">{t("anyStatus")}</option>
            {STATUSES.map((one) => (
              <option key={one} value={one}>
                {statusWord(one)}
              </option>
            ))}
          </select>
        </p>
        <RunTable runs={runs} />
        {runs.more && <Button onClick={runs.showMore}>{t("more")}</Button>}
      </Panel>
    </>
  );
}
