"""What people are asked about calls, what their answers come to, and what they have allowed. Pure."""

from __future__ import annotations

import json
from typing import ClassVar, Final

from sulla.agent.model.pictures import spelled_text
from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.core.ids import derived_id
from sulla.core.message import ToolCall
from sulla.core.stamp import stamp
from sulla.store.sealing import seal, unseal
from sulla.store.values import Draft, Head, Record
from sulla.threads.log.records import Answer, ToolCallResult
from sulla.threads.log.waits import Permit, Wait

APPROVAL_S: Final = 24 * 3600.0
"""How long a question waits for its answer, in seconds; then it counts as no."""
ALWAYS_S: Final = 30 * 24 * 3600.0
"""How long `always` is good, in seconds."""

REJECTED: Final = "action rejected by user"
"""What a model is told of a call that a person said no to (seed 001)."""
TOO_LATE: Final = f"{REJECTED}: nobody answered in time"

REVIEW: Final = "review:"
"""How the wait ids begin under which a person says what came of a call that was cut off."""
SHOWN_CHARS: Final = 2_000
"""How much of a call's arguments a question shows."""
WHOLE_CHARS: Final = 20_000
"""How much of them is kept beside it, for whoever has to be shown all before he allows it."""
_LEFT_OUT: Final = "characters are not shown here"

KEY: Final = "approvals:rules"
"""The log of what is always allowed. No thread can be called so: a client's ids have no colon."""
HEAD: Final = Head("rules")
"""Never due and never open, so that nobody looks for work in it."""
MOST_RULES: Final = 1_000
"""Rules that are good at once."""


def wait_id(call: ToolCall, digest: str, cuts: int) -> str:
    """The name of a question: it names the exact call, so an answer to another one fits nowhere."""
    return f"approval:{call.id}:{digest[:16]}:{cuts}"


def question(call: ToolCall, reason: str, digest: str, used: Permit | None = None) -> tuple[str, str]:
    """What a person is asked, in ASCII on one line: no character of it can hide another one, or pass for one, and it
    shows no pictures, also where a client shows it as an answer: what one begins with is spelled as JSON does
    (``\\u0021[``), so that the arguments are still those of the call, to the letter.

    Args:
        call: the call.
        reason: why they are asked.
        digest: of the exact call.
        used: the yes that it was begun on before, if it was: then nobody knows whether it is done.

    Returns:
        `Wait.prompt` and `Wait.whole`.
    """
    begins = f"{_again(used)} " if used is not None else ""
    ends = f"? Asked because {_plain(reason)}. (call {digest[:16]})"
    return _told(call, f"{begins}May {call.name} be called with ", ends)


def _again(used: Permit) -> str:
    """How a question begins whose call was allowed and cut off; `terminal.framed` knows it by its first and last
    words.
    """
    at = f" at {stamp(used.at_ms)}" if used.at_ms else ""
    return (
        f"Asked again: {_plain(used.by) or 'a person'} has allowed this{at}, and then it was cut off, "
        "so it may be done already; yes has it done once more."
    )


def review(call: ToolCall, cuts: int) -> Wait:
    """What a person is asked of a call that was cut off, in the form of `question`.

    Args:
        call: the call.
        cuts: how often the run was cut off: it is a new question when the permitted second try was cut off too.
    """
    asked, whole = _told(
        call,
        f"{call.name} was running when the work on it was cut off, and nobody knows whether it took effect. It was "
        "called with ",
        ". Look, then say what it came to, have it run again, or give it up.",
    )
    return Wait(f"{REVIEW}{call.id}:{cuts}", call.id, asked, tool=call.name, whole=whole)


def leaves_out(wait: Wait) -> bool:
    """Whether a question leaves out part of its call's arguments. One whose call says the same words counts as well."""
    return _LEFT_OUT in wait.prompt


def _told(call: ToolCall, before: str, behind: str) -> tuple[str, str]:
    args = json.dumps(dict(call.args), ensure_ascii=True, sort_keys=True)
    if len(args) <= SHOWN_CHARS:
        return spelled_text(f"{before}{args}{behind}"), ""
    whole = spelled_text(f"{before}{args}{behind}") if len(args) <= WHOLE_CHARS else ""
    return spelled_text(f"{before}{_cut(args)}{behind}"), whole


def _cut(args: str) -> str:
    half = SHOWN_CHARS // 2
    left_out = f"[... {len(args) - SHOWN_CHARS} {_LEFT_OUT}; `sulla approvals show` shows all ...]"
    return f"{args[:half]} {left_out} {args[-half:]}"


def is_approval(wait: Wait) -> bool:
    """Whether a run waits for a person to allow a call."""
    return wait.wait_id.startswith("approval:")


def same_question(one: Wait, other: Wait) -> bool:
    """Whether two questions are about the same: the same tool, with the same arguments, for the same reason.

    A question that is too long to be shown whole is like no other one.
    """
    said = _words(one)
    return said == _words(other) and _LEFT_OUT not in said


