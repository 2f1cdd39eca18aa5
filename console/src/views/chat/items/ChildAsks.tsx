import { useContext, useSyncExternalStore } from "react";
import { Link } from "wouter";
import { Said } from "../../../kit/Said";
import { usePage } from "../../../shell/page";
import { pathOf } from "../address";
import { BelowContext } from "../shared";
import { t } from "../words";
import { askedBelow } from "./asked_below";
import css from "./items.module.css";

/** What a sub-agent asks, told above it, with the way to where it is answered; nothing once it is answered. */
export function ChildAsks({ agent, waitId }: { agent: string; waitId: string }) {
  const { inbox } = usePage();
  const below = useContext(BelowContext);
  const { questions } = useSyncExternalStore(inbox.subscribe, inbox.view);
  const asked = askedBelow(below, questions, waitId);
  if (asked === null) return null;
  return (
    <div className={css.noteWarn}>
      <Said>{t("childAsks", { agent })}</Said>
      <div className={css.words}>
        <Said>{asked.prompt}</Said>
      </div>
      <Link href={pathOf(asked.threadId)}>{t("childAnswer")}</Link>
    </div>
  );
}
