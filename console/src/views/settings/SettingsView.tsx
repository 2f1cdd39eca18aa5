import { useState } from "react";
import { Button } from "../../kit/Button";
import { Panel, Problem } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import { sessionAbout } from "../../protocol/session";
import { permission, turnOff, turnOn, type Permission } from "../../shell/bell";
import { useAct, useStanding } from "../../shell/page";
import { setTheme, theme, type Theme } from "../../shell/theme";
import { dayAndClock } from "../../text/figures";
import { SHORTCUTS } from "./keys";
import css from "./settings.module.css";
import { t } from "./words";

/** What belongs to this page in this browser, and nothing of the daemon. */
export default function SettingsView() {
  return (
    <>
      <h1 className="visually-hidden">{t("title")}</h1>
      <div className={css.beside}>
        <div>
          <Session />
          <Look />
          <Notifications />
        </div>
        <Keys />
      </div>
    </>
  );
}

function Session() {
  const { scopes, version } = useStanding();
  const { name, expiresAt } = sessionAbout();
  return (
    <Panel title={t("session")}>
      <dl className={css.facts}>
        <dt>{t("name")}</dt>
        <dd>{name === "" ? t("unknown") : <Said>{name}</Said>}</dd>
        <dt>{t("scopes")}</dt>
        <dd>
          <ul>
            {(["read", "write", "approve", "admin"] as const)
              .filter((scope) => scopes.includes(scope))
              .map((scope) => (
                <li key={scope}>
                  <code>{scope}</code>: {t(scope)}
                </li>
              ))}
          </ul>
        </dd>
        <dt>{t("expires")}</dt>
        <dd>{expiresAt === null ? t("unknown") : <time dateTime={expiresAt}>{dayAndClock(expiresAt)}</time>}</dd>
        <dt>{t("version")}</dt>
        <dd>
          <Said>{version}</Said>
        </dd>
      </dl>
    </Panel>
  );
}

function Look() {
  const [now, setNow] = useState<Theme>(theme);
  return (
    <Panel title={t("look")}>
      <fieldset className={css.themes}>
        <legend>{t("theme")}</legend>
        {(["system", "light", "dark"] as const).map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="theme"
              checked={now === one}
              onChange={() => {
                setTheme(one);
                setNow(one);
              }}
            />{" "}
            {t(one)}
          </label>
        ))}
      </fieldset>
      <p>
        {t("language")}: {t("english")}
      </p>
      <p className={css.quiet}>{t("kept")}</p>
    </Panel>
  );
}

function Notifications() {
  const [now, setNow] = useState<Permission>(permission);
  const [busy, act] = useAct();
  return (
    <Panel title={t("notify")}>
      <p>{t("notifyWhat")}</p>
      {now === "denied" && <Problem>{t("isDenied")}</Problem>}
      {now === "none" && <p className={css.quiet}>{t("isNone")}</p>}
      {(now === "on" || now === "off") && (
        <div className={css.line}>
          <span role="status">{t(now === "on" ? "isOn" : "isOff")}</span>
          {now === "on" ? (
            <Button onClick={() => setNow(turnOff())}>{t("notifyOff")}</Button>
          ) : (
            <Button busy={busy} onClick={() => void act(async () => setNow(await turnOn()))}>
              {t("notifyOn")}
            </Button>
          )}
        </div>
      )}
    </Panel>
  );
}

function Keys() {
  return (
    <Panel title={t("keys")}>
      <p>{t("keysHow")}</p>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("where")}</th>
            <th scope="col">{t("key")}</th>
            <th scope="col">{t("does")}</th>
          </tr>
        </thead>
        <tbody>
          {SHORTCUTS.map(({ where, keys, does }) => (
            <tr key={`${where} ${does}`}>
              <td>{t(where)}</td>
              <td>
                {keys.map((key) => (
                  <kbd key={key} className={css.key}>
                    {key}
                  </kbd>
                ))}
              </td>
              <td>{t(does)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}
