import { useState } from "react";
import { Button } from "../../kit/Button";
import { Problem } from "../../kit/Panel";
import { useCall, useMay } from "../../shell/page";
import { draftOf } from "./draft";
import { Editor } from "./editor/Editor";
import { savedOf } from "./editor/saved";
import { t } from "./words";

/** A playbook that there is. */
export default function EditorPage({ name }: { name: string }) {
  const { value, error, code, reload } = useCall("workflow.get", { playbook: name });
  const admin = useMay("admin");
  const [draft] = useState(() => draftOf(name));
  if (value === null && code === "not_found" && admin && draft !== null) {
    // It was begun here, or its file has gone since: what was written is still here.
    return <Editor name={name} first={{ text: "", digest: null, inputs: {}, trouble: "" }} />;
  }
  if (value === null) {
    return error === null ? (
      <p>{t("loading")}</p>
    ) : (
      <Problem>
        {t("loadFailed", { why: error })} <Button onClick={reload}>{t("again")}</Button> <a href="#/playbooks">{t("back")}</a>
      </Problem>
    );
  }
  return (
    <Editor
      name={name}
      first={savedOf(value)}
    />
  );
}
