import { useState } from "react";
import { Link } from "wouter";
import { Ago } from "../../kit/Ago";
import { Answer } from "../../kit/Answer";
import { Button } from "../../kit/Button";
import { Badge, Empty, Panel } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import type { AgentRow, SkillRow } from "../../protocol/generated";
import { useCall, useMay } from "../../shell/page";
import { count } from "../../text/figures";
import type { ViewProps } from "../table";
import { AgentPage } from "./AgentPage";
import css from "./agents.module.css";
import { NewAgent } from "./NewAgent";
import { t } from "./words";

export default function AgentsView({ rest }: ViewProps) {
  return rest === "" ? <All /> : <AgentPage id={rest} />;
}

function All() {
  const agents = useCall("agent.list", {});
  const admin = useMay("admin");
  const [making, setMaking] = useState(false);
  return (
    <>
      <h1 className="visually-hidden">{t("title")}</h1>
      <Panel
        title={t("agents")}
        actions={
          admin && (
            <Button tone="main" onClick={() => setMaking(true)}>
              {t("newAgent")}
            </Button>
          )
        }
      >
        <Answer call={agents} what={t("what")}>
          {({ agents: rows }) => <AgentTable rows={rows} />}
        </Answer>
      </Panel>
      <Skills />
      {making && <NewAgent onClose={() => setMaking(false)} />}
    </>
  );
}

function AgentTable({ rows }: { rows: readonly AgentRow[] }) {
  return (
    <div className={css.scroll} role="group" aria-label={t("agents")} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("agent")}</th>
            <th scope="col">{t("model")}</th>
            <th scope="col">{t("tools")}</th>
            <th scope="col">{t("completion")}</th>
            <th scope="col">{t("sets")}</th>
            <th scope="col">{t("working")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row" className={css.name}>
                <Link href={`/agents/${encodeURIComponent(row.id)}`}>
                  <Said>{row.name ?? row.id}</Said>
                </Link>
                {row.name !== undefined && row.name !== row.id && (
                  <span className={css.quiet}>
                    {" "}
                    <Said>{row.id}</Said>
                  </span>
                )}
                {row.description !== undefined && row.description !== "" && (
                  <p>
                    <Said>{row.description}</Said>
                  </p>
                )}
              </th>
              <td>
                <Said>{row.model}</Said>
              </td>
              <td title={row.tools.slice(0, 40).join(", ")}>{count(row.tools.length)}</td>
              <td>{row.completion === "wrapper" ? t("wrapper") : t("plain")}</td>
              <td>{(row.spawns ?? []).length === 0 ? t("nobody") : <Said>{(row.spawns ?? []).join(", ")}</Said>}</td>
              <td>
                {row.working.length === 0
                  ? t("idle")
                  : row.working.slice(0, 5).map((work) => (
                      <div key={work.thread_id}>
                        <Link href={`/chat/${encodeURIComponent(work.thread_id)}`}>
                          <Ago at={work.since} />
                        </Link>{" "}
                        <Said>{work.project}</Said>
                      </div>
                    ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Skills() {
  const skills = useCall("skill.list", {});
  return (
    <Panel title={t("skills")}>
      <Answer call={skills} what={t("skillWhat")}>
        {({ skills: rows, troubles }) => (
          <>
            {troubles.map((trouble) => (
              <p key={trouble} className={css.warning}>
                <Said>{trouble}</Said>
              </p>
            ))}
            {rows.length === 0 ? <Empty>{t("noSkills")}</Empty> : <SkillTable rows={rows} />}
          </>
        )}
      </Answer>
    </Panel>
  );
}

const SOURCES: Record<string, "home" | "shipped" | "workspace"> = { home: "home", shipped: "shipped", workspace: "workspace" };

function SkillTable({ rows }: { rows: readonly SkillRow[] }) {
  return (
    <div className={css.scroll} role="group" aria-label={t("skills")} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("skill")}</th>
            <th scope="col">{t("source")}</th>
            <th scope="col">{t("trust")}</th>
            <th scope="col">{t("usedBy")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const source = SOURCES[row.source];
            return (
              <tr key={`${row.source} ${row.name}`}>
                <th scope="row" className={css.name}>
                  <Said>{row.name}</Said>
                  <p>
                    <Said>{row.description}</Said>
                  </p>
                </th>
                <td>{source === undefined ? <Said>{row.source}</Said> : t(source)}</td>
                <td>
                  {row.trusted ? <Badge tone="good">{t("trusted")}</Badge> : <Badge tone="warn">{row.changed ? t("changed") : t("untrusted")}</Badge>}
                </td>
                <td>{row.agents.length === 0 ? t("nobody") : <Said>{row.agents.join(", ")}</Said>}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
