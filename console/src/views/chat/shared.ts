import { createContext, useCallback, useContext, useState } from "react";
import { RpcError } from "../../protocol/errors";
import { usePage } from "../../shell/page";
import type { InputItem, Item } from "../../thread/items";
import { Forks } from "./forks";
import { t } from "./words";

/** Which cards are open: kept while the conversation is shown, though a card that is scrolled away is not drawn. */
export type OpenCards = Set<string>;

/** What the cards of a conversation have to do with. */
export interface Around {
  readonly threadId: string;
  /** Whether cards may act here: not in a replay. */
  readonly acts: boolean;
  readonly open: OpenCards;
  /** Go on in a copy of the conversation as it was before a message. */
  readonly fork: (item: InputItem) => void;
  /** Say what was said in a turn that a copy has not gone on with. */
  readonly sayAgain: (runId: string) => void;
  /** Send the message of a turn once more. */
  readonly retry: (runId: string) => void;
  /** Take a message up to be changed. Of one that the daemon has, a copy is made when it is sent; one that was not taken is changed in place. */
  readonly edit: (item: InputItem) => void;
}

const nothing = (): void => undefined;
export const AroundContext = createContext<Around>({ threadId: "", acts: false, open: new Set(), fork: nothing, edit: nothing, retry: nothing, sayAgain: nothing });
/** The turn that a copy has not gone on with; empty for none. */
export const NotCopiedContext = createContext("");
/** Items of sub-agents. A context of its own: it changes with each piece that one of them writes. */
export const BelowContext = createContext<ReadonlyMap<string, readonly Item[]>>(new Map());

export function useAround(): Around {
  return useContext(AroundContext);
}

/** Whether a card is open, remembered for the conversation. */
export function useCard(key: string, first = false): [boolean, () => void] {
  const { open } = useAround();
  const [is, setIs] = useState(() => (first ? !open.has(`shut ${key}`) : open.has(key)));
  const toggle = (): void => {
    const mark = first ? `shut ${key}` : key;
    if (is === first) open.add(mark);
    else open.delete(mark);
    setIs(!is);
  };
  return [is, toggle];
}

/** Makes a copy of a conversation as it was before a message, and says so; answers with the copy's id. */
export function useCopying(threadId: string): (seq: number) => Promise<string> {
  const { connection, tell } = usePage();
  return useCallback(
    async (seq: number) => {
      const copy = await ofNewer("thread.fork", () =>
        connection.call("thread.fork", { thread_id: threadId, at_seq: seq, request_id: `con-${crypto.randomUUID()}` }));
      new Forks(sessionStorage).made(copy.thread_id, threadId);
      tell(t("forked"));
      return copy.thread_id;
    },
    [connection, tell, threadId],
  );
}

/** Does what an older daemon may not know, and says so then. */
export async function ofNewer<R>(method: string, run: () => Promise<R>): Promise<R> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof RpcError && error.code === "unknown_method") throw new Error(t("older", { method }), { cause: error });
    throw error;
  }
}
