import { useId, useState } from "react";
import { Button } from "../kit/Button";
import { Problem } from "../kit/Panel";
import css from "./App.module.css";
import { t } from "./words";

/** What a page without a session shows: how to get one. */
export function WayIn({ why, onToken }: { why: string; onToken: (token: string) => Promise<void> }) {
  const field = useId();
  const [token, setToken] = useState("");
  const [busy, setBusy] = useState(false);
  return (
    <main className={css.alone}>
      <h1>{t("wayInTitle")}</h1>
      {why !== "" && <Problem>{why}</Problem>}
      <p>{t("wayInTicket")}</p>
      <pre>sulla console</pre>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          setBusy(true);
          void onToken(token.trim()).finally(() => {
            setToken("");
            setBusy(false);
          });
        }}
      >
        <label htmlFor={field}>{t("wayInToken")}</label>
        <input id={field} type="password" autoComplete="off" spellCheck={false} required value={token} onChange={(event) => setToken(event.target.value)} />
        <Button type="submit" tone="main" busy={busy}>
          {t("enter")}
        </Button>
      </form>
    </main>
  );
}
