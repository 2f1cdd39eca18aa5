import { useState, useSyncExternalStore } from "react";
import { Link } from "wouter";
import { Button } from "../kit/Button";
import { Said } from "../kit/Said";
import { leave, sessionAbout } from "../protocol/session";
import { count } from "../text/figures";
import { lacksOf, VIEWS } from "../views/table";
import css from "./App.module.css";
import { useAct, usePage, useStanding } from "./page";
import { t } from "./words";

/** The list of views. On a narrow page it is folded behind a button. */
export function Sidebar({ at }: { at: string }) {
  const { connection, inbox } = usePage();
  const { scopes } = useStanding();
  const waits = useSyncExternalStore(inbox.subscribe, inbox.view);
  const waiting = waits.questions.length + waits.notices.length;
  const told = `${count(waiting)}${waits.more ? "+" : ""}`;
  const { name } = sessionAbout();
  const [open, setOpen] = useState(false);
  const [busy, act] = useAct();
  return (
    <nav className={css.side} aria-label={t("views")} data-open={open}>
      <div className={css.brand}>
        <strong>Sulla</strong>
        {name !== "" && (
          <span className={css.whose}>
            <Said>{name}</Said>
          </span>
        )}
        <Button className={css.menu} tone="ghost" aria-expanded={open} onClick={() => setOpen(!open)}>
          {t("menu")}
          {waiting > 0 && <span className={css.count}>{told}</span>}
        </Button>
      </div>
      <ul className={css.views}>
        {VIEWS.filter((view) => view.listed && scopes.length > 0 && lacksOf(view, scopes).length === 0).map((view) => (
          <li key={view.path}>
            <Link href={`/${view.path}`} aria-current={view.path === at ? "page" : undefined} onClick={() => setOpen(false)}>
              {t(view.path as "live")}
              {view.path === "inbox" && waiting > 0 && (
                <span className={css.count} aria-label={t("waiting", { count: told })}>
                  {told}
                </span>
              )}
            </Link>
          </li>
        ))}
        <li className={css.leave}>
          {name !== "" && <p className={css.whose}>{t("whose", { name })}</p>}
          <Button
            tone="ghost"
            busy={busy}
            onClick={() =>
              void act(async () => {
                await leave();
                connection.stop(t("left"));
              })
            }
          >
            {t("leave")}
          </Button>
        </li>
      </ul>
    </nav>
  );
}
