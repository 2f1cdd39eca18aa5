from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from sulla.terminal.exits import Exit
from tests.cli.typed import typed
from tests.daemon.running import Place, service
from tests.servers.script import Script

Capsys = pytest.CaptureFixture[str]
pytestmark = pytest.mark.usefixtures("here")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A home of these tests alone: in the one that others share, agents and schedules leave notices."""
    with service(Script([])) as model:
        place = Place(tmp_path_factory.mktemp("notices") / "home", **model.environ)
        with place.up():
            yield place


def test_where_there_are_none_it_says_so(capsys: Capsys) -> None:
    assert typed(capsys, "notices").out == "nothing that you have not seen; `sulla notices --all` lists the rest\n"
    assert typed(capsys, "notices", "list", "--all").out == "no notices\n"
    assert typed(capsys, "notices", "--json").out == ""
    assert json.loads(typed(capsys, "notices", "seen", "--json").out) == {"new": 0}


def test_what_is_not_there_is_named(capsys: Capsys) -> None:
    done = typed(capsys, "notices", "seen", "ntc_no")
    assert (done.code, "no notice 'ntc_no'" in done.err) == (Exit.REFUSED, True)


def test_an_id_of_no_form_is_refused_before_anything_is_marked(capsys: Capsys) -> None:
    done = typed(capsys, "notices", "seen", "not an id")
    assert (done.code, "ids.0" in done.err) == (Exit.REFUSED, True)
