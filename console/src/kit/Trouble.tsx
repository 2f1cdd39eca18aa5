import { catalog } from "../text/catalog";
import { Button } from "./Button";
import { olderText } from "./older";
import { Empty, Problem } from "./Panel";
import { visible } from "./Said";

const t = catalog("trouble", {
  failed: "{what}: {why}",
  again: "Try again",
});

/**
 * Why something that was asked for is not here: what the daemon said, or that it is older than the page. Nothing if nothing went wrong.
 *
 * @param what it is, in words that go before a colon or behind one, e.g. "the calendar".
 */
export function Trouble({ of, what }: { of: { error: string | null; code: string | null; reload: () => void }; what: string }) {
  if (of.error === null) return null;
  if (of.code === "unknown_method") return <Empty>{olderText(what)}</Empty>;
  return (
    <>
      <Problem>{t("failed", { what, why: visible(of.error) })}</Problem>
      <Button onClick={of.reload}>{t("again")}</Button>
    </>
  );
}
