import { useId, useState } from "react";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { Badge, Empty, Panel, Problem } from "../../kit/Panel";
import { Said, visible } from "../../kit/Said";
import { useLookAgain } from "../../kit/useLookAgain";
import { useCall, useMay } from "../../shell/page";
import { editAddress, isName } from "./address";
import { draftNames, keepDraft } from "./draft";
import css from "./playbooks.module.css";
import { RunTable } from "./RunTable";
import { useRuns } from "./runs";
import { t } from "./words";

const FEW = 8;

/** The playbooks of the home, and the newest runs. */
export function ListPage() {
  const { value, error, loading, reload } = useCall("workflow.list", {});
  // An editor changes files without a word to anybody.
  useLookAgain(reload);
  const admin = useMay("admin");
  const [words, setWords] = useState("");
  const [drafts, setDrafts] = useState(draftNames);
  const [dropped, setDropped] = useState("");
  const field = useId();
  const runs = useRuns("");
  const all = value?.playbooks ?? [];
  const shown = all.filter((one) => one.playbook.toLowerCase().includes(words.trim().toLowerCase()));
  return (
    <>
      <div className={css.between}>
        <h1>{t("title")}</h1>
        <div className={css.row}>
          <a href="#/playbooks/runs">{t("allRuns")}</a>
          {admin && <a href="#/playbooks/new">{t("new")}</a>}
        </div>
      </div>
      {error !== null && (
        <Problem>
          {t("loadFailed", { why: error })} <Button onClick={reload}>{t("again")}</Button>
        </Problem>
      )}
      {admin && drafts.length > 0 && (
        <div className={css.note}>
          <p>{t("draftsLeft")}</p>
          <ul className={css.needs}>
            {drafts.slice(0, 50).map((name) => (
              <li key={name}>
                <a className={css.name} href={editAddress(name)}>
                  <Said>{name}</Said>
                </a>
                <Button aria-label={t("throwAwayOf", { name: visible(name) })} onClick={() => setDropped(name)}>
                  {t("throwAway")}
                </Button>
              </li>
            ))}
          </ul>
        </div>
      )}
      <Panel>
        {loading && value === null && error === null && <p>{t("loading")}</p>}
        {value !== null && all.length === 0 && <Empty>{admin ? t("none") : t("noneRead")}</Empty>}
        {all.length > FEW && (
          <p className={css.row}>
            <label htmlFor={field}>{t("filter")}</label>
            <input id={field} type="search" value={words} onChange={(event) => setWords(event.target.value)} />
          </p>
        )}
        {all.length > 0 && shown.length === 0 && <Empty>{t("noMatch")}</Empty>}
        {shown.length > 0 && (
          <div className={css.wide} tabIndex={0} role="region" aria-label={t("title")}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t("name")}</th>
                  <th scope="col">{t("state")}</th>
                  <th scope="col">{t("startedBy")}</th>
                  <th scope="col" className={css.figure}>
                    {t("steps")}
                  </th>
                </tr>
              </thead>
              <tbody>
                {shown.map((one) => (
                  <tr key={one.playbook}>
                    <td>
                      {isName(one.playbook) ? (
                        <a className={css.name} href={editAddress(one.playbook)}>
                          <Said>{one.playbook}</Said>
                        </a>
                      ) : (
                        <strong>
                          <Said>{one.playbook}</Said>
                        </strong>
                      )}{" "}
                      {admin && drafts.includes(one.playbook) && <Badge tone="warn">{t("unsaved")}</Badge>}
                      <div className={css.quiet}>
                        <Said>{one.description}</Said>
                      </div>
                    </td>
                    <td>
                      {one.trouble === "" ? <Badge tone="good">{t("ready")}</Badge> : <Badge tone="bad">{t("trouble")}</Badge>}
                      {one.trouble !== "" && (
                        <div className={css.trouble}>
                          <Said>{one.trouble}</Said>
                        </div>
                      )}
                      {!isName(one.playbook) && <div>{t("badFileName")}</div>}
                    </td>
                    <td>
                      {one.on.map((what) => (
                        <div key={what}>
                          <Said>{what}</Said>
                        </div>
                      ))}
                    </td>
                    <td className={css.figure}>{one.steps}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Panel>
      {dropped !== "" && (
        <Dialog title={t("throwAway")} onClose={() => setDropped("")}>
          <p>
            <Said>{t("throwAwayAsk", { name: dropped })}</Said>
          </p>
          <div className={css.row}>
            <Button
              tone="bad"
              onClick={() => {
                keepDraft(dropped, null);
                setDrafts(draftNames());
                setDropped("");
              }}
            >
              {t("throwAway")}
            </Button>
            <Button onClick={() => setDropped("")}>{t("cancel")}</Button>
          </div>
        </Dialog>
      )}
      <Panel title={t("runsTitle")} actions={<a href="#/playbooks/runs">{t("allRuns")}</a>}>
        <RunTable runs={runs} most={FEW} />
      </Panel>
    </>
  );
}
