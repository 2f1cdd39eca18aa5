import { useEffect, useMemo, useSyncExternalStore } from "react";
import { RpcError, sentence } from "../../protocol/errors";
import { useStanding, type Loaded } from "../../shell/page";
import { PageReader, type Pages } from "./pages";

export interface Paged<E> {
  readonly call: Loaded<Pages<E>>;
  readonly reading: boolean;
  older: () => void;
}

/** Reads entries page by page. A change of what is asked begins anew, and so does `call.reload`. */
export function usePages<E>(ask: (before: string | null) => Promise<{ entries: readonly E[]; next: string | null }>): Paged<E> {
  const open = useStanding().state === "open";
  const reader = useMemo(() => new PageReader(ask), [ask]);
  const { value, error, reading } = useSyncExternalStore(reader.subscribe, reader.view);
  useEffect(() => {
    if (open) reader.restart();
  }, [open, reader]);
  const call = {
    value,
    error: error === null ? null : sentence(error),
    code: error instanceof RpcError ? error.code : null,
    loading: reading,
    reload: reader.restart,
  };
  return { call, reading, older: reader.older };
}
