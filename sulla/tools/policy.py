"""What a call may do: at once, after a person said yes, or not at all (design §9). Pure.

The only place that decides this. A rule looks at what is known of the call in code; what the model says of it counts
for nothing. The rules are a table, and the first that fits decides: what forbids stands first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import field
from hashlib import blake2b
from typing import Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.ids import CallId
from sulla.core.jsontypes import FrozenJson, Json, replaced
from sulla.core.pattern import late_pattern
from sulla.tools.base import Effect, Reach, Tool, ToolContext

_WEB: Final = late_pattern(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?(?=[/?#]|\Z)", re.IGNORECASE)

_NO_NAMES: Final[Mapping[str, str]] = {}

_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")

Trust = Literal["person", "unattended"]
"""Who started the run: somebody who is there, or nobody (a beat, a playbook, another agent)."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """What the policy knows of a call besides the tool and its arguments."""

    trust: Trust = "person"
    tainted: bool = field(kw_only=True)
    """Whether the model was shown anything that nobody trusts."""
    secret: bool = False
    """Whether the arguments hold a secret of the daemon's, however it is encoded."""
    known_target: bool = False
    """Whether all that the arguments say stood in a person's words, or in a page, before the model wrote it."""
    allowed: bool = False
    """Whether a person has allowed calls like this one until further notice."""


@dataclass(frozen=True, slots=True)
class FiledCall:
    """What is known of a call that stands in a playbook."""

    step: str
    """Which step of which text makes it, and what began the run; empty where no rule is made for a step."""
    secrets: Mapping[str, str]
    """The names of secrets, by what stands for them in the arguments."""
    approved: tuple[CallId, str] | None = None
    """The call of an attempt before that a person said yes to, and the digest of that yes: it is good for another
    attempt at the very same. None where there is none."""
    outside: str = ""
    """What of its run is from outside and counts for it, for people; empty where nothing does, or nobody knows."""

    @property
    def marked(self) -> Mapping[str, str]:
        """What takes the place of each in the arguments, so that they are the same in all runs, and no text passes for
        a secret: a NUL is doubled, and one before a colon begins a name.
        """
        return {"\0": "\0\0", **{mark: f"\0:{name};" for mark, name in self.secrets.items()}}

    @property
    def shown(self) -> Mapping[str, str]:
        """The same for people."""
        return {mark: f"[secret {name}]" for mark, name in self.secrets.items()}


@dataclass(frozen=True, slots=True)
class Allow:
    """The call is made."""

    rule: str


@dataclass(frozen=True, slots=True)
class AskFirst:
    """A person is asked first."""

    rule: str
    reason: str
    question: str = ""
    """The tool's own question (`Tool.asks`); empty where the policy asks."""


@dataclass(frozen=True, slots=True)
class Deny:
    """The call is not made, whatever anybody says."""

    rule: str
    reason: str


Verdict = Allow | AskFirst | Deny


@dataclass(frozen=True, slots=True)
class _PolicyCase:
    """One call with its tool and context, as the rules see it."""

    tool: Tool
    standing: CallContext
    reach: Reach
    question: str | None
    """What the tool wants to be asked first; None if it could not say."""
    effect: Effect


@dataclass(frozen=True, slots=True)
class _PolicyRule:
    name: str
    fits: Callable[[_PolicyCase], bool]
    then: type[Allow] | type[AskFirst] | type[Deny]
    reason: str = ""


RULES: Final = (
    _PolicyRule(
        "secret",
        lambda case: case.standing.secret and case.reach == "outward",
        Deny,
        "its arguments hold one of the daemon's own secrets, and those never leave",
    ),
    _PolicyRule(
        "unclear", lambda case: case.question is None, Deny, "the tool could not say what it has to be asked for"
    ),
    _PolicyRule("own_question", lambda case: bool(case.question), AskFirst),
    _PolicyRule("inward", lambda case: case.reach == "inward", Allow),
    _PolicyRule("allowed_before", lambda case: case.standing.allowed, Allow),
    _PolicyRule(
        "unattended",
        lambda case: case.standing.trust == "unattended" and case.effect != "pure",
        AskFirst,
        "nobody is there who started this, and it takes effect outside the workspace",
    ),
    _PolicyRule("known_read", lambda case: case.effect == "pure" and case.standing.known_target, Allow),
    _PolicyRule(
        "tainted",
        lambda case: case.standing.tainted,
        AskFirst,
        "the conversation holds text from outside that may have asked for this, and it reaches outside the workspace",
    ),
    _PolicyRule("trusted", lambda case: True, Allow),
)
"""The policy. docs/safety.md explains each rule."""


