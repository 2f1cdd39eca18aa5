import { useId, useState } from "react";
import { useLocation } from "wouter";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { visible } from "../../kit/Said";
import { useAct, useCall, usePage } from "../../shell/page";
import { pathOf, WRITE } from "./address";
import css from "./chat.module.css";
import { t } from "./words";

/** Begins a conversation: with which agent, about which project. */
export function NewConversation({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const { connection } = usePage();
  const [, go] = useLocation();
  const [busy, act] = useAct();
  const agents = useCall("agent.list", {});
  const projects = useCall("project.list", {});
  const [agent, setAgent] = useState("");
  const [project, setProject] = useState("");
  const [title, setTitle] = useState("");
  const [requestId] = useState(() => `con-${crypto.randomUUID()}`);
  const ids = { agent: useId(), project: useId(), title: useId() };
  return (
    <Dialog title={t("newTitle")} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          void act(async () => {
            const { thread_id: threadId } = await connection.call("thread.create", {
              request_id: requestId, ...(agent === "" ? {} : { agent }), ...(project === "" ? {} : { project }), ...(title.trim() === "" ? {} : { title: title.trim() }),
            });
            onMade();
            onClose();
            go(pathOf(threadId), WRITE);
          });
        }}
      >
        <label htmlFor={ids.agent}>{t("agent")}</label>
        <select id={ids.agent} value={agent} onChange={(event) => setAgent(event.target.value)}>
          <option value="">{t("agentNone")}</option>
          {agents.value?.agents.map((one) => (
            <option key={one.id} value={one.id}>
              {visible(one.name == null || one.name === "" || one.name === one.id ? one.id : `${one.name} (${one.id})`)}
            </option>
          ))}
        </select>
        {(projects.value?.projects.length ?? 0) > 0 && (
          <>
            <label htmlFor={ids.project}>{t("project")}</label>
            <select id={ids.project} value={project} onChange={(event) => setProject(event.target.value)}>
              <option value="">{t("projectNone")}</option>
              {projects.value?.projects.map((one) => (
                <option key={one.project} value={one.project}>
                  {visible(one.title === "" ? one.project : one.title)}
                </option>
              ))}
            </select>
          </>
        )}
        <label htmlFor={ids.title}>{t("titleField")}</label>
        <input id={ids.title} maxLength={200} value={title} onChange={(event) => setTitle(event.target.value)} />
        <div className={css.buttons}>
          <Button type="submit" tone="main" busy={busy}>
            {t("begin")}
          </Button>
          <Button onClick={onClose}>{t("cancel")}</Button>
        </div>
      </form>
    </Dialog>
  );
}
