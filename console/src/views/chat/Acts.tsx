import { useId, useState } from "react";
import { useLocation } from "wouter";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { Empty, Problem } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import { useAct, useCall, useMay, usePage } from "../../shell/page";
import { dayAndClock } from "../../text/figures";
import { pathOf, WRITE } from "./address";
import css from "./chat.module.css";
import { download, fileName, wholeExport } from "./exporting";
import { ofNewer } from "./shared";
import { t } from "./words";

type Asking = "" | "rename" | "delete" | "why";

/** What can be done with a conversation as a whole. */
export function Acts({ threadId, title, tainted }: { threadId: string; title: string; tainted: boolean }) {
  const { connection, tell } = usePage();
  const write = useMay("write");
  const [open, setOpen] = useState(false);
  const [asking, setAsking] = useState<Asking>("");
  const [busy, act] = useAct();
  const list = useId();
  const exported = (form: "markdown" | "lines"): void => {
    void act(async () => {
      const parts = await ofNewer("thread.export", () => wholeExport(connection, threadId, form));
      const file = fileName(title, threadId, form);
      download(parts, file);
      tell(t("exported", { file }));
    });
  };
  return (
    <>
      {tainted && (
        <Button tone="ghost" className={css.warnButton} onClick={() => setAsking("why")}>
          {t("why")}
        </Button>
      )}
      <Button aria-expanded={open} aria-controls={open ? list : undefined} onClick={() => setOpen(!open)}>
        {t("actions")}
      </Button>
      {open && (
        <div id={list} className={css.acts} role="group" aria-label={t("actions")}>
          {write && <Button onClick={() => setAsking("rename")}>{t("rename")}</Button>}
          <Button busy={busy} onClick={() => exported("markdown")}>
            {t("exportMarkdown")}
          </Button>
          <Button busy={busy} onClick={() => exported("lines")}>
            {t("exportJsonl")}
          </Button>
          {write && (
            <Button tone="bad" onClick={() => setAsking("delete")}>
              {t("remove")}
            </Button>
          )}
        </div>
      )}
      {asking === "rename" && <Rename threadId={threadId} title={title} onClose={() => setAsking("")} />}
      {asking === "delete" && <Delete threadId={threadId} title={title} onClose={() => setAsking("")} />}
      {asking === "why" && <Why threadId={threadId} onClose={() => setAsking("")} />}
    </>
  );
}

function Rename({ threadId, title, onClose }: { threadId: string; title: string; onClose: () => void }) {
  const { connection } = usePage();
  const [busy, act] = useAct();
  const [name, setName] = useState(title);
  const field = useId();
  const hint = useId();
  return (
    <Dialog title={t("renameTitle")} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          void act(() => connection.call("thread.rename", { thread_id: threadId, title: name.trim(), request_id: `con-${crypto.randomUUID()}` })).then((done) => {
            if (done) onClose();
          });
        }}
      >
        <label htmlFor={field}>{t("rename")}</label>
        <input id={field} maxLength={200} aria-describedby={hint} value={name} onChange={(event) => setName(event.target.value)} />
        <p id={hint} className={css.quiet}>
          {t("renameHint")}
        </p>
        <div className={css.buttons}>
          <Button type="submit" tone="main" busy={busy}>
            {t("save")}
          </Button>
          <Button onClick={onClose}>{t("cancel")}</Button>
        </div>
      </form>
    </Dialog>
  );
}

function Delete({ threadId, title, onClose }: { threadId: string; title: string; onClose: () => void }) {
  const { connection, tell } = usePage();
  const [, go] = useLocation();
  const [busy, act] = useAct();
  return (
    <Dialog title={t("removeTitle")} onClose={onClose}>
      <p>
        <Said>{t("removeAsk", { title: title === "" ? t("untitled") : title })}</Said>
      </p>
      <div className={css.buttons}>
        <Button
          tone="bad"
          busy={busy}
          onClick={() =>
            void act(() => connection.call("thread.delete", { thread_id: threadId })).then((done) => {
              if (!done) return;
              tell(t("removed"));
              onClose();
              go("/chat");
            })
          }
        >
          {t("remove")}
        </Button>
        <Button onClick={onClose}>{t("cancel")}</Button>
      </div>
    </Dialog>
  );
}

function Why({ threadId, onClose }: { threadId: string; onClose: () => void }) {
  const { connection, tell } = usePage();
  const [, go] = useLocation();
  const may = useMay("write");
  const [busy, act] = useAct();
  const [requestId] = useState(() => `con-${crypto.randomUUID()}`);
  const { value, error, reload } = useCall("safety.explain", { thread_id: threadId });
  return (
    <Dialog title={t("whyTitle")} onClose={onClose}>
      {error !== null && (
        <>
          <Problem>
            <Said>{error}</Said>
          </Problem>
          <Button onClick={reload}>{t("again")}</Button>
        </>
      )}
      {value === null ? (
        error === null && <p>{t("loading")}</p>
      ) : value.marks.length === 0 ? (
        <Empty>{t("whyNone")}</Empty>
      ) : (
        <>
          <p>{t("whySays")}</p>
          <div className={css.scroll} tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t("record")}</th>
                  <th scope="col">{t("whyWhere")}</th>
                  <th scope="col">{t("whyWords")}</th>
                  <th scope="col">{t("whyWhen")}</th>
                </tr>
              </thead>
              <tbody>
                {value.marks.map((mark) => (
                  <tr key={mark.seq}>
                    <td>{mark.seq}</td>
                    <td>
                      <Said>{mark.source}</Said>
                    </td>
                    <td>
                      <Said>{mark.words}</Said>
                    </td>
                    <td>{dayAndClock(mark.at)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {value.more_marks > 0 && <p className={css.quiet}>{t("whyMore", { count: value.more_marks })}</p>}
          {value.held.length > 0 && (
            <>
              <h3>{t("whyHeld")}</h3>
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t("whyTool")}</th>
                    <th scope="col">{t("whyReason")}</th>
                    <th scope="col">{t("whyAnswer")}</th>
                  </tr>
                </thead>
                <tbody>
                  {value.held.map((call) => (
                    <tr key={call.seq}>
                      <td>
                        <Said>{call.tool}</Said>
                      </td>
                      <td>
                        <Said>{call.why}</Said>
                      </td>
                      <td>
                        <Said>{call.answer === "" ? t("whyOpen") : call.answer}</Said>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </>
          )}
          {(value.files?.length ?? 0) > 0 && (
            <>
              <h3>{t("whyFiles")}</h3>
              <ul>
                {value.files?.map((file) => (
                  <li key={file}>
                    <Said>{file}</Said>
                  </li>
                ))}
              </ul>
            </>
          )}
          {may &&
            (value.clean_before > 1 ? (
              <>
                <p className={css.quiet}>{t("forgetSays")}</p>
                <Button
                  busy={busy}
                  onClick={() =>
                    void act(async () => {
                      const copy = await connection.call("safety.forget", { thread_id: threadId, request_id: requestId });
                      tell(t("forgotten"));
                      onClose();
                      go(pathOf(copy.thread_id), WRITE);
                    })
                  }
                >
                  {t("forget")}
                </Button>
              </>
            ) : (
              <p className={css.quiet}>{t("forgetNever")}</p>
            ))}
        </>
      )}
    </Dialog>
  );
}
