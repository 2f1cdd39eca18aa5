"""Whatever carries mistrust over a border is needed: with any of it taken away, something is reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sulla.agent.calls.file_marks import FileMarks
from sulla.agent.model import model
from sulla.agent.model.stream_sink import StreamSink
from sulla.agent.subagents import child_tools, reports
from sulla.agent.turn import chat, turns
from sulla.core.words import Author, Words
from sulla.mcp import tools as mcp_tools
from sulla.memory import tools as memory_tools
from sulla.playbooks import tools as playbook_tools
from sulla.playbooks.triggers import events, webhooks
from sulla.threads.log import provenance
from sulla.tools.builtin import web
from tests.attacks.grammar import read_catalog
from tests.attacks.run import play
from tests.kits.points import some

CATALOG = read_catalog()
Patch = pytest.MonkeyPatch


def unmarked(make: Callable[..., Any], **marks: Any) -> Callable[..., Any]:
    """Makes the same value, with its marks as those of something trusted."""

    def made(*args: Any, **given: Any) -> Any:
        found = make(*args, **given)
        if found is None:
            return None
        return replace(found, **{name: mark(found) if callable(mark) else mark for name, mark in marks.items()})

    return made


def without(module: Any, name: str, **marks: Any) -> Callable[[Patch], None]:
    """What a module makes by this name has no marks."""
    return lambda patch: patch.setattr(module, name, unmarked(getattr(module, name), **marks))


def trusted(found: Any) -> Words:
    """The words of something, as those of an agent that has read nothing from outside."""
    return Words(found.words.text, Author.AGENT)


def without_mark(name: str) -> Callable[[Patch], None]:
    """No record is from outside by this field."""
    return lambda patch: patch.setitem(provenance.MARKS, name, lambda found: False)


def no_file_is_marked(patch: Patch) -> None:
    patch.setattr(FileMarks, "_is_marked", lambda *args, **given: False)
    patch.setattr(FileMarks, "is_outside", lambda *args: False)
    patch.setattr(FileMarks, "names_outside", lambda *args: frozenset())


def nothing_of_children_is_told(patch: Patch) -> None:
    without(reports, "Report", tainted=False)(patch)
    without(child_tools, "Done", words=trusted)(patch)


def pictures_are_shown(patch: Patch) -> None:
    patch.setattr(chat, "shown_text", lambda words: words.text)
    patch.setattr(model, "StreamSink", lambda *args, **given: StreamSink(*args, **(given | {"pictures": True})))


CARRIED: list[tuple[str, Callable[[Patch], None]]] = [
    ("core.page.mail.plain", without(web, "Done", words=trusted, origin="tool")),
    ("core.search-result.mail.plain", without(web, "Done", words=trusted, origin="tool")),
    ("core.mcp-result.mail.plain", without(mcp_tools, "Done", words=trusted, origin="tool")),
    ("core.file.mail.plain", no_file_is_marked),
    ("core.file-name.mail.plain", no_file_is_marked),
    ("core.folder-name.mail.plain", no_file_is_marked),
    ("core.file-found.mail.plain", no_file_is_marked),
    ("core.project-task.mail.plain", no_file_is_marked),
    ("core.memory-note.mail.plain", without(memory_tools, "Done", words=trusted)),
    ("core.sub-agent.mail.plain", nothing_of_children_is_told),
    ("core.quoted.mail.plain", without_mark("quoted")),
    ("core.v1-retold.mail.plain", without_mark("quoted")),
    ("core.v1-sources.mail.plain", without_mark("quoted")),
    ("core.agui-retold.mail.plain", without_mark("quoted")),
    ("core.agui-context.mail.plain", without_mark("quoted")),
    ("core.screen-text.mail.plain", without(turns, "RunStarted", tainted=False)),
    ("core.event.program-file.plain", without(events, "happening", by=Author.AGENT)),
    ("core.beat-summary.program-file.plain", without(events, "happening", by=Author.AGENT)),
    ("core.webhook.program-file.plain", without(webhooks, "Begin", by=Author.AGENT)),
    ("core.playbook-input.program-file.plain", without(playbook_tools, "Begin", by=Author.AGENT)),
    ("core.quoted.picture.plain", pictures_are_shown),
]
"""Scenarios, and what carries the mistrust in them, taken away."""


@pytest.fixture(autouse=True)
def read_anew() -> Any:
    """How records are read is found once, and the marks are changed here."""

    def forget() -> None:
        provenance._reading.cache_clear()
        provenance._marks_of.cache_clear()

    forget()
    yield forget
    forget()


@pytest.mark.parametrize(("name", "take_away"), some(CARRIED, 4, "attacks: carrying"))
async def test_without_what_carries_it_something_is_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, take_away: Callable[[Patch], None]
) -> None:
    (scenario,) = (one for one in CATALOG.scenarios if one.name == name)
    with monkeypatch.context() as patch:
        take_away(patch)
        found = await play(CATALOG, [scenario], tmp_path, lambda line: None)
    assert [(one.verdict, one.fault) for one in found.outcomes] == [("reached", "")]