def _words(wait: Wait) -> str:
    """All but which call it is."""
    return wait.prompt.rpartition(" (call ")[0]


def _plain(text: str) -> str:
    """A text as JSON spells it, such that a character that was typed (``\\\\n``) is not taken for what it spells."""
    return "".join(char if " " <= char <= "~" and char != "\\" else json.dumps(char)[1:-1] for char in text)


def refusal(wait: Wait, answer: Answer | None, at_ms: int) -> ToolCallResult | None:
    """What a call comes to that was not allowed.

    Args:
        wait: the approval that was waited for.
        answer: what a person said; None if its time is over.
        at_ms: when they did, UTC milliseconds.

    Returns:
        None if it was allowed.
    """
    if answer is None or (wait.expires_ms and at_ms > wait.expires_ms):
        return ToolCallResult(wait.call_id, TOO_LATE, True, "operator", failure="human_rejected")
    if answer.verdict in ("approve", "always"):
        return None
    said = f"{REJECTED}: {answer.text}" if answer.text else REJECTED
    return ToolCallResult(wait.call_id, said, True, "operator", failure="human_rejected")


# ------------------------------------------------------------------------------------------------ until further notice


@dataclass(frozen=True, slots=True)
class RuleMade:
    """A person allowed calls like one that they were asked about."""

    kind: ClassVar[str] = "RULE_MADE"
    id: str
    agent: str
    """Who may make them."""
    tool: str
    target: str
    """Where they take effect: ``host:…``, or ``args:…`` for exactly these arguments."""
    at_ms: int
    expires_ms: int
    """UTC milliseconds."""


@dataclass(frozen=True, slots=True)
class RuleForgotten:
    """They are asked again."""

    kind: ClassVar[str] = "RULE_FORGOTTEN"
    id: str
    at_ms: int


RuleFact = RuleMade | RuleForgotten


def rule_of(permit: Permit, agent: str, now_ms: int, always_s: float) -> RuleMade:
    """The rule that an `always` makes.

    Args:
        permit: the answer.
        agent: who asked.
        now_ms: UTC milliseconds.
        always_s: how long it is good where the answer does not say, in seconds.
    """
    made = derived_id("rule", permit.wait_id)
    good_s = permit.for_s or always_s
    return RuleMade(made, agent, permit.tool, permit.target, now_ms, now_ms + round(good_s * 1000))


def encode(fact: RuleFact) -> Draft:
    """A fact as a record to be kept."""
    value = {name: getattr(fact, name) for name in fact.__slots__}
    return Draft(fact.kind, seal(fact.kind, json.dumps(value, separators=(",", ":")).encode()))


def decode(record: Record) -> RuleFact:
    """The fact of a record.

    Raises:
        CorruptRecord: it is damaged, or of a kind that only a later version knows.
    """
    where = f"{KEY} record {record.seq} ({record.kind})"
    payload = unseal(record.kind, record.body, where)
    try:
        match record.kind, json.loads(payload):
            case RuleMade.kind, {
                "id": str(id_),
                "agent": str(agent),
                "tool": str(tool),
                "target": str(target),
                "at_ms": int(at_ms),
                "expires_ms": int(expires_ms),
            }:
                return RuleMade(id_, agent, tool, target, at_ms, expires_ms)
            case RuleForgotten.kind, {"id": str(id_), "at_ms": int(at_ms)}:
                return RuleForgotten(id_, at_ms)
    except ValueError as error:
        raise CorruptRecord(f"{where}: {error}") from None
    raise CorruptRecord(f"{where}: not what this version writes")


class RuleBook:
    """What the log adds up to. The same records give the same book in every daemon that reads them."""

    def __init__(self) -> None:
        self.seq = 0
        """The number of the last record that is in it."""
        self._rules: dict[str, RuleMade] = {}

    def apply(self, seq: int, fact: RuleFact) -> None:
        """Take one more record in; records come in order."""
        self.seq = seq
        if isinstance(fact, RuleForgotten):
            self._rules.pop(fact.id, None)
            return
        if len(self._rules) >= MOST_RULES:
            self._rules = {rule.id: rule for rule in self._rules.values() if rule.expires_ms > fact.at_ms}
        if len(self._rules) < MOST_RULES:
            self._rules[fact.id] = fact

    def good(self, now_ms: int) -> list[RuleMade]:
        """The rules that hold now, oldest first."""
        return [rule for rule in self._rules.values() if rule.at_ms <= now_ms < rule.expires_ms]

    def allows(self, agent: str, tool: str, target: str, now_ms: int) -> bool:
        """Whether calls like this one are allowed."""
        wanted = (agent, tool, target)
        return any((rule.agent, rule.tool, rule.target) == wanted for rule in self.good(now_ms))
