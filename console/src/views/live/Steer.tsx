import { useId, useState } from "react";
import { Button } from "../../kit/Button";
import type { LiveRow } from "../../protocol/generated";
import { useAct, usePage, useStanding } from "../../shell/page";
import css from "./live.module.css";
import { t } from "./words";

/** A line that joins the turn which is going on. */
export function Steer({ row, onClose }: { row: LiveRow; onClose: () => void }) {
  const { connection, tell, threads } = usePage();
  const { textChars } = useStanding();
  const field = useId();
  const [text, setText] = useState("");
  // The same message however often it is sent: what was lost on the way is not said twice.
  const [messageId] = useState(() => `con-${crypto.randomUUID()}`);
  const [busy, act] = useAct();
  return (
    <form
      className={css.form}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
      onSubmit={(event) => {
        event.preventDefault();
        threads.owned(messageId);
        void act(() => connection.call("turn.send", { thread_id: row.thread_id, message_id: messageId, text, mode: "steer" })).then((done) => {
          if (!done) return;
          tell(t("steered"));
          onClose();
        });
      }}
    >
      <label htmlFor={field}>{t("steerLabel")}</label>
      <div className={css.line}>
        <input id={field} autoFocus required maxLength={textChars} dir="auto" value={text} onChange={(event) => setText(event.target.value)} />
        <Button type="submit" tone="main" busy={busy}>
          {t("steerSend")}
        </Button>
        <Button onClick={onClose}>{t("close")}</Button>
      </div>
    </form>
  );
}
