"""How steps fail: every kind, and every reason that a step's error can have. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sulla.agent.model.retry import FailureClass
from sulla.core.dataclass import dataclass

KINDS: Final[Mapping[FailureClass, str]] = {
    "transient": "It may pass: no answer in time, a model's service that fails, of `http` also an answer of 500 "
    "and above, 408, 409, 423, 425 or 429.",
    "tool_error": "Something went wrong in a tool, such as a command that ends with another status than 0 (`bash` is "
    "tried once all the same). `http` never fails so.",
    "llm_error": "A model gave no answer that could be used.",
    "context_limit": "A model was told more than it can take.",
    "permanent": "Time does not mend it.",
    "human_rejected": "A person did not want it; it is not tried again, whatever `retry` says.",
}
"""The kinds, and when a failure is of one."""


@dataclass(frozen=True, slots=True)
class FailureReason:
    """A reason that a step's error can have."""

    of: str
    """Which steps have it."""
    kinds: tuple[FailureClass, ...]
    about: str


ASKED_ALREADY: Final = "asked_already"
"""The reason of what waits for an answer that another run waits for."""

_ANY: Final = "any"
_TOOL: Final = "`tool`"
REASONS: Final[Mapping[str, FailureReason]] = {
    "tool": FailureReason(_TOOL, ("transient", "tool_error", "permanent"), "The tool says what went wrong."),
    "refused": FailureReason(
        _TOOL,
        ("permanent", "human_rejected"),
        "The call cannot be made as it is: a wrong argument, no such file, an address that is not allowed, of `http` "
        "an answer from 300 to 499 that no time mends. `human_rejected` where the agent that confirms calls says no.",
    ),
    "cut": FailureReason(_TOOL, ("permanent",), "The tool could not give all of its result; see `cut`."),
    "rejected": FailureReason(_TOOL, ("human_rejected",), "A person said no to the call, or nobody answered in time."),
    ASKED_ALREADY: FailureReason(
        "`tool`, `playbook`, and what needs it",
        ("human_rejected",),
        "The call needs a person's yes, and another run asks the very same and waits for it.",
    ),
    "given_up": FailureReason("`tool`, `human`", ("human_rejected",), "A person gave it up."),
    "no_arguments": FailureReason(_TOOL, ("llm_error",), "The agent that confirms calls edited, and gave nothing."),
    "not_found": FailureReason(
        "`tool`, `playbook`", ("permanent",), "A secret that is not set, or a playbook that there is not."
    ),
    "output": FailureReason("`agent`", ("llm_error",), "What it came to does not meet its `output`."),
    "not_approved": FailureReason("`agent`", ("permanent",), "`before` or `after` was not approved in the end."),
    "blocked": FailureReason("`agent`", ("llm_error", "permanent"), "The agent lacks something, and says what."),
    "no_report": FailureReason("`agent`", ("permanent",), "It ended without saying what came of it."),
    "no_answer": FailureReason(
        "`router`, `condition`, `prompt`, `agent`", ("transient", "llm_error", "permanent"), "No answer that fits."
    ),
    "expired": FailureReason("`human`", ("permanent",), "Nobody answered in time."),
    "playbook": FailureReason("`playbook`", ("permanent", "transient"), "The playbook within has failed."),
    "invalid_input": FailureReason(
        "`playbook`, `router`, `condition`",
        ("permanent",),
        "Its inputs are not what the playbook within takes; the question is blank, or longer than 64,000 characters.",
    ),
    "recursion": FailureReason("`playbook`", ("permanent",), "It would run within itself."),
    "limit_depth": FailureReason("`playbook`", ("permanent",), "Playbooks are too deep in each other."),
    "limit_passes": FailureReason("`loop`", ("permanent",), "It has more passes than it may."),
    "no_loop": FailureReason("`break`", ("permanent",), "There is no loop around it."),
    "merge_short": FailureReason("`merge`", ("permanent",), "Too few of its needs were not skipped."),
    "transfer_within": FailureReason("`transfer`", ("permanent",), "It stands in a playbook within another one."),
    "said": FailureReason("`fail`", ("permanent",), "The playbook says so."),
    "expression": FailureReason(_ANY, ("permanent",), "An expression has no value."),
    "timeout": FailureReason(_ANY, ("transient", "permanent"), "It took longer than its `timeout`."),
    "upstream": FailureReason(_ANY, tuple(KINDS), "A step that it needs has failed; the kind is that one's."),
    "given": FailureReason(_ANY, ("permanent",), "The one step that is done needs its failure: see `--step`."),
    "limit_wall": FailureReason(_ANY, ("permanent",), "It, or the run, has used up the time of its `budget`."),
    "limit_tokens": FailureReason(_ANY, ("permanent",), "The same of tokens."),
    "limit_cost": FailureReason(_ANY, ("permanent",), "The same of money."),
}
"""What an agent's or a model's own end says is not among them: `provider_…`, `limit_…`, `stopped`, `deleted`."""


def tool_reasons(kind: FailureClass) -> list[str]:
    """The reasons with which a tool's step can fail so by itself.

    Args:
        kind: of the failure.
    """
    known = {word: one for word, one in REASONS.items() if _TOOL in one.of or one.of == _ANY}
    return [word for word, one in known.items() if kind in one.kinds and word != "upstream"]
