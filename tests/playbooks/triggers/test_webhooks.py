from __future__ import annotations

from pathlib import Path

import pytest

from sulla.core.errors import MessageIdReused
from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.file.check_known import KnownNames
from sulla.playbooks.triggers.webhooks import PlaybookHooks
from tests.doubles.playbooks import MemoryPlaybooks

TAKES = """
name: brew
on: [manual, {webhook: kettle, inputs: {leaf: mate}}]
inputs: {leaf: string}
secrets: [kettle, empty, other, bare, few, short]
steps:
  - id: say
    respond: ${{ run.payload }}
"""
PLAIN = TAKES.replace("{webhook: kettle, inputs: {leaf: mate}}", "heartbeat")
SECRETS = {"kettle": "whistle whistle whistle", "empty": "", "bare": "whsec_", "few": "whsec_AAAA", "short": "x" * 15}


class Desk:
    """A home with one playbook."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "brew.yaml"
        self.catalog = PlaybookCatalog((folder,), KnownNames)
        self.office = MemoryPlaybooks()
        self.hooks = PlaybookHooks(self.office, self.catalog, SECRETS.get)

    def say(self, source: str) -> None:
        self.file.write_text(source)
        self.catalog.look_now()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


async def test_a_message_begins_one_run_with_what_the_trigger_gives(desk: Desk) -> None:
    desk.say(TAKES)
    assert await desk.hooks.secret_of("brew") == "whistle whistle whistle"
    first, again = await desk.hooks.begin("brew", "m 1", {"a": 1}), await desk.hooks.begin("brew", "m 1", {"a": 1})
    assert (first.first, again.first, again.run) == (True, False, first.run)
    begin = desk.office.begun[first.run]
    assert (begin.playbook, begin.inputs, begin.trigger, begin.payload) == (
        "brew",
        {"leaf": "mate"},
        "webhook",
        {"a": 1},
    )
    assert begin.by.tainted
    with pytest.raises(MessageIdReused):
        await desk.hooks.begin("brew", "m 1", {"a": 2})


@pytest.mark.parametrize(
    "source",
    [PLAIN, "name: brew\n"] + [TAKES.replace("kettle", name) for name in ("empty", "other", "bare", "few", "short")],
)
async def test_where_nothing_is_signed_or_something_is_wrong_nothing_is_taken(desk: Desk, source: str) -> None:
    desk.say(source)
    assert await desk.hooks.secret_of("brew") is None
    assert await desk.hooks.secret_of("tea") is None


async def test_a_playbook_that_changes_takes_what_it_says_now(desk: Desk) -> None:
    desk.say(PLAIN)
    assert await desk.hooks.secret_of("brew") is None
    desk.say(TAKES)
    assert await desk.hooks.secret_of("brew") == "whistle whistle whistle"
    desk.file.unlink()
    desk.catalog.look_now()
    assert await desk.hooks.secret_of("brew") is None
