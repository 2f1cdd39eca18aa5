"""Notes to the model in the user's role, which people don't see (design §5). Pure."""

from __future__ import annotations

CONTINUE = "Continue."

NUDGE = (
    "Your last reply had no completion wrapper, so nobody can tell whether you are finished. "
    "Answer with exactly one of <AGENT_DONE>, <AGENT_BLOCKED> or <AGENT_CONTINUE>, filled in for what you have just "
    "said, and with nothing else."
)

EMPTY = (
    "Your last reply was empty, so nobody has heard anything from you. Reply now to what was asked, in words or with a "
    "call of a tool."
)

REAL_CALLS = (
    "Your last reply wrote down a call of a tool as text. It was not made, and nothing of that reply counts. Call a "
    "tool as your service lets you call tools, or answer without one."
)

CUT_OFF = (
    "Your last reply was cut off, because one reply may have no more tokens. Go on exactly where its text ends, and "
    "say nothing again. A tool call that it began was not made: make it now, with less in it, and the rest in more "
    "calls."
)

LEFT_OUT = "(The earlier part of this conversation is left out.)"

SUMMARY = "(The earlier part of this conversation, summed up by a model:)\n<summary>\n{}\n</summary>"
