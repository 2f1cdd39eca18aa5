"""What `sulla doctor` says of phrases that lead to playbooks."""

from __future__ import annotations

from pathlib import Path

from sulla.agent.spec import AgentSpec
from sulla.definitions.intents import Intent
from sulla.intents.checks import judge_intents
from sulla.playbooks.catalog import PlaybookCatalog
from tests.playbooks.homes import known_nowhere

WEEK = "name: week\ninputs: {days: integer}\nsteps: [{id: say, respond: 'Mow.'}]\n"


def test_an_intent_that_no_playbook_can_be_started_by_is_told(tmp_path: Path) -> None:
    (tmp_path / "week.yaml").write_text(WEEK)
    (tmp_path / "torn.yaml").write_text("name: torn\n")
    known = known_nowhere()
    catalog = PlaybookCatalog((tmp_path,), lambda: known)
    catalog.look_now()
    intents = (
        Intent(("good",), "playbook", "week", {"days": 7}),
        Intent(("gone",), "playbook", "wek"),
        Intent(("wrong",), "playbook", "week", {"dais": 7}),
        Intent(("torn",), "playbook", "torn"),
        Intent(("text",), "text", "Hello."),
    )
    found = judge_intents([AgentSpec("sulla", "Sulla", "You.", intents=intents)], catalog)
    for (phrase, why), one in zip(
        {
            "gone": "there is no playbook 'wek'. Did you mean 'week'?",
            "wrong": "cannot start the playbook 'week'",
            "torn": "the playbook 'torn' cannot be run",
        }.items(),
        found,
        strict=True,
    ):
        assert f"its intent {phrase!r} leads nowhere: {why}" in one.found
