import { useEffect, useId, useRef } from "react";
import { Button } from "../../kit/Button";
import { Badge, Empty, Panel, Problem } from "../../kit/Panel";
import { Said, visible } from "../../kit/Said";
import css from "./playbooks.module.css";
import type { Case, Way } from "./run/rehearsal";
import { wouldWord, toneOf } from "./run/states";
import { t } from "./words";

export type Rehearsed =
  | { readonly what: "tests"; readonly cases: readonly Case[]; readonly faults: readonly string[]; readonly cut: boolean; readonly text: string }
  | { readonly what: "dry"; readonly ways: readonly Way[]; readonly cut: boolean; readonly text: string };

interface RehearsalProps {
  of: Rehearsed;
  name: string;
  way: number;
  stale: boolean;
  onWay: (way: number) => void;
  onStep: (at: string) => void;
  onClose: () => void;
}

/** What came of the tests, or of a dry run: nothing of it has been done. */
export function Rehearsal({ of, name, way, stale, onWay, onStep, onClose }: RehearsalProps) {
  const actions = (
    <Button tone="ghost" onClick={onClose}>
      {t("close")}
    </Button>
  );
  const element = useRef<HTMLDivElement>(null);
  // It comes below the text and the graph, where nobody sees it come.
  useEffect(() => {
    element.current?.scrollIntoView({ block: "nearest" });
    element.current?.focus({ preventScroll: true });
  }, [of]);
  return (
    <div ref={element} role="group" aria-label={of.what === "tests" ? t("testsTitle") : t("dryTitle")} tabIndex={-1} className={css.result}>
      <Panel title={of.what === "tests" ? t("testsTitle") : t("dryTitle")} actions={actions}>
        {stale && <p className={css.quiet}>{t("changedSince")}</p>}
        {of.what === "tests" ? <Cases of={of} name={name} /> : <Ways of={of} way={way} onWay={onWay} onStep={onStep} />}
      </Panel>
    </div>
  );
}

function Cases({ of, name }: { of: Extract<Rehearsed, { what: "tests" }>; name: string }) {
  return (
    <>
      {of.faults.map((fault) => (
        <Problem key={fault}>
          <Said>{fault}</Said>
        </Problem>
      ))}
      {of.cases.length === 0 && of.faults.length === 0 && <Empty>{t("noTests", { name })}</Empty>}
      {of.cut && <p className={css.quiet}>{t("cutTests")}</p>}
      <ul className={css.log}>
        {of.cases.slice(0, 500).map((one, index) => (
          <li key={index}>
            <Badge tone={one.ok ? "good" : "bad"}>{one.ok ? t("caseOk") : t("caseBad")}</Badge> <Said>{one.name}</Said>
            {one.misses.map((miss) => (
              <div key={miss} className={css.trouble}>
                <Said>{miss}</Said>
              </div>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}

function Ways({ of, way, onWay, onStep }: { of: Extract<Rehearsed, { what: "dry" }>; way: number; onWay: (way: number) => void; onStep: (at: string) => void }) {
  const field = useId();
  const shown = of.ways[way];
  if (shown === undefined) return <Empty>{t("unknownAnswer")}</Empty>;
  return (
    <>
      <p className={css.row}>
        <label htmlFor={field}>{t("showWay")}</label>
        <select id={field} value={way} onChange={(event) => onWay(Number(event.target.value))}>
          {of.ways.map((one, index) => (
            <option key={index} value={index}>
              {t("way", { number: index + 1 })}
              {one.chosen === "" ? "" : `: ${visible(one.chosen)}`}
            </option>
          ))}
        </select>
        <Badge tone={toneOf(shown.status)}>{wouldWord(shown.status)}</Badge>
      </p>
      {shown.failure !== "" && (
        <Problem>
          <Said>{shown.failure}</Said>
        </Problem>
      )}
      {of.cut && <p className={css.quiet}>{t("cutWays")}</p>}
      <ul className={css.faults}>
        {shown.steps.slice(0, 500).map((step) => (
          <li key={step.at}>
            <button type="button" onClick={() => onStep(step.at)}>
              <Said>{step.at}</Said> · {wouldWord(step.status)}
              {step.what !== "" && (
                <>
                  {" "}
                  · <Said>{step.what}</Said>
                </>
              )}
            </button>
          </li>
        ))}
      </ul>
      <ul className={css.log}>
        {shown.assumed.map((what, index) => (
          <li key={`a${index}`}>
            <Said>{t("assumed", { what })}</Said>
          </li>
        ))}
        {shown.calls.map((call, index) => (
          <li key={`c${index}`}>
            <Said>{`${call.at}: ${t("would", { what: call.text.slice(0, 400) })}`}</Said>
            {call.refused !== "" && (
              <div className={css.trouble}>
                <Said>{t("wouldRefuse", { why: call.refused })}</Said>
              </div>
            )}
          </li>
        ))}
        {shown.asked.map((what, index) => (
          <li key={`q${index}`}>
            <Said>{what}</Said>
          </li>
        ))}
        {shown.told.map((what, index) => (
          <li key={`t${index}`}>
            <Said>{t("says", { what: what.slice(0, 400) })}</Said>
          </li>
        ))}
      </ul>
    </>
  );
}
