import { Link } from "wouter";
import { useMay } from "../../shell/page";
import type { ViewProps } from "../table";
import { Access } from "./Access";
import { AuditLog } from "./AuditLog";
import { ChannelsPart } from "./channels/ChannelsPart";
import { DaemonLog } from "./DaemonLog";
import { Doctor } from "./Doctor";
import css from "./health.module.css";
import { t } from "./words";

const PARTS = [
  { path: "", name: "doctor", admin: false },
  { path: "channels", name: "talk", admin: false },
  { path: "log", name: "logs", admin: true },
  { path: "audit", name: "audit", admin: true },
  { path: "access", name: "access", admin: false },
] as const;

/** How the daemon is, what it has written down, and who may do what. */
export default function HealthView({ rest }: ViewProps) {
  const admin = useMay("admin");
  const parts = PARTS.filter((part) => admin || !part.admin);
  const at = parts.find((part) => part.path === rest)?.name ?? "doctor";
  return (
    <>
      <h1 className="visually-hidden">{t("title")}</h1>
      <nav className={css.parts} aria-label={t("parts")}>
        {parts.map((part) => (
          <Link key={part.name} href={part.path === "" ? "/health" : `/health/${part.path}`} aria-current={part.name === at ? "page" : undefined}>
            {t(part.name)}
          </Link>
        ))}
      </nav>
      {at === "doctor" && <Doctor />}
      {at === "talk" && <ChannelsPart />}
      {at === "logs" && <DaemonLog />}
      {at === "audit" && <AuditLog />}
      {at === "access" && <Access />}
    </>
  );
}
