import { Said } from "../../../kit/Said";
import css from "../playbooks.module.css";
import type { Fault } from "../text/faults";
import { t } from "../words";

export function FaultList({ faults, onOpen }: { faults: readonly Fault[] | null; onOpen: (fault: Fault) => void }) {
  if (faults === null) return null;
  const errors = faults.filter((fault) => fault.severity === "error").length;
  return (
    <div>
      <p className={css.quiet} role="status">
        {faults.length === 0 ? t("faultsNone") : t("faults", { errors, warnings: faults.length - errors })}
      </p>
      <Faults faults={faults} onOpen={onOpen} />
    </div>
  );
}

/** Faults, each of which leads to its place in the text. */
export function Faults({ faults, onOpen }: { faults: readonly Fault[]; onOpen: (fault: Fault) => void }) {
  if (faults.length === 0) return null;
  return (
    <ul className={css.faults} aria-label={t("faultsTitle")}>
      {faults.slice(0, 200).map((fault, index) => (
        <li key={index}>
          <button type="button" onClick={() => onOpen(fault)}>
            <span className={fault.severity === "error" ? css.bad : css.warn}>{t(fault.severity)}</span> · {t("faultAt", { line: fault.line })} ·{" "}
            <Said>{fault.cause}</Said>
            {fault.rule !== "" && (
              <span className={css.quiet}>
                {" "}
                <Said>{fault.rule}</Said>
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}
