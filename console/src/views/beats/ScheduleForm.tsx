import { useId, useMemo, useState, type ReactNode } from "react";
import { Button } from "../../kit/Button";
import { Dialog, Foot } from "../../kit/Dialog";
import { Empty, Problem } from "../../kit/Panel";
import { Said, visible } from "../../kit/Said";
import { Trouble } from "../../kit/Trouble";
import { useSettled } from "../../kit/useSettled";
import { codeOf } from "../../protocol/errors";
import type { Result } from "../../protocol/wire";
import { useAct, useCall, usePage } from "../../shell/page";
import { dayAndClock } from "../../text/figures";
import css from "./beats.module.css";
import { content, draftOf, EMPTY, isFault, refused, timing, type Draft, type Fault } from "./draft";
import { draftsOf } from "./drafts";
import { zoneIn } from "./times";
import { contentOf, type Row } from "./told";
import { When } from "./When";
import { t } from "./words";

/** A schedule to fill in, with the next times that it would come, as it is typed. */
export function ScheduleForm({ row, onClose, onSaved }: { row: Row | null; onClose: () => void; onSaved: () => void }) {
  const { connection, tell } = usePage();
  const [busy, act] = useAct();
  const told = useMemo(() => (row === null ? null : contentOf(row)), [row]);
  const begun = useMemo(() => (told === null ? EMPTY : draftOf(told)), [told]);
  const drafts = draftsOf(connection);
  const about = row?.schedule ?? "";
  // However the dialog is closed, what was typed is there when it is opened again.
  const [draft, setDraft] = useState<Draft>(() => drafts.of(about) ?? begun);
  const [isKept, setKept] = useState(() => drafts.of(about) !== null);
  const [fault, setFault] = useState<Fault | null>(null);
  const change = (more: Partial<Draft>): void => {
    const next = { ...draft, ...more };
    setDraft(next);
    drafts.keep(about, next, begun);
    setFault(null);
  };
  const field = { draft, fault, change };

  const save = (): void => {
    const made = content(draft);
    if (isFault(made)) {
      setFault(made);
      document.getElementById(`schedule-${made.field}`)?.focus();
      return;
    }
    if (told?.thread_id != null && made.message != null) made.thread_id = told.thread_id;
    void act(async () => {
      let saved;
      try {
        saved =
          row === null
            ? await connection.call("schedule.add", { ...made, request_id: crypto.randomUUID() })
            : await connection.call("schedule.update", { ...made, schedule: row.schedule });
      } catch (error) {
        const at = refused(codeOf(error), draft);
        if (at === null) throw error;
        setFault(at);
        document.getElementById(`schedule-${at.field}`)?.focus();
        return false;
      }
      const [next] = saved.next;
      const id = saved.schedule;
      tell(visible(next === undefined ? t("savedNever", { id }) : t("saved", { id, next: dayAndClock(next) })));
      drafts.forget(about);
      onSaved();
      onClose();
      return true;
    });
  };

  return (
    <Dialog title={row === null ? t("addTitle") : visible(t("editTitle", { id: row.schedule }))} onClose={onClose}>
      <form
        className={css.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        {isKept && (
          <p className={css.row} role="status">
            {t("draftKept")}{" "}
            <Button
              onClick={() => {
                drafts.forget(about);
                setDraft(begun);
                setFault(null);
                setKept(false);
              }}
            >
              {t("draftDrop")}
            </Button>
          </p>
        )}
        <fieldset>
          <legend>{t("whenLegend")}</legend>
          <Choice {...field} name="when" options={["every", "cron", "at"]} />
          {draft.when === "every" && (
            <div className={css.pair}>
              <Text {...field} name="every" label={t("everyField")} hint={t("everyHint")} />
              <Text {...field} name="jitter" label={t("jitter")} />
            </div>
          )}
          {draft.when === "cron" && <Text {...field} name="cron" label={t("cronField")} hint={t("cronHint")} />}
          {draft.when === "at" && <Text {...field} name="at" label={t("atField")} hint={t("atHint")} />}
          <div className={css.pair}>
            <Text {...field} name="zone" label={t("zone")} list={ZONES} />
            <Text {...field} name="hours" label={t("hours")} hint={t("hoursHint")} />
          </div>
          <Select {...field} name="missed" label={t("missed")}>
            <option value="">{t("missed_")}</option>
            <option value="skip">{t("missed_skip")}</option>
            <option value="once">{t("missed_once")}</option>
          </Select>
          <Firings draft={draft} />
        </fieldset>
        <fieldset>
          <legend>{t("doesLegend")}</legend>
          <Choice {...field} name="does" options={["message", "playbook", "tool"]} />
          {draft.does === "message" && <Text {...field} name="message" label={t("messageField")} rows={3} />}
          {draft.does === "playbook" && <Playbook {...field} />}
          {draft.does === "tool" && (
            <>
              <Text {...field} name="tool" label={t("toolField")} />
              <Text {...field} name="args" label={t("args")} rows={3} mono />
            </>
          )}
          {draft.does !== "playbook" && <Agent {...field} />}
        </fieldset>
        <div className={css.pair}>
          {row === null && <Text {...field} name="id" label={t("id")} />}
          <Text {...field} name="title" label={t("scheduleTitle")} />
        </div>
        <Foot
          act={row === null ? t("add") : t("save")}
          busy={busy}
          onClose={() => {
            drafts.forget(about);
            onClose();
          }}
        />
      </form>
    </Dialog>
  );
}

interface FieldProps {
  draft: Draft;
  fault: Fault | null;
  change: (more: Partial<Draft>) => void;
}

const ZONES: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone")];

function Text({ draft, fault, change, name, label, hint, rows, mono = false, list }: FieldProps & {
  name: "every" | "jitter" | "cron" | "at" | "zone" | "hours" | "message" | "tool" | "args" | "inputs" | "id" | "title";
  label: string;
  hint?: string;
  rows?: number;
  mono?: boolean;
  list?: readonly string[];
}) {
  const id = `schedule-${name}`;
  const bad = fault?.field === name;
  const shared = {
    id, value: draft[name], className: mono ? css.mono : undefined, "aria-invalid": bad || undefined,
    "aria-describedby": bad ? `${id}-bad` : hint === undefined ? undefined : `${id}-hint`,
    onChange: (event: { target: { value: string } }) => change({ [name]: event.target.value }),
  };
  return (
    <div className={css.field}>
      <label htmlFor={id}>{label}</label>
      {rows === undefined ? (
        <input autoComplete="off" spellCheck={false} list={list === undefined ? undefined : `${id}-list`} {...shared} />
      ) : (
        <textarea rows={rows} {...shared} />
      )}
      {list !== undefined && (
        <datalist id={`${id}-list`}>
          {list.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
      {bad ? (
        <span id={`${id}-bad`} role="alert" className={css.bad}>
          {t(fault.says)}
        </span>
      ) : (
        hint !== undefined && (
          <span id={`${id}-hint`} className={css.quiet}>
            {hint}
          </span>
        )
      )}
    </div>
  );
}

function Choice<N extends "when" | "does">({ draft, change, name, options }: FieldProps & { name: N; options: readonly Draft[N][] }) {
  const group = useId();
  return (
    <div className={css.row}>
      {options.map((option) => (
        <label key={option} className={css.radio}>
          <input type="radio" name={group} checked={draft[name] === option} onChange={() => change({ [name]: option })} />
          {t(option)}
        </label>
      ))}
    </div>
  );
}

function Select({ draft, fault, change, name, label, children }: FieldProps & { name: "missed" | "agent" | "playbook"; label: string; children: ReactNode }) {
  const id = `schedule-${name}`;
  const bad = fault?.field === name;
  return (
    <div className={css.field}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={draft[name]}
        aria-invalid={bad || undefined}
        aria-describedby={bad ? `${id}-bad` : undefined}
        onChange={(event) => change({ [name]: event.target.value })}
      >
        {children}
      </select>
      {bad && (
        <span id={`${id}-bad`} role="alert" className={css.bad}>
          {t(fault.says)}
        </span>
      )}
    </div>
  );
}

function Agent(field: FieldProps) {
  const agents = useCall("agent.list", {});
  const ids = agents.value?.agents.map((agent) => agent.id) ?? [];
  const { agent } = field.draft;
  return (
    <Select {...field} name="agent" label={t("agent")}>
      <option value="">{t("homeAgent")}</option>
      {[...new Set(agent === "" ? ids : [agent, ...ids])].map((id) => (
        <option key={id} value={id}>
          {visible(id)}
        </option>
      ))}
    </Select>
  );
}

function Playbook(field: FieldProps) {
  const playbooks = useCall("workflow.list", {});
  const names = playbooks.value?.playbooks.map((playbook) => playbook.playbook) ?? [];
  const { playbook } = field.draft;
  const takes = Object.keys(playbooks.value?.playbooks.find((one) => one.playbook === playbook)?.inputs ?? {});
  if (playbooks.value?.playbooks.length === 0 && playbook === "") return <Empty>{t("noPlaybooks")}</Empty>;
  return (
    <>
      <Select {...field} name="playbook" label={t("playbookField")}>
        <option value="">{t("choose")}</option>
        {[...new Set(playbook === "" ? names : [playbook, ...names])].map((name) => (
          <option key={name} value={name}>
            {visible(name)}
          </option>
        ))}
      </Select>
      <Text
        {...field}
        name="inputs"
        label={t("inputs")}
        hint={takes.length === 0 ? undefined : visible(t("inputsHint", { names: takes.join(", ") }))}
        rows={3}
        mono
      />
    </>
  );
}

/** The next times of what is typed, or what is wrong with it. */
function Firings({ draft }: { draft: Draft }) {
  const made = timing(useSettled(draft));
  const good = !isFault(made);
  const loaded = useCall("schedule.preview", good ? made : {}, good);
  return (
    <div className={css.firings} aria-live="polite">
      <h3 className={css.small}>{t("firings")}</h3>
      {isFault(made) ? (
        <p className={css.quiet}>{t(made.says)}</p>
      ) : (
        <>
          <Trouble of={loaded} what={t("thePreview")} />
          {loaded.value === null && loaded.error === null && <p className={css.quiet}>{t("looking")}</p>}
          {loaded.value !== null && loaded.error === null && <Times value={loaded.value} zone={made.zone ?? zoneIn(loaded.value.explain)} />}
        </>
      )}
    </div>
  );
}

function Times({ value, zone }: { value: Result<"schedule.preview">; zone: string }) {
  if (value.fault !== "") return <Problem>{visible(value.place === "" ? value.fault : t("faultIn", { place: value.place, fault: value.fault }))}</Problem>;
  return (
    <>
      <p className={css.tight}>
        <Said>{value.explain}</Said>
      </p>
      {value.next.length === 0 ? (
        <p className={css.quiet}>{t("noFirings")}</p>
      ) : (
        <ol className={css.plainList}>
          {value.next.map((at) => (
            <li key={at}>
              <When at={at} zone={zone} />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
