"""What a daemon, its store, its clock and its model have to say for themselves, judged. Nobody is asked here."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.daemon.checkup import StoreReport
from sulla.daemon.doctor.watched import Watched
from sulla.host.findings import Finding, counted, fault, offset, ok, span, warning

SKEW_S = 60.0
"""How far a time may lie ahead before it is worth a word."""

_EARLIEST = datetime(2025, 1, 1, tzinfo=UTC).timestamp()
"""Sulla is younger than this: a clock that says an earlier time was never set."""


# -------------------------------------------------------------------------------------------------- a running daemon


def judge_daemon(version: str, url: str, report: JsonObject) -> list[Finding]:
    """A daemon that answers.

    Args:
        version: this program's.
        url: where it answers.
        report: its `system.status`.
    """
    found: list[Finding] = []
    theirs, failing = str(report.get("version")), report.get("failing")
    if theirs != version:
        found.append(warning(f"the daemon at {url} is version {theirs}, and this is {version}", "restart the daemon"))
    if isinstance(failing, list) and failing:
        shown = ", ".join(str(key) for key in failing[:20])
        said = f"{counted(len(failing), 'thread')} cannot be worked on for now: {shown}"
        found.append(warning(said, "look at the daemon's log and at the check of the store"))
    if isinstance(without := report.get("without_tools"), list) and without:
        said = f"models whose services take no tools, so agents on them only talk: {', '.join(map(str, without))}"
        found.append(warning(said, "nothing, if talk is all that they are for; else choose another model.name"))
    if error := report.get("tokens_error"):
        said = f"no token but the owner's is good, because their log cannot be read: {error}"
        found.append(fault(said, "bring the store back from a copy; until then clients need the owner's token"))
    if report.get("audit") == "failing":
        said = f"the audit log cannot be written; {report.get('audit_missing')} entries are missing"
        found.append(fault(said, "look at the disk, and at who may write in the home; the daemon goes on by itself"))
    if "no_workers" in (troubles := _troubles(report)):
        said = f"the gateway at {url} sees no worker that lives: messages are kept and wait, and no turn is taken"
        found.append(fault(said, "start a worker, or see in its log why it has ended"))
    if why := troubles.get("store_unavailable"):
        said = f"the daemon at {url} takes nothing new: {why}"
        found.append(fault(said, "look after the store; the daemon goes on by itself once that takes what is written"))
    if report.get("stopping"):
        found.append(warning(f"the daemon at {url} is stopping", "nothing, if somebody asked it to"))
    return found or ok(f"version {theirs} answers at {url} with the model {report.get('model')}")


def judge_worker(url: str, told: Watched) -> list[Finding]:
    """A worker of a cluster that answers whoever watches it.

    Args:
        url: where it answers.
        told: what it said.
    """
    troubles = "; ".join(told.troubles)
    if not told.ready:
        return [fault(f"the worker at {url} is not ready: {troubles}", "mend what it names; it goes on by itself")]
    if troubles:
        return [warning(f"the worker at {url} is ready, but for: {troubles}", "mend what it names")]
    return ok(
        f"a worker is ready at {url}; what it alone knows of (settings that wait, threads that fail) is in its log"
    )


def _troubles(report: JsonObject) -> dict[str, str]:
    """What does not work, by the words of `/readyz`, and why."""
    found = report.get("troubles")
    rows = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return {str(one.get("what")): str(one.get("why")) for one in rows}


def judge_leftover(path: Path, exists: bool, pid: int | None) -> list[Finding]:
    """No daemon runs.

    Args:
        path: `daemon.json`.
        exists: whether it is there all the same.
        pid: the process that it names.
    """
    if not exists:
        return ok("none runs on this home; `sulla up` starts one")
    who = f"of process {pid}, which is gone" if pid is not None else "that says nothing"
    said = f"none runs on this home; {path} is left over, {who}"
    return [warning(said, "nothing: clients pass over it, and the next start replaces it")]


# ------------------------------------------------------------------------------------------------------------ the store


def judge_store(where: str, report: StoreReport) -> list[Finding]:
    """The store: whole in its structure, and every head and record readable.

    Args:
        where: its URL, for people.
        report: what was found.
    """
    if report.unusable:
        return [fault(report.unusable, "nothing can be answered before that is done; nothing was changed")]
    found: list[Finding] = []
    if report.outdated:
        remedy = "nothing: the next start brings it up to date; make a copy first"
        found.append(warning(f"{where} is an earlier version's; its records were not looked at", remedy))
    if report.structure:
        said = f"SQLite finds {where} damaged: {'; '.join(report.structure[:5])}"
        found.append(fault(said, "stop the daemon, keep a copy of the file, and restore a backup"))
    if report.damaged:
        found += _damage(report)
    if report.broke_off:
        said = f"reading {where} broke off after {report.records} records: {report.broke_off}"
        found.append(fault(said, "stop the daemon, keep a copy of the file, and restore a backup"))
    elif not (report.finished and report.structure_finished):
        said = f"{where} was not looked at to its end: {_looked_at(report)} in the time there was"
        found.append(warning(said, "stop the daemon and run `sulla doctor` again: then it takes more time"))
    return found or ok(f"{where}, {_looked_at(report)}, all readable")


def _damage(report: StoreReport) -> list[Finding]:
    remedy = (
        "install the package again whose capability kept it, if one was removed; else restore a backup, or delete the "
        "thread with `sulla thread delete`; until then it is left alone, and the others go on"
    )
    found = [fault(said, remedy) for said in report.named]
    more = report.damaged - len(report.named)
    if more > 0:
        found.append(fault(f"{more} more heads or records cannot be read", remedy))
    return found


def _looked_at(report: StoreReport) -> str:
    return f"{counted(report.logs, 'thread')} with {counted(report.records, 'record')}"


# ------------------------------------------------------------------------------------------------------------ the clock


@dataclass(frozen=True, slots=True)
class Times:
    """What the clock says, and what it said before."""

    now_s: float
    """UTC seconds since 1970."""
    newest_record_s: float
    """When the newest record was made; 0 if none is known."""
    newest_file_s: float
    """When a file of the home was last changed; 0 if there is none."""
    newest_file: str = ""
    offset_s: int = 0
    """How far local time is ahead of UTC."""


def judge_clock(times: Times) -> list[Finding]:
    """The clock: not behind what was written down before."""
    shown = (
        f"{datetime.fromtimestamp(times.now_s, UTC):%Y-%m-%d %H:%M:%S} UTC, local time is UTC{offset(times.offset_s)}"
    )
    remedy = "set the clock, best by a time service: due dates and active hours go by it"
    if times.now_s < _EARLIEST:
        return [fault(f"the clock says {shown}: it was never set", remedy)]
    found: list[Finding] = []
    for what, at_s in (("the newest record", times.newest_record_s), (times.newest_file, times.newest_file_s)):
        if at_s > times.now_s + SKEW_S:
            said = f"the clock says {shown}, but {what} is from {span(at_s - times.now_s)} later"
            found.append(warning(said, remedy))
    if found:
        return found
    age = f"; the newest record is {span(times.now_s - times.newest_record_s)} old" if times.newest_record_s else ""
    return ok(f"{shown}{age}")
