"""Notes to the model in the user's role, which people don't see (design §5). Pure."""

from __future__ import annotations

CONTINUE = "Continue."

NUDGE = (
    "Your last reply had no completion wrapper, so nobody can tell whether you are finished. "
    "Answer with exactly one of <AGENT_DONE>, <AGENT_BLOCKED> or <AGENT_CONTINUE>, filled in for what you have just "
    "said, and with nothing else."
)

REAL_CALLS = (
    "Your last reply wrote down a call of a tool as text. It was not made, and nobody has seen it. Call a tool as your "
    "service lets you call tools, or answer without one."
)

LEFT_OUT = "(The earlier part of this conversation is left out.)"

SUMMARY = "(The earlier part of this conversation, summed up by a model:)\n<summary>\n{}\n</summary>"
