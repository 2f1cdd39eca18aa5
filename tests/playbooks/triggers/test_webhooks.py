from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sulla.core.errors import MessageIdReused
from sulla.core.jsontypes import Json
from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.definition import WebhookForm
from sulla.playbooks.file.check_known import KnownNames
from sulla.playbooks.triggers.webhooks import PlaybookHooks
from sulla.playbooks.webhook_message import HookEnd, HookMessage
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


async def secret_of(desk: Desk, playbook: str = "brew") -> str | None:
    terms = await desk.hooks.terms_of(playbook)
    return terms.secret if terms is not None else None


def said(payload: Json) -> HookMessage:
    return HookMessage("m 1", payload, {"x-kind": "tea"}, {"cups": "2"})


async def test_a_message_begins_one_run_with_what_the_trigger_gives(desk: Desk) -> None:
    desk.say(TAKES)
    assert await secret_of(desk) == "whistle whistle whistle"
    first, again = await desk.hooks.begin("brew", said({"a": 1})), await desk.hooks.begin("brew", said({"a": 1}))
    assert (first.first, again.first, again.run) == (True, False, first.run)
    begin = desk.office.begun[first.run]
    assert (begin.playbook, begin.inputs, begin.trigger, begin.payload) == (
        "brew",
        {"leaf": "mate"},
        "webhook",
        {"a": 1},
    )
    assert begin.by.tainted
    assert begin.request == {"headers": {"x-kind": "tea"}, "query": {"cups": "2"}}
    with pytest.raises(MessageIdReused):
        await desk.hooks.begin("brew", said({"a": 2}))


@pytest.mark.parametrize(
    "source",
    [PLAIN, "name: brew\n"] + [TAKES.replace("kettle", name) for name in ("empty", "other", "bare", "few", "short")],
)
async def test_where_nothing_is_signed_or_something_is_wrong_nothing_is_taken(desk: Desk, source: str) -> None:
    desk.say(source)
    assert await secret_of(desk) is None
    assert await secret_of(desk, "tea") is None


async def test_a_playbook_that_changes_takes_what_it_says_now(desk: Desk) -> None:
    desk.say(PLAIN)
    assert await secret_of(desk) is None
    desk.say(TAKES)
    assert await secret_of(desk) == "whistle whistle whistle"
    desk.file.unlink()
    desk.catalog.look_now()
    assert await secret_of(desk) is None


async def test_how_messages_are_signed_and_answered_stands_in_the_trigger(desk: Desk) -> None:
    desk.say(TAKES.replace("webhook: kettle,", "webhook: kettle, signed: stripe, answer: run,"))
    terms = await desk.hooks.terms_of("brew")
    assert terms is not None
    assert terms.form == WebhookForm(signed="stripe", answer="run")


async def test_what_came_of_a_run_is_known_once_it_has_ended(desk: Desk) -> None:
    whole, one = WebhookForm(answer="run"), WebhookForm(answer="run", output="cup")
    desk.office.make("run_1", "running")
    assert await desk.hooks.ended("run_1", whole) is None
    desk.office.make("run_1", "completed")
    done = replace(desk.office.details["run_1"], outputs={"cup": "mate"})
    desk.office.details["run_1"] = done
    assert await desk.hooks.ended("run_1", whole) == HookEnd(True, {"cup": "mate"})
    assert await desk.hooks.ended("run_1", one) == HookEnd(True, "mate")


async def test_of_a_run_that_handed_over_counts_what_came_of_the_other(desk: Desk) -> None:
    desk.office.make("run_1", "transferred")
    desk.office.details["run_1"] = replace(desk.office.details["run_1"], successor="run_2")
    assert await desk.hooks.ended("run_1", WebhookForm()) is None
    desk.office.make("run_2", "failed")
    assert await desk.hooks.ended("run_1", WebhookForm()) == HookEnd(False, {})
