import { useMemo } from "react";
import { Empty } from "../../kit/Panel";
import type { ViewProps } from "../table";
import { address } from "./address";
import css from "./chat.module.css";
import { Conversation } from "./Conversation";
import { ThreadList } from "./ThreadList";
import { t } from "./words";

/** All conversations, and the one that is open. On a narrow page one of the two. */
export default function ChatView({ rest }: ViewProps) {
  const { threadId, timeline, runId, at } = useMemo(() => address(rest), [rest]);
  return (
    <div className={css.chat} data-open={threadId !== ""}>
      <h1 className="visually-hidden">{t("list")}</h1>
      <ThreadList at={threadId} />
      {threadId === "" ? (
        <div className={css.nothing}>
          <Empty>{t("choose")}</Empty>
        </div>
      ) : (
        <Conversation key={threadId} threadId={threadId} timeline={timeline} runId={runId} at={at} />
      )}
    </div>
  );
}
