import { useId, useState } from "react";
import { Link, useLocation } from "wouter";
import { Button } from "../../kit/Button";
import { Empty, Panel } from "../../kit/Panel";
import { Said, visible } from "../../kit/Said";
import { Trouble } from "../../kit/Trouble";
import { useAct, useCall, useMay, usePage } from "../../shell/page";
import { dayAndClock } from "../../text/figures";
import type { ViewProps } from "../table";
import { recognizers } from "./browser";
import { NoRecognizer } from "./NoRecognizer";
import { TalkPanel } from "./TalkPanel";
import css from "./voice.module.css";
import { t } from "./words";

/** Talk to an agent: choose where, then speak and hear. */
export default function VoiceView({ rest }: ViewProps) {
  return (
    <>
      <div className={css.bar}>
        <h1>{t("title")}</h1>
        {rest !== "" && (
          <div className={css.row}>
            <Link href={`/chat/${rest}`}>{t("read")}</Link>
            <Link href="/voice">{t("other")}</Link>
          </div>
        )}
      </div>
      {recognizers() === null ? <NoRecognizer /> : <p className={css.quiet}>{t("whereTo")}</p>}
      {rest === "" ? <Choose /> : <TalkPanel key={rest} threadId={rest} />}
    </>
  );
}

/** So many of the newest conversations are offered. */
const OFFERED = 20;

function Choose() {
  const { connection } = usePage();
  const may = useMay("write");
  const loaded = useCall("thread.recent", { kind: "chat", limit: OFFERED });
  const agents = useCall("agent.list", {});
  const [agent, setAgent] = useState("");
  const [busy, act] = useAct();
  const [, navigate] = useLocation();
  const field = useId();
  return (
    <Panel title={t("pickTitle")}>
      <p>{t(may ? "pick" : "pickOnly")}</p>
      {may && (
      <div className={css.row}>
        <label htmlFor={field}>{t("agent")}</label>
        <select id={field} value={agent} onChange={(event) => setAgent(event.target.value)}>
          <option value="">{t("homeAgent")}</option>
          {agents.value?.agents.map((one) => (
            <option key={one.id} value={one.id}>
              {visible(one.id)}
            </option>
          ))}
        </select>
        <Button
          tone="main"
          busy={busy}
          onClick={() =>
            void act(async () => {
              const made = await connection.call("thread.create", { agent: agent === "" ? null : agent, request_id: crypto.randomUUID() });
              navigate(`/voice/${made.thread_id}`);
            })
          }
        >
          {t("newTalk")}
        </Button>
      </div>
      )}
      <Trouble of={loaded} what={t("theThreads")} />
      {loaded.value === null && loaded.loading && <Empty>{t("loading")}</Empty>}
      {loaded.value?.threads.length === 0 && <Empty>{t("noThreads")}</Empty>}
      <ul className={css.threads}>
        {loaded.value?.threads.map((row) => (
          <li key={row.thread_id}>
            <Link href={`/voice/${row.thread_id}`}>
              <Said>{row.title !== "" ? row.title : row.words !== "" ? row.words : t("untitled")}</Said>
            </Link>{" "}
            <span className={css.quiet}>
              <Said>{row.agent}</Said>, {dayAndClock(row.active_at)}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
