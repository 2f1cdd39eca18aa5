import { useId, useState } from "react";
import { Button } from "../../kit/Button";
import { Panel } from "../../kit/Panel";
import { useCall, useMay } from "../../shell/page";
import { Editor } from "./editor/Editor";
import css from "./playbooks.module.css";
import { t } from "./words";

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

function template(name: string): string {
  return `name: ${name}
description: What it is for.
steps:
  - id: begin
    set: {greeting: Hello}
`;
}

/**
 * A playbook that there is not yet: first its name, then its text.
 *
 * @param onBegun its name is chosen.
 */
export default function NewPage({ onBegun }: { onBegun: (name: string) => void }) {
  const admin = useMay("admin");
  const list = useCall("workflow.list", {});
  const [name, setName] = useState("");
  const [begun, setBegun] = useState(false);
  const [told, setTold] = useState(false);
  const field = useId();
  if (!admin) return <p>{t("newNeeds")}</p>;
  if (begun) return <Editor name={name} first={{ text: template(name), digest: null, inputs: {}, trouble: "" }} />;
  const taken = list.value?.playbooks.some((one) => one.playbook === name) ?? false;
  const fault = !NAME.test(name) ? t("newNameBad") : taken ? t("nameTaken") : "";
  return (
    <>
      <div className={css.between}>
        <h1>{t("new")}</h1>
        <a href="#/playbooks">{t("back")}</a>
      </div>
      <Panel>
        <form
          className={css.form}
          onSubmit={(event) => {
            event.preventDefault();
            setTold(true);
            if (fault === "") {
              setBegun(true);
              onBegun(name);
            } else document.getElementById(field)?.focus();
          }}
        >
          <div className={css.field}>
            <label htmlFor={field}>{t("newName")}</label>
            <input id={field} value={name} autoComplete="off" aria-invalid={told && fault !== ""} aria-describedby={`${field}-hint`} onChange={(event) => setName(event.target.value)} />
            <span id={`${field}-hint`} className={told && fault !== "" ? css.bad : css.quiet} role={told && fault !== "" ? "alert" : undefined}>
              {told && fault !== "" ? fault : t("newNameHint")}
            </span>
          </div>
          <div>
            <Button type="submit" tone="main">
              {t("create")}
            </Button>
          </div>
        </form>
      </Panel>
    </>
  );
}
