import type { ViewProps } from "../table";
import { Flows } from "./Flows";
import css from "./flows.module.css";
import { RouteAudit } from "./RouteAudit";
import { Routes } from "./Routes";
import { t } from "./words";

/** Flows, routes, and what routes did: each has an address of its own. */
export default function FlowsView({ rest }: ViewProps) {
  const [word = "", ...name] = rest.split("/").filter((part) => part !== "");
  const at = word === "routes" || word === "audit" ? word : "flows";
  const tab = (to: typeof at, address: string) => (
    <a href={address} aria-current={at === to ? "page" : undefined}>
      {t(to)}
    </a>
  );
  return (
    <>
      <div className={css.row}>
        <h1>{t("title")}</h1>
        <nav aria-label={t("pages")} className={css.tabs}>
          {tab("flows", "#/flows")}
          {tab("routes", "#/flows/routes")}
          {tab("audit", "#/flows/audit")}
        </nav>
      </div>
      {at === "flows" && <Flows name={word === "flow" ? name.join("/") : ""} />}
      {at === "routes" && <Routes />}
      {at === "audit" && <RouteAudit />}
    </>
  );
}
