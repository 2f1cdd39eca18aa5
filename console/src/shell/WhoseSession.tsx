import { useGuarded } from "../asked/useGuarded";
import { Button } from "../kit/Button";
import { Problem } from "../kit/Panel";
import { Said } from "../kit/Said";
import type { SignedInAlready, Who } from "../protocol/session";
import css from "./App.module.css";
import { t } from "./words";

/** Asks whose session it shall be: anybody with a token can send somebody a link with a ticket, so the page takes none by itself. */
export function WhoseSession({ asked, onStay, onReplace }: { asked: SignedInAlready; onStay: () => void; onReplace: () => void }) {
  const { now, then, had } = asked;
  const { watched, state, heeds, takes } = useGuarded("session", true);
  return (
    <main className={css.alone}>
      <h1>{t("whoseTitle")}</h1>
      {now === null && (
        <Problem>
          <Said>{t("whoseEnded", { name: had })}</Said>
        </Problem>
      )}
      <p>{t(now === null ? "whoseWhyEnded" : "whoseWhy")}</p>
      <dl>
        {now !== null && (
          <>
            <dt>{t("whoseNow")}</dt>
            <dd>
              <Named who={now} />
            </dd>
          </>
        )}
        <dt>{t("whoseThen")}</dt>
        <dd>
          <Named who={then} />
        </dd>
      </dl>
      <p className={css.buttons} ref={watched} data-answering={state} {...heeds}>
        <Button tone="main" autoFocus onClick={onStay}>
          {now === null ? t("stayOut") : t("stay", { name: now.name })}
        </Button>
        <Button waits={state === "waits"} onClick={(event) => takes(event) && onReplace()}>
          {t(now === null ? "signInAs" : "replace", { name: then.name })}
        </Button>
      </p>
    </main>
  );
}

function Named({ who }: { who: Who }) {
  return (
    <>
      <Said>{who.name}</Said>, {t("whoseMay", { scopes: who.scopes.join(", ") })}
    </>
  );
}
