"""`docs/inside/protocol.md` says what is so."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from sulla.core.errors import SullaError
from sulla.gateway import rpc, wire
from sulla.gateway.contract_docs.event_schemas import KEPT, LIVE
from sulla.gateway.methods.table import METHODS
from sulla.gateway.websocket import session
from sulla.people.notices_rpc import NoticeRow
from sulla.rpc.limits import Limits
from tests.gateway.forms import check_form
from tests.gateway.frames import Conversation, published

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "inside" / "protocol.md").read_text()
EXAMPLES = re.findall(r"^([→←]) (\{.*\})$", PAGE, re.MULTILINE)
SENT = [json.loads(text) for arrow, text in EXAMPLES if arrow == "→"]
CAME = [json.loads(text) for arrow, text in EXAMPLES if arrow == "←"]


def section(title: str) -> str:
    """The text under a heading, down to the next one of its level."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None, title
    return found.group(1)


def test_every_method_has_an_example() -> None:
    assert {example["method"] for example in SENT} == set(METHODS)


@pytest.mark.parametrize("example", SENT, ids=lambda example: str(example["method"]))
def test_every_request_is_accepted_and_has_its_answer(example: dict[str, Any]) -> None:
    request = rpc.parse(json.dumps(example))
    assert isinstance(request, rpc.Request)
    assert isinstance(rpc.read_params(request), METHODS[request.method].params)
    (answer,) = (frame for frame in CAME if frame.get("id") == request.id and "result" in frame)
    check_form(METHODS[request.method].result, answer["result"])


def test_every_notification_and_error_has_its_form() -> None:
    forms: dict[str, type] = {
        "event": wire.EventParams,
        "events.ended": wire.EndedParams,
        "events.gap": wire.GapParams,
        "notice": NoticeRow,
        **{row.watch.name: row.watch.row for row in METHODS.values() if row.watch is not None},
    }
    for frame in CAME:
        if "method" in frame:
            check_form(forms[frame["method"]], frame["params"])
        elif "error" in frame:
            check_form(wire.Error, frame["error"])


def test_every_example_of_a_frame_is_one_that_the_daemon_may_send() -> None:
    found: list[str] = []
    conversation = Conversation(published(), found.append)
    for frame in SENT:
        conversation.heard(json.dumps(frame))
    for frame in CAME:
        conversation.said(json.dumps(frame))
    assert found == []


def test_every_heading_names_the_scope_that_is_asked_for() -> None:
    headings = dict(re.findall(r"^### `(\S+)` \(scope `(\w+)`\)$", PAGE, re.MULTILINE))
    assert headings == {name: row.scope for name, row in METHODS.items() if row.scope is not None}


def test_every_kind_of_event_is_explained() -> None:
    rows = "".join(re.findall(r"^\| `.*$", section("Events") + section("Speech"), re.MULTILINE))
    explained = set(re.findall(r"`([A-Z]+(?:_[A-Z]+)*)`", rows))
    assert KEPT.keys() | LIVE.keys() == explained


def test_every_error_code_is_explained() -> None:
    explained = dict(re.findall(r"^\| (-\d+) \| (.*?) \|", section("Errors"), re.MULTILINE))
    for code, words in explained.items():
        for word in re.findall(r"`(\w+)`", words):
            for cls in (cls for cls in _tree(SullaError) if cls.code == word):
                assert rpc.code_of(cls) == int(code), word
    used = {rpc.code_of(cls) for cls in _tree(SullaError)}
    used |= {rpc.PARSE_ERROR, rpc.INVALID_REQUEST, rpc.METHOD_NOT_FOUND, rpc.INVALID_PARAMS}
    assert {int(code) for code in explained} == used


def _tree(root: type[SullaError]) -> list[type[SullaError]]:
    found = [root]
    for below in root.__subclasses__():
        if below.__module__ == "sulla.core.errors":
            found.extend(_tree(below))
    return found


def test_every_close_code_is_explained() -> None:
    first_cells = re.findall(r"^\| ([\d, ]+) \|", section("Closing"), re.MULTILINE)
    explained = {int(code) for cell in first_cells for code in cell.split(",")}
    ours = {value for name, value in vars(session).items() if name.isupper() and value in range(1001, 5000)}
    assert explained == ours | {1002, 1007}


def test_the_figures_are_those_in_force() -> None:
    limits = Limits()
    assert f"within {limits.hello_s:g} seconds and in at most {limits.hello_bytes // 1024} KiB" in PAGE
    assert f"longer than {limits.call_s:g} seconds" in PAGE
    assert f"about {limits.history_bytes // 1024} KiB" in PAGE
    assert (
        f"for {limits.stall_s:g} seconds nothing was read while {limits.queue_bytes // 2**20} MiB was waiting" in PAGE
    )
    assert f"more than {limits.fragments} pieces" in PAGE
