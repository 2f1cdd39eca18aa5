"""docs/routes.md says what is so: its files are read, messages take the routes that it names."""

from __future__ import annotations

import re
from typing import Final

import pytest

from sulla.procedures.definition import Procedure
from sulla.procedures.reading import read_procedure
from sulla.routes import schema
from sulla.routes.cli.commands import COMMANDS
from sulla.routes.faults import KnownNames
from sulla.routes.gates import TurnFacts, route_of
from sulla.routes.phrases import GAP_WORDS, MOST_GAP_WORDS
from sulla.routes.plan import KINDS, RouteTable
from sulla.routes.reading import read_routes
from sulla.routes.words import MOST_CHARS
from tests.house.source import ROOT

PAGE: Final = (ROOT / "docs" / "routes.md").read_text("utf-8")
FILES: Final = dict(re.findall(r"^```yaml\n# (\S+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))


def table() -> RouteTable:
    """The example's routes."""
    found = read_routes(FILES["routes.yaml"], KnownNames())
    assert found.faults == ()
    assert found.table is not None
    return found.table


@pytest.mark.parametrize(
    ("message", "route"),
    [
        ("I was charged twice, I want my money back", "refund"),
        ("I don't want my money back", None),
        ("Your site has been down since noon", "outage"),
        ("What if the site goes down?", None),
        ("How do I change my address?", "product"),
        ("I want my money back, and the app is offline", "outage"),
        ('They wrote "the site is down" to me', None),
        ("Download the app", None),
        ("Hello", None),
    ],
)
def test_a_message_takes_the_route_that_the_example_says(message: str, route: str | None) -> None:
    plan = route_of(table(), message, TurnFacts())
    assert (plan.route.name if plan is not None else None) == route


def test_a_fact_decides_with_the_words() -> None:
    after = route_of(table(), "it is slow", TurnFacts(last_route="desk"))
    assert after is not None
    assert after.route.name == "ask_first"
    assert route_of(table(), "it is slow", TurnFacts()) is None


def test_the_procedure_can_be_read() -> None:
    procedure = read_procedure(FILES["skills/short-break/procedure.yaml"])
    assert isinstance(procedure, Procedure)
    assert [step.done_when.how for step in procedure.steps] == ["phrases", "items"]


def _rows(heading: str) -> list[str]:
    """The first cells of a table, by the heading of its first column."""
    found = re.search(rf"^\| {heading} \|.*\n\| ---.*\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    assert found is not None, heading
    return [name for row in found[1].splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])]


def test_the_tables_name_every_key_kind_and_fact() -> None:
    assert sorted(_rows("key of a route")) == sorted(key.name for key in schema.ROUTE_KEYS)
    assert _rows("kind") == list(KINDS)
    assert _rows("fact") == [key.name for key in schema.FACT_KEYS]


def test_the_figures_are_those_of_the_code() -> None:
    text = " ".join(PAGE.split())
    assert f"{schema.MOST_BYTES // 1024} KiB" in text
    assert f"| {schema.MOST_ROUTES}, {schema.MOST_GATES} |" in text
    assert f"| {schema.MOST_PHRASES}, each {schema.MOST_PHRASE_CHARS} characters |" in text
    assert f"{schema.MOST_TEXT_CHARS:,} characters |" in text
    assert f"{MOST_CHARS:,} characters are looked at" in text
    assert (GAP_WORDS, MOST_GAP_WORDS) == (4, 9)


def test_every_command_is_explained() -> None:
    assert set(re.findall(r"^\| `sulla route (\w+)", PAGE, re.MULTILINE)) == set(COMMANDS)
