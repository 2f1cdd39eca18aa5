import { Panel } from "../../kit/Panel";
import css from "./voice.module.css";
import { t } from "./words";

/** What to do where the browser recognizes no speech. */
export function NoRecognizer() {
  const address = new URL("./voice", location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  address.hash = "";
  return (
    <Panel title={t("none")}>
      <p>{t("noneBrowsers")}</p>
      <p>{t("noneVoice")}</p>
      <pre className={css.address}>{address.href}</pre>
      <p>{t("noneHow")}</p>
    </Panel>
  );
}
