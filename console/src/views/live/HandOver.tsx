import { useId, useState } from "react";
import { Answer } from "../../kit/Answer";
import { Button } from "../../kit/Button";
import { Empty } from "../../kit/Panel";
import { visible } from "../../kit/Said";
import type { LiveRow } from "../../protocol/generated";
import { useAct, useCall, usePage, useStanding } from "../../shell/page";
import { handedOver } from "./acts";
import css from "./live.module.css";
import { t } from "./words";

/** A message with which another agent goes on. */
export function HandOver({ row, onClose }: { row: LiveRow; onClose: () => void }) {
  const agents = useCall("agent.list", {});
  const thread = useCall("thread.get", { thread_id: row.thread_id });
  return (
    <div className={css.form} onKeyDown={(event) => event.key === "Escape" && onClose()}>
      <Answer call={agents} what={t("handOver")}>
        {({ agents: all }) => (
          <Answer call={thread} what={t("handOver")}>
            {(about) => {
              const has = about.active_agent ?? about.agent;
              const others = all.map((agent) => ({ id: agent.id, name: agent.name ?? agent.id })).filter((agent) => agent.id !== has);
              return others.length === 0 ? (
                <Empty>
                  {t("handOverNobody")} <Button onClick={onClose}>{t("close")}</Button>
                </Empty>
              ) : (
                <Form row={row} others={others} reached={about.reached ?? []} onClose={onClose} />
              );
            }}
          </Answer>
        )}
      </Answer>
    </div>
  );
}

interface FormProps {
  row: LiveRow;
  others: readonly { id: string; name: string }[];
  reached: readonly string[];
  onClose: () => void;
}

function Form({ row, others, reached, onClose }: FormProps) {
  const { connection, tell, threads } = usePage();
  const { textChars } = useStanding();
  const [to, setTo] = useState(() => (others.find(({ id }) => reached.includes(id)) ?? others[0])?.id ?? "");
  const [text, setText] = useState("");
  const [now, setNow] = useState(false);
  const [messageId] = useState(() => `con-${crypto.randomUUID()}`);
  const [busy, act] = useAct();
  const [agentField, textField] = [useId(), useId()];
  const options = (has: boolean) =>
    others
      .filter(({ id }) => reached.includes(id) === has)
      .map(({ id, name }) => (
        <option key={id} value={id}>
          {visible(name === id ? id : `${name} (${id})`)}
        </option>
      ));
  const [whole, alone] = [options(true), options(false)];
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        threads.owned(messageId);
        const message = handedOver(to, text, reached);
        void act(() =>
          connection.call("turn.send", { thread_id: row.thread_id, message_id: messageId, mode: now ? "interrupt" : "queue", ...message }),
        ).then((done) => {
          if (!done) return;
          tell(t("handedOver", { agent: to }));
          onClose();
        });
      }}
    >
      <div className={css.line}>
        <label htmlFor={agentField}>{t("handOverTo")}</label>
        <select id={agentField} autoFocus value={to} onChange={(event) => setTo(event.target.value)}>
          {whole.length > 0 && <optgroup label={t("handOverAll")}>{whole}</optgroup>}
          {alone.length > 0 && <optgroup label={t("handOverOne")}>{alone}</optgroup>}
        </select>
        <label>
          <input type="checkbox" checked={now} onChange={(event) => setNow(event.target.checked)} /> {t("handOverNow")}
        </label>
      </div>
      <label htmlFor={textField}>{t("handOverText")}</label>
      <div className={css.line}>
        <input id={textField} required maxLength={textChars - 130} dir="auto" value={text} onChange={(event) => setText(event.target.value)} />
        <Button type="submit" tone="main" busy={busy}>
          {t("handOverSend")}
        </Button>
        <Button onClick={onClose}>{t("close")}</Button>
      </div>
    </form>
  );
}
