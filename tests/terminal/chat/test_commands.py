"""What the commands of a talk tell."""

from __future__ import annotations

from sulla.terminal.chat.commands import models_of


def test_each_model_is_told_once_with_the_agents_that_have_it() -> None:
    agents = [("sulla", "ollama:a"), ("planner", "ollama:b"), ("writer", "ollama:a")]
    assert models_of(agents) == (("ollama:a", "agents sulla, writer"), ("ollama:b", "agent planner"))
