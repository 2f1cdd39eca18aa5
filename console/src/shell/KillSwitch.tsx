import { useId, useState, useSyncExternalStore } from "react";
import { Button } from "../kit/Button";
import { Dialog } from "../kit/Dialog";
import { Said } from "../kit/Said";
import css from "./App.module.css";
import { useAct, useMay, usePage, useStanding } from "./page";
import { pausedWords } from "./paused";
import { t } from "./words";

/** The line at the top of every view: how the connection stands, and the switch that pauses all work. */
export function KillSwitch() {
  const { connection, live } = usePage();
  const standing = useStanding();
  const { switch: state } = useSyncExternalStore(live.subscribe, live.view);
  const admin = useMay("admin");
  const [asking, setAsking] = useState(false);
  const [busy, act] = useAct();
  return (
    <div className={css.top}>
      <div className={css.standing} role="status">
        {standing.state === "connecting" && (standing.cookies ? standing.why : t("connecting"))}
        {standing.state === "lost" && (
          <>
            {standing.cookies ? standing.why : standing.why === "" ? t("lost") : t("lostWhy", { why: standing.why })}{" "}
            <Button onClick={connection.start}>{t("retry")}</Button>
          </>
        )}
        {state.paused && <Said>{pausedWords(state)}</Said>}
      </div>
      {admin &&
        (state.paused ? (
          <Button tone="main" busy={busy} onClick={() => void act(() => connection.call("system.resume", {}))}>
            {t("resumeAll")}
          </Button>
        ) : (
          <Button tone="bad" onClick={() => setAsking(true)}>
            {t("stopAll")}
          </Button>
        ))}
      {asking && <Ask onClose={() => setAsking(false)} />}
    </div>
  );
}

function Ask({ onClose }: { onClose: () => void }) {
  const { connection } = usePage();
  const [busy, act] = useAct();
  const [reason, setReason] = useState("");
  const field = useId();
  return (
    <Dialog title={t("stopAll")} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          void act(() => connection.call("system.pause", { reason })).then((done) => {
            if (done) onClose();
          });
        }}
      >
        <p>{t("stopAllAsk")}</p>
        <label htmlFor={field}>{t("stopAllReason")}</label>
        <input id={field} value={reason} onChange={(event) => setReason(event.target.value)} />
        <div className={css.buttons}>
          <Button type="submit" tone="bad" busy={busy}>
            {t("stopAll")}
          </Button>
          <Button onClick={onClose}>{t("cancel")}</Button>
        </div>
      </form>
    </Dialog>
  );
}
