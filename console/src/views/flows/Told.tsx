import { Button } from "../../kit/Button";
import { olderText } from "../../kit/older";
import { Problem } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import { t } from "./words";

/** Why something could not be read, and that it can be tried again. An older daemon is told plainly. */
export function Failed({ method, why, onAgain }: { method: string; why: string; onAgain: () => void }) {
  if (isOlder(method, why)) return <p>{olderText(method)}</p>;
  return (
    <Problem>
      <Said>{t("loadFailed", { why })}</Said> <Button onClick={onAgain}>{t("again")}</Button>
    </Problem>
  );
}

/** The daemon's words where it does not know a method: `no method 'flow.list'; …`. */
function isOlder(method: string, why: string): boolean {
  return why.startsWith("no method ") && why.includes(method);
}
