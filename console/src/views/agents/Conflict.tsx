import { Answer } from "../../kit/Answer";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { Said, visible } from "../../kit/Said";
import { Sides } from "../../kit/Sides";
import type { AgentText } from "../../protocol/generated";
import { useCall } from "../../shell/page";
import css from "./agents.module.css";
import { onTop, type Draft, type OnTop } from "./draft";
import { t } from "./words";

interface ConflictProps {
  draft: Draft;
  onTheirs: (theirs: AgentText) => void;
  onMine: (mine: OnTop) => void;
  onClose: () => void;
}

/** What somebody else has saved meanwhile beside what a save would make of it, file by file. */
export function Conflict({ draft, onTheirs, onMine, onClose }: ConflictProps) {
  const saved = useCall("agent.get", { agent: draft.agent });
  return (
    <Dialog title={t("conflict")} onClose={onClose}>
      <Answer call={saved} what={t("files")}>
        {(theirs) => <Compared theirs={theirs} mine={onTop(draft, theirs)} onTheirs={onTheirs} onMine={onMine} onClose={onClose} />}
      </Answer>
    </Dialog>
  );
}

interface ComparedProps extends Omit<ConflictProps, "draft"> {
  theirs: AgentText;
  mine: OnTop;
}

function Compared({ theirs, mine, onTheirs, onMine, onClose }: ComparedProps) {
  return (
    <div className={css.form}>
      {mine.only.length > 0 && (
        <p>
          <Said>{t("conflictOnly", { files: mine.only.join(", ") })}</Said>
        </p>
      )}
      {mine.changed.map((file) => (
        <section key={file}>
          <h3>
            <Said>{file}</Said>
          </h3>
          {mine.both.includes(file) && <p className={css.warning}>{t("conflictBoth")}</p>}
          {!(file in theirs.files) && <p className={css.quiet}>{t("conflictGone")}</p>}
          {!(file in mine.draft.files) && <p className={css.quiet}>{t("conflictRemoved")}</p>}
          <Sides label={visible(file)} theirs={theirs.files[file] ?? ""} mine={mine.draft.files[file] ?? ""} />
        </section>
      ))}
      <div className={css.line}>
        <Button onClick={() => onMine(mine)}>{t("conflictTake")}</Button>
        <Button onClick={() => onTheirs(theirs)}>{t("conflictTheirs")}</Button>
        <Button onClick={onClose}>{t("conflictGoOn")}</Button>
      </div>
    </div>
  );
}
