"""What the model of a drill says: at its own pace, and now and then it fails, or its reply breaks off."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from tests.servers.script import Asked, Failure, Reply, Script, ToolUse

SAID = "That is how it is, as far as anybody knows. <AGENT_DONE>said</AGENT_DONE>"
SLOWEST_S = 0.15
"""Between two pieces of a reply."""
FAILS, CUTS = 0.02, 0.02
"""So many of its replies; an overload is over in a second, and of a cut the turn ends as one that failed."""
CUT_AFTER = range(700, 1_000)
"""Bytes of a reply's stream, behind the first words."""
TALK = "Tell me of"
"""What is only talk: nothing depends on whether it is answered to the end."""
PLAYBOOK = """
name: errand
inputs: {what: {type: string}}
steps:
  - {id: look, agent: '', prompt: "Look for ${{ inputs.what }}"}
  - {id: may, human: "Shall ${{ inputs.what }} be done?"}
  - id: both
    parallel:
      branches:
        left:
          - {id: l, agent: '', prompt: "Do the left of ${{ inputs.what }} (call left-${{ inputs.what }})."}
        right:
          - {id: r, wait: 1s}
  - {id: tell, respond: It is done.}
"""
"""Asks a model, a person and the clock, and has a command run in a branch."""

_CALL = re.compile(r"\(call ([\w-]+)\)")


class Moody(Script):
    """Says what fits the request, and draws how.

    Args:
        chance: how quickly, and whether at all.
        command: what a shell has to run for a name.
    """

    def __init__(self, chance: Random, command: Callable[[str], str]) -> None:
        super().__init__([])
        self._chance = chance
        self._command = command

    def answer(self, asked: Asked) -> Reply | Failure:
        drawn = self._chance.random()
        if drawn < FAILS:
            return Failure(529, "overloaded_error", retry_after="1")
        delay_s = self._chance.uniform(0.0, SLOWEST_S)
        called = _CALL.search(asked.text)
        if called is not None and asked.results == 0:
            use = ToolUse("bash", {"command": self._command(called[1]), "timeout_s": 30})
            return Reply("I run it.", tools=(use,), delay_s=delay_s)
        cut = TALK in asked.text and drawn < FAILS + CUTS
        return Reply(SAID, delay_s=delay_s, cut_after=self._chance.choice(CUT_AFTER) if cut else None)
