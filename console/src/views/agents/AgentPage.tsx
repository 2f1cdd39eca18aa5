import { useState } from "react";
import { Link } from "wouter";
import { Answer } from "../../kit/Answer";
import { Button } from "../../kit/Button";
import { Empty, Panel, Problem } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import type { AgentRow } from "../../protocol/generated";
import { useAct, useCall, useMay, usePage } from "../../shell/page";
import css from "./agents.module.css";
import { Editor } from "./Editor";
import { TryIt } from "./TryIt";
import { t } from "./words";

/** One agent: its files and what it may use beside a place to try it. */
export function AgentPage({ id }: { id: string }) {
  const agents = useCall("agent.list", {});
  const admin = useMay("admin");
  const mayWrite = useMay("write");
  const [unsaved, setUnsaved] = useState(false);
  return (
    <>
      <p className={css.back}>
        <Link href="/agents">{t("back")}</Link>
      </p>
      <Answer call={agents} what={t("what")}>
        {({ agents: rows }) => {
          const row = rows.find((one) => one.id === id);
          return (
            <>
              <h1 className={css.heading}>
                <Said>{row?.name ?? id}</Said>
              </h1>
              {row === undefined ? (
                <Problem>
                  <Said>{t("notHere", { agent: id })}</Said>
                </Problem>
              ) : (
                <About row={row} />
              )}
              <div className={css.beside}>
                <div>{admin ? <Files id={id} agents={rows} onUnsaved={setUnsaved} onSaved={agents.reload} /> : <Empty>{t("noAdmin")}</Empty>}</div>
                {mayWrite && row !== undefined && <TryIt agent={id} unsaved={unsaved} />}
              </div>
            </>
          );
        }}
      </Answer>
    </>
  );
}

function About({ row }: { row: AgentRow }) {
  return (
    <p className={css.about}>
      {row.description !== undefined && row.description !== "" && (
        <>
          <Said>{row.description}</Said>
          <br />
        </>
      )}
      <span className={css.quiet}>
        <Said>{row.model}</Said> · {t("toolsCount", { count: row.tools.length })}
      </span>
    </p>
  );
}

interface FilesProps {
  id: string;
  agents: readonly AgentRow[];
  onUnsaved: (unsaved: boolean) => void;
  onSaved: () => void;
}

function Files({ id, agents, onUnsaved, onSaved }: FilesProps) {
  const { connection } = usePage();
  const saved = useCall("agent.get", { agent: id });
  const [busy, act] = useAct();
  if (saved.code === "not_found") {
    return (
      <Panel title={t("files")}>
        <Empty>
          <Said>{t("noFolder", { agent: id })}</Said>
        </Empty>
        <p>
          <Button
            tone="main"
            busy={busy}
            onClick={() =>
              void act(() => connection.call("agent.create", { agent: id, files: { "agent.toml": "" } })).then((done) => {
                if (done) saved.reload();
              })
            }
          >
            {t("makeFolder")}
          </Button>
        </p>
      </Panel>
    );
  }
  return (
    <Answer call={saved} what={t("files")}>
      {(text) => <Editor saved={text} agents={agents} onUnsaved={onUnsaved} onSaved={onSaved} />}
    </Answer>
  );
}
