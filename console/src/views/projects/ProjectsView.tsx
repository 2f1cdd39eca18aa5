import { useState } from "react";
import { Link, useLocation } from "wouter";
import { Button } from "../../kit/Button";
import { Badge, Empty } from "../../kit/Panel";
import { Said, visible } from "../../kit/Said";
import { Trouble } from "../../kit/Trouble";
import { useLookAgain } from "../../kit/useLookAgain";
import type { Params } from "../../protocol/wire";
import { useCall, useMay } from "../../shell/page";
import { dayAndClock } from "../../text/figures";
import type { ViewProps } from "../table";
import { PlanDialog } from "./PlanDialog";
import { Planning } from "./Planning";
import { Progress } from "./Progress";
import { Project } from "./Project";
import css from "./projects.module.css";
import { t } from "./words";

/** All projects with how far they are; one of them as a board. */
export default function ProjectsView({ rest }: ViewProps) {
  return rest === "" ? <List /> : <Project name={rest} />;
}

function List() {
  const loaded = useCall("project.list", {});
  // An editor changes files without a word to anybody.
  useLookAgain(loaded.reload);
  const may = useMay("write");
  const [asking, setAsking] = useState(false);
  const [planned, setPlanned] = useState<Params<"project.plan"> | null>(null);
  const [, navigate] = useLocation();
  return (
    <>
      <div className={css.bar}>
        <h1>{t("title")}</h1>
        {may && (
          <Button tone="main" onClick={() => setAsking(true)}>
            {t("newPlan")}
          </Button>
        )}
      </div>
      {planned !== null && <Planning asked={planned} onMoved={loaded.reload} onWork={() => navigate(`/projects/${planned.project}`)} />}
      <Trouble of={loaded} what={t("theProjects")} />
      {loaded.value === null && loaded.loading && <Empty>{t("loading")}</Empty>}
      {loaded.value?.projects.length === 0 && <Empty>{t("none")}</Empty>}
      <ul className={css.projects}>
        {loaded.value?.projects.map((row) => (
          <li key={row.project} className={css.project}>
            <h2 className={css.tight}>
              <Link href={`/projects/${encodeURIComponent(row.project)}`}>
                <Said>{row.title === "" ? row.project : row.title}</Said>
              </Link>
            </h2>
            <div className={css.row}>
              <Badge>{visible(row.status)}</Badge>
              <Badge>{visible(row.priority)}</Badge>
              <Progress row={row} />
            </div>
            {row.last_activity_at !== "" && (
              <p className={css.quiet}>
                {t("lastActivity")}: {dayAndClock(row.last_activity_at)}
              </p>
            )}
            {row.trouble !== "" && (
              <p className={css.bad}>
                <Said>{t("trouble", { why: row.trouble })}</Said>
              </p>
            )}
          </li>
        ))}
      </ul>
      {asking && (
        <PlanDialog
          project={null}
          onClose={() => setAsking(false)}
          onBegun={(asked) => {
            setPlanned(asked);
            setAsking(false);
          }}
        />
      )}
    </>
  );
}
