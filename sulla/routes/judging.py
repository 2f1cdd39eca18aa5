"""What a model is asked of a person's reply to a procedure, where its words alone do not say it. Pure."""

from __future__ import annotations

import json
from typing import Final

from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.procedures.verdicts import CHOICES
from sulla.threads.log.plays import Question
from sulla.threads.log.state import ThreadState

VERDICT: Final = "give_verdict"
"""The tool by which a model says what a reply comes to."""
_KEY: Final = "verdict"


def question(asked: str) -> Question:
    """What a model has to answer by a forced call before a turn of a procedure goes on.

    Args:
        asked: what it is asked, in words.
    """
    about = "\n".join(f"{name}: {means}" for name, means in CHOICES.items())
    schema: JsonObject = {
        "type": "object",
        "properties": {_KEY: {"type": "string", "enum": [*CHOICES], "description": about}},
        "required": [_KEY],
        "additionalProperties": False,
    }
    return Question(ThreadId(""), "", VERDICT, asked, schema)


def verdict_of(state: ThreadState) -> str | None:
    """What the model has answered: empty where it gave no answer that counts; None where it is still to be asked.

    Args:
        state: the thread.
    """
    run = state.run
    if run is None or run.asked.question is None:
        return None
    if run.asked.answer is not None:
        given = json.loads(run.asked.answer)
        return str(given.get(_KEY, "")) if isinstance(given, dict) else ""
    return "" if state.newest.outcome.status == "failed" else None
