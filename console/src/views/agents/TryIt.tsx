import { useEffect, useId, useState } from "react";
import { Link } from "wouter";
import { Button } from "../../kit/Button";
import { Markdown } from "../../kit/Markdown";
import { Panel, Problem } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import type { Connection } from "../../protocol/connection";
import { useAct, usePage, useStanding, useThread } from "../../shell/page";
import { count } from "../../text/figures";
import type { Item } from "../../thread/items";
import css from "./agents.module.css";
import { t } from "./words";

/** One message to the agent, in a conversation that is thrown away. */
export function TryIt({ agent, unsaved }: { agent: string; unsaved: boolean }) {
  const { connection, threads } = usePage();
  const { textChars } = useStanding();
  const [threadId, setThreadId] = useState<string | null>(null);
  const [text, setText] = useState("");
  const [busy, act] = useAct();
  const field = useId();
  useEffect(() => {
    if (threadId === null) return;
    return () => void throwAway(connection, threadId);
  }, [connection, threadId]);
  const send = (): Promise<boolean> =>
    act(async () => {
      const requestId = `con-${crypto.randomUUID()}`;
      const made = await connection.call("thread.create", { agent, title: `${t("test")}: ${agent}`.slice(0, 200), request_id: requestId });
      threads.owned(requestId);
      await connection.call("turn.send", { thread_id: made.thread_id, message_id: requestId, text });
      setThreadId(made.thread_id);
    });
  return (
    <div className={css.side}>
      <Panel title={t("test")}>
        <p className={css.quiet}>{t("testHint")}</p>
        {unsaved && <p className={css.warning}>{t("testUnsaved")}</p>}
        <form
          className={css.form}
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          <label htmlFor={field}>{t("testMessage")}</label>
          <textarea
            id={field}
            required
            rows={3}
            dir="auto"
            maxLength={textChars}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
          <div className={css.line}>
            <Button type="submit" tone="main" busy={busy}>
              {t("testSend")}
            </Button>
            {threadId !== null && <Button onClick={() => setThreadId(null)}>{t("testAgain")}</Button>}
          </div>
        </form>
        {threadId !== null && <Trial key={threadId} threadId={threadId} />}
      </Panel>
    </div>
  );
}

function Trial({ threadId }: { threadId: string }) {
  const { connection } = usePage();
  const { view, trouble } = useThread(threadId);
  const [busy, act] = useAct();
  const said = view.items.filter((item) => item.kind !== "input");
  const ended = view.items.some((item) => item.kind === "end");
  return (
    <div className={css.trial} role="log" aria-label={t("test")} aria-busy={!ended} tabIndex={0}>
      {trouble !== null && (
        <Problem>
          <Said>{t("testFailed", { why: trouble })}</Said>
        </Problem>
      )}
      {said.length === 0 && trouble === null && <p className={css.quiet}>{t("testWaits")}</p>}
      {said.map((item) => (
        <Piece key={item.key} item={item} />
      ))}
      {!ended && (
        <Button busy={busy} onClick={() => void act(() => connection.call("turn.stop", { thread_id: threadId, request_id: `con-${crypto.randomUUID()}` }))}>
          {t("testStop")}
        </Button>
      )}
    </div>
  );
}

function Piece({ item }: { item: Item }) {
  switch (item.kind) {
    case "text":
      return <Markdown text={item.text} />;
    case "reasoning":
      return item.done ? null : <p className={css.quiet}>{t("testThink")}</p>;
    case "tool":
      return (
        <details className={css.call}>
          <summary>
            <Said>{t(item.result === null ? "testCalling" : item.isError ? "testCallFailed" : "testCall", { tool: item.name })}</Said>
          </summary>
          <pre tabIndex={0}>
            <Said>{JSON.stringify(item.args, null, 2)}</Said>
          </pre>
          {item.result !== null && (
            <pre tabIndex={0}>
              <Said>{item.result.slice(0, 4_000)}</Said>
            </pre>
          )}
        </details>
      );
    case "question":
      return item.answer === null ? (
        <p className={css.warning}>
          <Said>{t("testAsks", { prompt: item.prompt })}</Said> <Link href="/inbox">{t("testAnswer")}</Link>
        </p>
      ) : null;
    case "child":
      return (
        <p className={css.quiet}>
          <Said>{t("testChild", { agent: item.agent, task: item.task })}</Said>
        </p>
      );
    case "end": {
      if (item.error !== null) {
        return (
          <Problem>
            <Said>{t("testFailed", { why: item.error.message })}</Said>
          </Problem>
        );
      }
      const status = item.outcome?.status ?? "done";
      return (
        <p className={css.quiet}>
          {status === "done"
            ? t("testDone", { in: count(item.usage?.input_tokens ?? 0), out: count(item.usage?.output_tokens ?? 0) })
            : t("testStatus", { status })}
        </p>
      );
    }
    case "input":
    case "note":
      return null;
  }
}

/** Whatever is under way there is stopped first. A thread that cannot be removed now stays in the list, under its title. */
async function throwAway(connection: Connection, threadId: string): Promise<void> {
  const removed = await connection.call("thread.delete", { thread_id: threadId }).then(
    () => true,
    () => false,
  );
  if (removed) return;
  try {
    await connection.call("turn.stop", { thread_id: threadId, drop: true, request_id: `con-${crypto.randomUUID()}` });
    for (let attempt = 0; attempt < 10; attempt++) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      const { status } = await connection.call("thread.get", { thread_id: threadId });
      if (status === "open") continue;
      await connection.call("thread.delete", { thread_id: threadId });
      return;
    }
  } catch {
    // It is seen in the list of conversations, and can be removed there.
  }
}
