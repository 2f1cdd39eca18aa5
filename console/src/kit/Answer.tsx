import type { ReactNode } from "react";
import type { Loaded } from "../shell/page";
import { catalog } from "../text/catalog";
import { Empty } from "./Panel";
import { Trouble } from "./Trouble";

const t = catalog("kit.answer", { loading: "Loading …" });

/**
 * What a method answered, once it is here; before that and if it fails, what is so and what to do. An old answer stays beside
 * what went wrong since.
 *
 * @param what names what is asked for, e.g. `what was used`.
 */
export function Answer<R>({ call, what, children }: { call: Loaded<R>; what: string; children: (value: R) => ReactNode }) {
  return (
    <>
      <Trouble of={call} what={what} />
      {call.value !== null ? children(call.value) : call.error === null && <Empty>{t("loading")}</Empty>}
    </>
  );
}
