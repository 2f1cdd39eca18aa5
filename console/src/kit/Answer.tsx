import type { ReactNode } from "react";
import { Button } from "./Button";
import { Empty, Problem } from "./Panel";
import { Said } from "./Said";
import type { Loaded } from "../shell/page";
import { catalog } from "../text/catalog";

const t = catalog("kit.answer", {
  loading: "Loading …",
  older: "This daemon is older than this page and cannot tell {what}. Update and restart the daemon; everything else here works.",
  failed: "It could not be read: {why}",
  again: "Try again",
});

/**
 * What a method answered, once it is here; before that and if it fails, what is so and what to do. An old answer stays beside
 * what went wrong since.
 *
 * @param what names what is asked for, e.g. `what was used`.
 */
export function Answer<R>({ call, what, children }: { call: Loaded<R>; what: string; children: (value: R) => ReactNode }) {
  if (call.code === "unknown_method") return <Empty>{t("older", { what })}</Empty>;
  return (
    <>
      {call.error !== null && (
        <Problem>
          <Said>{t("failed", { why: call.error })}</Said> <Button onClick={call.reload}>{t("again")}</Button>
        </Problem>
      )}
      {call.value !== null ? children(call.value) : call.error === null && <Empty>{t("loading")}</Empty>}
    </>
  );
}
