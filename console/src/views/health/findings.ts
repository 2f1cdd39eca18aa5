/** What the doctor says of a part. */
export interface Finding {
  /** As `sulla doctor` names it. */
  readonly part: string;
  readonly state: "ok" | "warning" | "fault";
  readonly found: string;
  /** What to do; empty where nothing is. */
  readonly remedy: string;
}

type Open = Readonly<Record<string, unknown>>;

/**
 * Judges what the daemon says of itself, as `sulla doctor` does: a daemon that makes the doctor's checks by itself is taken by its
 * word, an older one by what it says of the parts. Both answers are open: what a daemon leaves out is not judged, and what it adds
 * is passed over.
 *
 * @param check the answer to `system.check`; null where it was not asked.
 */
export function findings(status: Open, check: Open | null): readonly Finding[] {
  const checked = listOf(check?.checks).flatMap(ofCheck);
  const told = new Set(checked.map(({ part }) => part));
  const own = [...ofDaemon(status), ...ofParts(status), ...(check === null ? [] : [...ofStore(status, check), ...ofModel(check)])];
  // What the checks say of a part stands; of parts that they do not know, and of troubles now, the status tells.
  const found = [...checked, ...own.filter(({ part, state }) => !told.has(part) || (part === "daemon" && state !== "ok"))];
  const bad = found.filter(({ state }) => state === "fault");
  const odd = found.filter(({ state }) => state === "warning");
  return unique([...bad, ...odd, ...found.filter(({ state }) => state === "ok")]);
}

/** Whether everything was looked at that `sulla doctor` looks at. */
export function isWhole(check: Open | null): boolean {
  return listOf(check?.checks).length > 0;
}

function ofCheck(row: unknown): Finding[] {
  const { check, result, found, remedy } = (typeof row === "object" && row !== null ? row : {}) as Open;
  if (textOf(check) === "" || textOf(found) === "") return [];
  // A word that this page does not know is no good news.
  const state = result === "ok" || result === "fault" ? result : "warning";
  return [{ part: textOf(check), state, found: textOf(found), remedy: textOf(remedy) }];
}

function unique(all: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  return all.filter(({ part, found }) => {
    const key = JSON.stringify([part, found]);
    return !seen.has(key) && seen.add(key);
  });
}

function ofDaemon(status: Open): Finding[] {
  const part = "daemon";
  const found: Finding[] = [];
  for (const trouble of listOf(status.troubles)) {
    const { what, why, blocks } = (typeof trouble === "object" && trouble !== null ? trouble : {}) as Open;
    const said = [textOf(what), textOf(why)].filter((one) => one !== "").join(": ");
    if (said !== "") {
      found.push({ part, state: blocks === true ? "fault" : "warning", found: said, remedy: blocks === true ? "until it is mended, nothing new is begun" : "mend what it names; everything else goes on meanwhile" });
    }
  }
  const failing = listOf(status.failing).map(textOf);
  if (failing.length > 0) {
    found.push({ part, state: "warning", found: `${counted(failing.length, "thread")} cannot be worked on for now: ${failing.slice(0, 20).join(", ")}`, remedy: "look at the log and at the check of the store" });
  }
  const toolless = listOf(status.without_tools).map(textOf);
  if (toolless.length > 0) {
    found.push({ part: "tools", state: "warning", found: `models whose services take no tools, so agents on them only talk: ${toolless.join(", ")}`, remedy: "nothing, if talk is all that they are for; else choose another model.name" });
  }
  if (textOf(status.tokens_error) !== "") {
    found.push({ part, state: "fault", found: `no token but the owner's is good, because their log cannot be read: ${textOf(status.tokens_error)}`, remedy: "bring the store back from a copy; until then clients need the owner's token" });
  }
  if (status.audit === "failing") {
    found.push({ part, state: "fault", found: `the audit log cannot be written; ${textOf(status.audit_missing)} entries are missing`, remedy: "look at the disk, and at who may write in the home; the daemon goes on by itself" });
  }
  if (status.stopping === true) found.push({ part, state: "warning", found: "the daemon is stopping", remedy: "nothing, if somebody asked it to" });
  return found.length > 0 ? found : [{ part, state: "ok", found: `version ${textOf(status.version)} answers, with the model ${textOf(status.model)}`, remedy: "" }];
}

function ofParts(status: Open): Finding[] {
  const found: Finding[] = [];
  for (const part of ["memory", "journal"] as const) {
    const [state, error, unreadable] = [textOf(status[part]), textOf(status[`${part}_error`]), listOf(status[`${part}_unreadable`]).map(textOf)];
    if (error !== "") found.push({ part, state: "fault", found: error, remedy: "look at the log; turns go on without it" });
    else if (unreadable.length > 0) {
      found.push({ part, state: "warning", found: `${counted(unreadable.length, "thread")} cannot be taken up: ${unreadable.slice(0, 20).join(", ")}`, remedy: "look at the check of the store" });
    } else if (state !== "") found.push({ part, state: "ok", found: state, remedy: "" });
  }
  const speech = typeof status.speech === "object" && status.speech !== null ? (status.speech as Open) : {};
  if (textOf(speech.trouble) !== "") found.push({ part: "speech", state: "warning", found: textOf(speech.trouble), remedy: "look at the log" });
  return found;
}

function ofStore(status: Open, check: Open): Finding[] {
  const part = "store";
  const where = textOf(status.store);
  if (textOf(check.unusable) !== "") return [{ part, state: "fault", found: textOf(check.unusable), remedy: "nothing can be answered before that is done; nothing was changed" }];
  const found: Finding[] = [];
  const restore = "stop the daemon, keep a copy of the file, and restore a backup";
  const structure = listOf(check.structure).map(textOf);
  if (structure.length > 0) found.push({ part, state: "fault", found: `SQLite finds ${where} damaged: ${structure.slice(0, 5).join("; ")}`, remedy: restore });
  const damaged = numberOf(check.damaged);
  const named = listOf(check.named).map(textOf);
  const remedy =
    "install the package again whose capability kept it, if one was removed; else restore a backup, or delete the thread; until then it is left alone, and the others go on";
  for (const one of named) found.push({ part, state: "fault", found: one, remedy });
  if (damaged > named.length) found.push({ part, state: "fault", found: `${damaged - named.length} more heads or records cannot be read`, remedy });
  const looked = `${counted(numberOf(check.logs), "thread")} with ${counted(numberOf(check.records), "record")}`;
  if (textOf(check.broke_off) !== "") {
    found.push({ part, state: "fault", found: `reading ${where} broke off after ${numberOf(check.records)} records: ${textOf(check.broke_off)}`, remedy: restore });
  } else if (check.finished === false || check.structure_finished === false) {
    found.push({ part, state: "warning", found: `${where} was not looked at to its end: ${looked} in the time there was`, remedy: "stop the daemon and run `sulla doctor`: then it takes more time" });
  }
  return found.length > 0 ? found : [{ part, state: "ok", found: `${where}, ${looked}, all readable`, remedy: "" }];
}

function ofModel(check: Open): Finding[] {
  if (typeof check.model_check !== "object" || check.model_check === null) return [];
  const { result, found, remedy } = check.model_check as Open;
  const state = result === "ok" || result === "warning" ? result : "fault";
  return [{ part: "model", state, found: textOf(found), remedy: textOf(remedy) }];
}

function counted(figure: number, thing: string): string {
  return `${figure} ${thing}${figure === 1 ? "" : "s"}`;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** A value of an open answer as words; empty for none. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : "";
}