def judge(tool: Tool, args: FrozenJson, context: ToolContext, standing: CallContext) -> Verdict:
    """Whether a call may be made.

    Args:
        tool: what is called.
        args: what the model gave.
        context: what the tool would get.
        standing: what else is known.
    """
    case = _PolicyCase(
        tool, standing, reach_of(tool, args, context), question_of(tool, args, context), effect_of(tool, args)
    )
    rule = next(rule for rule in RULES if rule.fits(case))
    if rule.then is Allow:
        return Allow(rule.name)
    if rule.then is Deny:
        return Deny(rule.name, rule.reason)
    return AskFirst(rule.name, rule.reason or f"its tool has a question: {case.question}", case.question or "")


def reach_of(tool: Tool, args: FrozenJson, context: ToolContext) -> Reach:
    """Where a call takes effect; `outward` also where the tool fails to say."""
    if not callable(tool.reach):
        return tool.reach
    try:
        return "inward" if tool.reach(args, context) == "inward" else "outward"
    except Exception:  # noqa: BLE001 - what a tool makes of odd arguments is no permission
        return "outward"


def effect_of(tool: Tool | None, args: FrozenJson) -> Effect:
    """What a repeat of a call would do; what `Tool.effect` says, also where the tool fails to say more.

    Args:
        tool: what is called; a call of no tool does nothing, however often.
        args: the call's.
    """
    if tool is None:
        return "pure"
    if tool.effect_of is None:
        return tool.effect
    try:
        return tool.effect_of(args)
    except Exception:  # noqa: BLE001 - as above
        return tool.effect


def question_of(tool: Tool, args: FrozenJson, context: ToolContext) -> str | None:
    """What the tool wants to be asked before this call; empty for nothing, None if it failed to say."""
    if tool.asks is None:
        return ""
    try:
        return tool.asks(args, context)
    except Exception:  # noqa: BLE001 - as above
        return None


def shown_args(
    tool: Tool | None, args: FrozenJson, context: ToolContext, names: Mapping[str, str] = _NO_NAMES
) -> FrozenJson:
    """The arguments of a call as a question shows them: only the length of those that the tool hides.

    Args:
        tool: what is called; None where it is gone.
        args: its arguments.
        context: where it works.
        names: what takes the place of each mark of a secret; one that is a whole argument is shown by its name.
    """
    if tool is None or tool.hides is None:
        return {name: replaced(value, names) for name, value in args.items()}
    try:
        hidden = tool.hides(args, context)
    except Exception:  # noqa: BLE001 - as above
        hidden = args
    shown: dict[str, Json] = {}
    for name, value in args.items():
        is_shown = name not in hidden or (isinstance(value, str) and value in names)
        shown[name] = replaced(value, names) if is_shown else f"({len(str(value))} characters, not shown)"
    return shown


def digest_of(tool: Tool, args: FrozenJson, context: ToolContext, question: str) -> str:
    """What a yes is bound to: 32 hex digits that are the same for exactly the same call only.

    Args:
        tool: what is called; also what it says of itself counts, so that a yes is not good for a changed one.
        args: its arguments.
        context: where it works, for whom, and under which id.
        question: what the tool itself asks.
    """
    said = {
        "tool": [tool.name, tool.description, dict(tool.schema), effect_of(tool, args), reach_of(tool, args, context)],
        "args": dict(args),
        "where": [str(context.workspace), context.agent, context.thread_id, context.run_id, context.call_id],
        "question": question,
    }
    return blake2b(canonical(said), digest_size=16).hexdigest()


def targets_of(tool: Tool, args: FrozenJson, filed: FiledCall | None = None) -> tuple[str, ...]:
    """What `always` would be good for beside the tool, and what else a rule of before may have been made for.

    The host that a call goes to, where it says nothing but an address, an agent makes it and the tool has no questions
    of its own: one that has, as the browser, may be led on to elsewhere by that host. For a request that stands in a
    playbook what its author chose: the method, the host and the secrets, at this step. Else exactly these arguments, in
    which a secret counts by its name: what stands for it is another one in each run, and no other text passes for one.

    Args:
        tool: what is called.
        args: its arguments.
        filed: what is known of a call that stands in a playbook.
    """
    url, method = args.get("url"), args.get("method", "GET")
    host = _host(url) if isinstance(url, str) else ""
    to_host = (f"host:{host}",) if host and len(args) == 1 and tool.asks is None else ()
    if to_host and filed is None:
        return to_host
    said = replaced(dict(args), filed.marked) if filed is not None and filed.secrets else dict(args)
    exactly = f"args:{blake2b(canonical(said), digest_size=16).hexdigest()}"
    if filed is None or not filed.step or not tool.addressed or not host or method not in _METHODS:
        return exactly, *to_host
    names = sorted({name for mark, name in filed.secrets.items() if mark in str(args)})
    secrets = f" with the secret{'s' if len(names) > 1 else ''} {', '.join(names)}" if names else ""
    return f"{method} to {host}{secrets}, by {filed.step}", exactly, *to_host


def canonical(value: object) -> bytes:
    """JSON that is the same for the same value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def _host(url: str) -> str:
    """Scheme, host and port of a plain web address; empty for anything else."""
    found = _WEB.match(url)
    return found[0].lower() if found is not None else ""
