import { useId } from "react";
import { Link, useLocation } from "wouter";
import { Empty } from "../../kit/Panel";
import { visible } from "../../kit/Said";
import { Trouble } from "../../kit/Trouble";
import type { ViewProps } from "../table";
import { Known } from "./Known";
import css from "./memory.module.css";
import { Notes } from "./Notes";
import { useAgents } from "./useAgents";
import { t } from "./words";

const PARTS = ["notes", "known"] as const;

/** What an agent remembers: its notes, and who and what it knows. */
export default function MemoryView({ rest }: ViewProps) {
  const [named = "", part = ""] = rest.split("/");
  const { loaded, agent, ids } = useAgents(named);
  const at = PARTS.find((one) => one === part) ?? "notes";
  const [, navigate] = useLocation();
  const field = useId();
  return (
    <>
      <div className={css.head}>
        <div className={css.row}>
          <h1>{t("title")}</h1>
          {ids.length > 0 && (
            <>
              <label htmlFor={field}>{t("agent")}</label>
              <select id={field} value={agent} onChange={(event) => navigate(`/memory/${encodeURIComponent(event.target.value)}/${at}`)}>
                {ids.map((id) => (
                  <option key={id} value={id}>
                    {visible(id)}
                  </option>
                ))}
              </select>
            </>
          )}
        </div>
        {agent !== "" && (
          <nav aria-label={t("parts")} className={css.tabs}>
            {PARTS.map((one) => (
              <Link key={one} href={`/memory/${encodeURIComponent(agent)}/${one}`} aria-current={one === at ? "page" : undefined}>
                {t(one)}
              </Link>
            ))}
          </nav>
        )}
      </div>
      <Trouble of={loaded} what={t("theAgents")} />
      {loaded.value === null && loaded.loading && agent === "" && <Empty>{t("loading")}</Empty>}
      {loaded.value !== null && agent === "" && <Empty>{t("noAgents")}</Empty>}
      {agent !== "" && (at === "notes" ? <Notes key={agent} agent={agent} /> : <Known key={agent} agent={agent} />)}
    </>
  );
}
