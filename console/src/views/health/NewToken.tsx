import { useId, useRef, useState } from "react";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { Said } from "../../kit/Said";
import type { TokenCreated } from "../../protocol/generated";
import type { Scope } from "../../protocol/wire";
import { useAct, usePage, useStanding } from "../../shell/page";
import css from "./health.module.css";
import { t } from "./words";

const TIMES = { day: 86_400, month: 30 * 86_400, year: 365 * 86_400, always: null } as const;
type Time = keyof typeof TIMES;

/** Makes a token, and shows its secret this once. */
export function NewToken({ onClose }: { onClose: () => void }) {
  const { connection } = usePage();
  const { scopes: own } = useStanding();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["read"]);
  const [time, setTime] = useState<Time>("month");
  const [made, setMade] = useState<TokenCreated | null>(null);
  const [busy, act] = useAct();
  const [nameField, timeField] = [useId(), useId()];
  if (made !== null) return <Secret made={made} onClose={onClose} />;
  return (
    <Dialog title={t("newToken")} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          const expires = TIMES[time];
          void act(async () => {
            setMade(await connection.call("token.create", { name: name.trim(), scopes: [...scopes], ...(expires === null ? {} : { expires_s: expires }) }));
          });
        }}
      >
        <label htmlFor={nameField}>{t("tokenName")}</label>
        <input
          id={nameField}
          autoFocus
          required
          maxLength={64}
          pattern="[A-Za-z0-9][A-Za-z0-9_.\-]*"
          spellCheck={false}
          placeholder="phone"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <fieldset className={css.scopes}>
          <legend>{t("tokenScopes")}</legend>
          {(["read", "write", "approve", "admin"] as const)
            .filter((scope) => own.includes(scope))
            .map((scope) => (
              <label key={scope}>
                <input
                  type="checkbox"
                  checked={scopes.includes(scope)}
                  onChange={(event) => setScopes(event.target.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))}
                />{" "}
                {t(scope)}
              </label>
            ))}
        </fieldset>
        <label htmlFor={timeField}>{t("tokenTime")}</label>
        <select id={timeField} value={time} onChange={(event) => setTime(event.target.value as Time)}>
          {(Object.keys(TIMES) as Time[]).map((one) => (
            <option key={one} value={one}>
              {t(one)}
            </option>
          ))}
        </select>
        <div className={css.line}>
          <Button type="submit" tone="main" busy={busy} disabled={scopes.length === 0}>
            {t("create")}
          </Button>
          <Button onClick={onClose}>{t("cancel")}</Button>
        </div>
      </form>
    </Dialog>
  );
}

function Secret({ made, onClose }: { made: TokenCreated; onClose: () => void }) {
  const { tell } = usePage();
  const field = useId();
  const input = useRef<HTMLInputElement>(null);
  const copy = async (): Promise<void> => {
    input.current?.select();
    try {
      await navigator.clipboard.writeText(made.token);
      tell(t("copied"));
    } catch {
      tell(t("copyFailed"), "bad");
    }
  };
  return (
    <Dialog title={t("newToken")} onClose={onClose}>
      <div className={css.form}>
        <p>
          <Said>{t("secretOnce", { name: made.name })}</Said>
        </p>
        <label htmlFor={field}>{t("secret")}</label>
        <input id={field} ref={input} readOnly className={css.secret} value={made.token} onFocus={(event) => event.target.select()} />
        <div className={css.line}>
          <Button tone="main" autoFocus onClick={() => void copy()}>
            {t("copy")}
          </Button>
          <Button onClick={onClose}>{t("done")}</Button>
        </div>
      </div>
    </Dialog>
  );
}
