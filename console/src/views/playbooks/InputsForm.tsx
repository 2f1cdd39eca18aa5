import { useId, useState, type ReactNode } from "react";
import { Button } from "../../kit/Button";
import { Said, visible } from "../../kit/Said";
import { asWritten, choiceText, readInputs, sends, type InputFault, type InputSpec } from "./run/inputs";
import css from "./playbooks.module.css";
import { t } from "./words";

interface InputsFormProps {
  specs: readonly InputSpec[];
  /** What fields begin with in the place of defaults. */
  values?: Readonly<Record<string, unknown>>;
  act: string;
  busy: boolean;
  children?: ReactNode;
  onValues: (values: Record<string, unknown>) => void;
}

/** A field for each input that a playbook declares. What is wrong is told at its field, and the first such field is gone to. */
export function InputsForm({ specs, values = {}, act, busy, children, onValues }: InputsFormProps) {
  const form = useId();
  const [written, setWritten] = useState<ReadonlyMap<string, string>>(
    () => new Map(specs.map((spec) => [spec.name, asWritten(spec, spec.name in values ? values[spec.name] : spec.default)])),
  );
  const [told, setTold] = useState(false);
  const { faults } = readInputs(specs, written);
  const idOf = (index: number): string => `${form}-${index}`;
  return (
    <form
      className={css.form}
      noValidate
      onKeyDown={(event) => {
        if (!sends(event)) return;
        event.preventDefault();
        if (!busy) event.currentTarget.requestSubmit();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        const found = readInputs(specs, written);
        setTold(true);
        const first = specs.findIndex((spec) => found.faults.has(spec.name));
        if (first === -1) onValues(found.values);
        else document.getElementById(idOf(first))?.focus();
      }}
    >
      {specs.length === 0 && <p className={css.quiet}>{t("noInputs")}</p>}
      {specs.map((spec, index) => {
        const fault = told ? faults.get(spec.name) : undefined;
        const id = idOf(index);
        return (
          <div key={spec.name} className={css.field}>
            <label htmlFor={id}>
              <Said>{spec.name}</Said>
            </label>
            <span id={`${id}-about`} className={css.quiet}>
              {spec.description !== "" && (
                <>
                  <Said>{spec.description}</Said>{" "}
                </>
              )}
              ({spec.type}
              {spec.type === "list" || spec.type === "object" ? `, ${t("json")}` : ""}, {spec.required ? t("required") : t("optional")})
            </span>
            <Field
              id={id}
              spec={spec}
              value={written.get(spec.name) ?? ""}
              fault={fault}
              onChange={(text) => setWritten((before) => new Map(before).set(spec.name, text))}
            />
            {fault !== undefined && (
              <span id={`${id}-fault`} role="alert" className={css.bad}>
                {faultText(fault, spec)}
              </span>
            )}
          </div>
        );
      })}
      {children}
      <div>
        <Button type="submit" tone="main" busy={busy}>
          {act}
        </Button>
      </div>
    </form>
  );
}

interface FieldProps {
  id: string;
  spec: InputSpec;
  value: string;
  fault: InputFault | undefined;
  onChange: (text: string) => void;
}

function Field({ id, spec, value, fault, onChange }: FieldProps) {
  const common = {
    id,
    value,
    required: spec.required,
    "aria-invalid": fault !== undefined,
    "aria-describedby": fault === undefined ? `${id}-about` : `${id}-about ${id}-fault`,
  };
  const choices = spec.choices.length > 0 ? spec.choices.map(choiceText) : spec.type === "boolean" ? ["true", "false"] : [];
  if (choices.length > 0) {
    return (
      <select {...common} onChange={(event) => onChange(event.target.value)}>
        <option value="">{t("choose")}</option>
        {choices.map((one) => (
          <option key={one} value={one}>
            {spec.type === "boolean" ? (one === "true" ? t("yes") : t("no")) : visible(one)}
          </option>
        ))}
      </select>
    );
  }
  if (spec.type === "number" || spec.type === "integer") return <input {...common} inputMode="decimal" onChange={(event) => onChange(event.target.value)} />;
  return <textarea {...common} rows={spec.type === "string" ? 2 : 4} onChange={(event) => onChange(event.target.value)} />;
}

function faultText(fault: InputFault, spec: InputSpec): string {
  switch (fault) {
    case "missing":
      return t("faultMissing");
    case "number":
      return t("faultNumber");
    case "integer":
      return t("faultInteger");
    case "json":
      return t("faultJson", { example: spec.type === "list" ? '["a", "b"]' : '{"a": 1}' });
    case "list":
      return t("faultList");
    case "object":
      return t("faultObject");
  }
}
