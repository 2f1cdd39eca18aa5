import { useEffect, useId, useRef, useState } from "react";
import { Button } from "../../kit/Button";
import { Said, visible } from "../../kit/Said";
import { editAddress } from "./address";
import { Heading } from "./Heading";
import css from "./playbooks.module.css";
import type { Rehearsed } from "./Rehearsal";
import { idOf, wouldWord } from "./run/states";
import { stepOfId, needText, type Sketch, type SketchStep } from "./text/outline";
import { t } from "./words";

interface StepPanelProps {
  step: SketchStep;
  of: Sketch;
  /** Whether it was just added: then its id has the focus. */
  naming: boolean;
  rehearsed: Rehearsed | null;
  way: number;
  onClose: () => void;
  onText: () => void;
  change?: {
    connect: (from: string, to: string) => void;
    disconnect: (from: string, to: string) => void;
    remove: (key: string) => void;
    rename: (key: string, id: string) => void;
  };
}

/** One step: what it waits for, what came of trying it out, and what can be done with it. */
export function StepPanel({ step, of, naming, rehearsed, way, onClose, onText, change }: StepPanelProps) {
  const field = useId();
  const [wanted, setWanted] = useState("");
  const beside = of.steps.filter((one) => one.list === step.list && one.key !== step.key && one.id !== "" && !step.needs.some((need) => need.said && need.id === one.id && need.way === ""));
  const other = step.kind === "playbook" || step.kind === "transfer" ? step.detail : "";
  const tried = rehearsed?.what === "dry" ? (rehearsed.ways[way]?.steps.filter((one) => idOf(one.at) === step.id) ?? []) : [];
  const calls = rehearsed?.what === "dry" ? (rehearsed.ways[way]?.calls.filter((one) => idOf(one.at) === step.id) ?? []) : [];
  return (
    <section
      className={css.side}
      aria-label={t("step")}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      <div className={css.between}>
        <Heading of={step.key}>
          <Said>{step.title || step.id || t("noId")}</Said> <span className={css.quiet}>{step.kind}</span>
        </Heading>
        <Button tone="ghost" onClick={onClose}>
          {t("closeStep")}
        </Button>
      </div>
      {change !== undefined && <IdField key={step.key} id={step.id} naming={naming} onId={(id) => change.rename(step.key, id)} />}
      {step.kind === "" && <p>{t("noKind")}</p>}
      {step.detail !== "" && (
        <p>
          <Said>{step.detail}</Said>
        </p>
      )}
      <h3>{t("waitsFor")}</h3>
      {step.needs.length === 0 && <p className={css.quiet}>{t("waitsNone")}</p>}
      <ul className={css.needs}>
        {step.needs.map((need) => {
          const from = stepOfId(of, need.id, step.list);
          return (
            <li key={needText(need)}>
              <span>
                <Said>{needText(need)}</Said> {!need.said && <span className={css.quiet}>{t("implied")}</span>}
              </span>
              {change !== undefined && need.said && from !== null && (
                <Button tone="ghost" aria-label={t("removeNeed", { id: need.id })} onClick={() => change.disconnect(from.key, step.key)}>
                  ×
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      {change !== undefined && beside.length > 0 && (
        <p className={css.row}>
          <label htmlFor={field}>{t("addNeed")}</label>
          <select id={field} value={wanted} onChange={(event) => setWanted(event.target.value)}>
            <option value="">{t("choose")}</option>
            {beside.slice(0, 500).map((one) => (
              <option key={one.key} value={one.key}>
                {visible(one.id)}
              </option>
            ))}
          </select>
          <Button
            disabled={wanted === ""}
            onClick={() => {
              change.connect(wanted, step.key);
              setWanted("");
            }}
          >
            {t("addNeedDo")}
          </Button>
        </p>
      )}
      {tried.length > 0 && (
        <>
          <h3>{t("dryRun")}</h3>
          {tried.slice(0, 50).map((one) => (
            <p key={one.at}>
              <Said>{one.at}</Said>: {wouldWord(one.status)} <Said>{one.what}</Said>
            </p>
          ))}
          {calls.slice(0, 50).map((one, index) => (
            <p key={index}>
              <Said>{t("would", { what: one.text })}</Said>
            </p>
          ))}
        </>
      )}
      <div className={css.row}>
        <Button onClick={onText}>{t("toText")}</Button>
        {other !== "" && (
          <a href={editAddress(other)}>
            <Said>{t("openPlaybook", { name: other })}</Said>
          </a>
        )}
        {change !== undefined && (
          <Button tone="bad" onClick={() => change.remove(step.key)}>
            {t("removeStep")}
          </Button>
        )}
      </div>
    </section>
  );
}

function IdField({ id, naming, onId }: { id: string; naming: boolean; onId: (id: string) => void }) {
  const [wanted, setWanted] = useState(id);
  const input = useRef<HTMLInputElement>(null);
  const field = useId();
  // Comes behind the effect of the heading above it, which takes the focus of every panel that opens.
  useEffect(() => {
    if (naming) input.current?.select();
  }, [naming]);
  return (
    <form
      className={css.row}
      onSubmit={(event) => {
        event.preventDefault();
        onId(wanted.trim());
      }}
    >
      <label htmlFor={field}>{t("id")}</label>
      <input ref={input} id={field} value={wanted} autoComplete="off" spellCheck={false} maxLength={64} onChange={(event) => setWanted(event.target.value)} />
      <Button type="submit" disabled={wanted.trim() === id || wanted.trim() === ""}>
        {t("rename")}
      </Button>
    </form>
  );
}
