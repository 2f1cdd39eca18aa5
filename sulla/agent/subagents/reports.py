"""What child runs came to: one in words for whoever asked for it, and several put together. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.ids import MessageId, derived_id
from sulla.core.message import Part, ToolCall, ToolResult
from sulla.threads.log.family import Report, is_child_wait, wait_of
from sulla.threads.log.records import Answer
from sulla.threads.log.state import ThreadState

SET_FOCUS: Final = "set_focus"
"""The tool by which an agent says what it chose to work on."""
WRITERS: Final = ("write_file", "edit_file")
"""The tools that write the file that their `path` names."""
COMMAND: Final = "bash"
"""The tool that runs commands, which write whatever they like."""
MAX_CHARS: Final = 16_000
"""How much of a child's last word its parent is told."""

_LEFT: Final = "rpt"

Combine = Literal["concat", "first_success", "all", "vote", "summarize", "reduce"]
"""`concat`: one after the other. `first_success`: the first good one, without waiting for the rest. `all`: like concat,
but a failure if any failed. `vote`: what most of them say. `summarize`, `reduce`: one more child makes one of them."""


@dataclass(frozen=True, slots=True)
class ChildFinding:
    """What one child came to."""

    id: str
    text: str
    report: Report

    @property
    def good(self) -> bool:
        """Whether it did what it was asked to."""
        return self.report.status == "done"


def finding_of(parent: ThreadState, child: str) -> ChildFinding | None:
    """What a child has reported to the open run of its parent; None where it has not.

    Args:
        parent: the thread that asked for it.
        child: the child's id.
    """
    control = parent.run.reports.get(wait_of(child)) if parent.run is not None else None
    if control is None or not isinstance(control.fact, Answer) or control.fact.report is None:
        return None
    return ChildFinding(child, control.fact.text, control.fact.report)


def report_of(state: ThreadState) -> tuple[str, Report]:
    """What a child's thread came to: its last word, and the rest.

    Args:
        state: a thread whose run has ended, or waits for a person.
    """
    outcome, run = state.newest.outcome, state.run
    parts = [part for message in state.context.transcript for part in message.parts]
    used = sum(not part.is_error for part in parts if isinstance(part, ToolResult))
    focus, why = _focus(parts)
    made = _made(parts)
    report = Report(
        outcome.status,
        outcome.reason,
        outcome.status_report or outcome.response,
        outcome.blocker_reason,
        outcome.unblock_requirements,
        state.spending.tokens,
        state.spending.cost_micro or None,
        state.context.tainted,
        tools_used=used,
        agent=state.identity.agent,
        focus=focus,
        focus_reason=why,
        files=len({call.args.get("path") for call in made if call.name in WRITERS}),
        commands=sum(call.name == COMMAND for call in made),
        given=state.newest.given or None,
        usage=state.spending.usage if run is None else state.spending.usage + run.spent.usage,
    )
    if run is not None:
        asked = [wait.prompt for name, wait in run.waits.items() if not is_child_wait(name)]
        why = f"A person has to answer first: {' '.join(asked)}"
        return cut_report(why), _blocked(report, why)
    if state.kind.gives_response and outcome.status == "done":
        return outcome.response, report  # whoever asked works with it as it is
    left = state.context.transcript[-1].text if has_left(state) else ""
    text = left or _last_word(state) or outcome.response or outcome.status_report
    return cut_report(text), report


def tell(finding: ChildFinding, name: str = "") -> str:
    """One finding, for the model that asked for it.

    Args:
        finding: it.
        name: what the child is called; empty for its id and its agent.
    """
    report, name = finding.report, name or f"{finding.id} ({finding.report.agent})"
    match report.status:
        case "done":
            return f"{name} is done:\n{finding.text or 'It said nothing.'}"
        case "blocked" if report.parked:
            return f"{name} cannot go on by itself. {finding.text}"
        case "blocked":
            needs = f" It needs: {report.unblock_requirements}" if report.unblock_requirements else ""
            why = report.blocker_reason or "it did not say why."
            return f"{name} is blocked: {why}{needs}\n{finding.text}".rstrip()
        case "cancelled":
            return f"{name} was cancelled.{_so_far(finding)}"
        case _:
            return f"{name} failed ({report.reason or report.status}).{_so_far(finding)}"


def combined(how: Combine, findings: Sequence[ChildFinding]) -> tuple[str, bool]:
    """Several findings as one text.

    Args:
        how: in which way; `summarize` and `reduce` are what a further child is given.
        findings: at least one, in the order that they were asked for.

    Returns:
        The text, which names those that failed, and whether it is to count as a failure.
    """
    good = [finding for finding in findings if finding.good]
    bad = [finding for finding in findings if not finding.good]
    failures = f"\n\nNot done: {', '.join(finding.id for finding in bad)}." if bad else ""
    match how:
        case "first_success" if good:
            return tell(good[0]), False
        case "vote" if good:
            return f"{_voted(good)}{failures}", False
        case _:
            text = "\n\n".join(map(tell, findings))
            return f"{text}{failures}", not good or (how == "all" and bool(bad))


def enough(how: Combine, findings: Sequence[ChildFinding]) -> bool:
    """Whether nothing that is still to come could change the answer."""
    return how == "first_success" and any(finding.good for finding in findings)


def _voted(findings: Sequence[ChildFinding]) -> str:
    """What most say, as the first of them put it; case and blanks do not matter."""
    words = {finding.id: " ".join(finding.text.casefold().split()).rstrip(".!") for finding in findings}
    ranks = Counter(words.values()).most_common()
    most = [word for word, times in ranks if times == ranks[0][1]]
    said = {word: next(finding.text for finding in findings if words[finding.id] == word) for word in most}
    votes = f"{ranks[0][1]} of {len(findings)}"
    if len(most) == 1:
        return f"{votes} say:\n{said[most[0]]}"
    return "\n".join([f"No majority: {votes} each say", *(f"- {text}" for text in said.values())])


def _blocked(report: Report, why: str) -> Report:
    needs = "An answer to the question: see `sulla approvals`."
    return replace(
        report, status="blocked", reason="needs_person", blocker_reason=why, unblock_requirements=needs, parked=True
    )


def _made(parts: Sequence[Part]) -> list[ToolCall]:
    """The calls that had a result without an error."""
    good = {part.call_id for part in parts if isinstance(part, ToolResult) and not part.is_error}
    return [part for part in parts if isinstance(part, ToolCall) and part.id in good]


def _focus(parts: Sequence[Part]) -> tuple[str, str]:
    for part in reversed(parts):
        if isinstance(part, ToolCall) and part.name == SET_FOCUS:
            return str(part.args.get("focus", ""))[:200], str(part.args.get("reason", ""))[:500]
    return "", ""


def _so_far(finding: ChildFinding) -> str:
    if not finding.text:
        return ""
    if finding.text == cut_report(finding.report.status_report):  # nobody has said that: it is why it ended
        return f" {finding.text}"
    return f" What it had said so far:\n{finding.text}"


def left_for(asked: str) -> MessageId:
    """The id of the message that a run leaves for whoever asked for it, in the place of its last word.

    Args:
        asked: of the message that the run answers.
    """
    return MessageId(derived_id(_LEFT, asked))


def has_left(state: ThreadState) -> bool:
    """Whether the newest message of a thread is one that is left so.

    Args:
        state: the thread.
    """
    newest = state.context.transcript[-1] if len(state.context.transcript) else None
    return newest is not None and newest.role == "assistant" and newest.id.startswith(f"{_LEFT}_")


def _last_word(state: ThreadState) -> str:
    for message in reversed(state.context.transcript):
        if message.role == "assistant" and not message.hidden and message.text:
            return message.text
    return ""


def cut_report(text: str) -> str:
    """The beginning and the end of a text that is longer than others are told of it."""
    if len(text) <= MAX_CHARS:
        return text
    half = MAX_CHARS // 2
    return f"{text[:half]}\n[... {len(text) - MAX_CHARS} characters are left out ...]\n{text[-half:]}"
