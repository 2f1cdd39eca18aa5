"""From SQLite to another store, as docs/upkeep.md has it: the conversations go along, and what does not is known."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sulla.agent.approvals.permissions import Permissions
from sulla.channels.machine.people import Identity, decode, encode
from sulla.channels.run.people_book import KEY
from sulla.core.ids import CallId
from sulla.daemon.home.archive import open_kept
from sulla.daemon.settings.config import load_settings
from sulla.terminal.exits import Exit
from sulla.threads.log.waits import Permit
from tests.daemon.running import Place, service
from tests.faults.conftest import new_database
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.servers.stores.postgres import PostgresServer
from tests.servers.stores.redis import running_redis
from tests.soon import until

FACT = "The gate is green."
SCRIPT = Script(
    [
        Rule(Reply(tools=(ToolUse("remember", {"text": FACT}),)), text="gate", results=0),
        Rule(Reply("Done.<AGENT_DONE/>")),
    ]
)
GARDEN = "# Garden\n\n- [ ] Dig\n"
LISTS = {
    "token": ("token", "list"),
    "schedule": ("schedule", "list"),
    "rule": ("approvals", "rules"),
    "fact": ("memory", "list", "--limit", "100"),
    "person": ("channel", "people"),
    "project": ("project", "list"),
    "thread": ("thread", "list", "--all"),
}
"""What is counted before and behind a move."""


@contextmanager
def _another(kind: str, request: pytest.FixtureRequest) -> Iterator[str]:
    if kind == "redis":
        with running_redis() as server:
            yield server.url(1)
    else:
        server_: PostgresServer = request.getfixturevalue("postgres_server")
        yield new_database(server_, 9_003)


def _listed(place: Place) -> dict[str, list[str]]:
    """What there is of each, a line of JSON a piece; of what is remembered the facts."""
    found = dict[str, list[str]]()
    for name, words in LISTS.items():
        code, out, error = place.run(*words, "--json")
        assert code == Exit.OK, (words, error)
        found[name] = out.splitlines()
    found["fact"] = [line for line in found["fact"] if json.loads(line)["kind"] == "fact"]
    return found


def _episodes(place: Place) -> int:
    out = place.run("memory", "list", "--limit", "100", "--json")[1]
    return sum(json.loads(line)["kind"] == "episode" for line in out.splitlines())


async def _allow_and_let_in(place: Place) -> None:
    """What takes a person's yes to a question, and a messenger: as it is kept then."""
    async with open_kept(load_settings(place.environ, {}, place.home), make=False) as kept:
        permit = Permit(CallId("c1"), "digest", "wait", tool="bash", target="git push", always=True)
        await Permissions(kept.store, kept.place.clock).allow(permit, "sulla")
        old = await kept.store.get(KEY)
        people, _ = decode(old).joined("ann", Identity("telegram", "42"), None)
        assert await kept.store.swap(KEY, old, encode(people))


@pytest.mark.parametrize("kind", ["redis", "postgres"])
def test_conversations_and_the_home_go_along_and_what_else_the_store_kept_does_not(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    with service(SCRIPT) as model, _another(kind, request) as url:
        old = Place(tmp_path / "home", **model.environ)
        with old.up():
            assert old.ask("what colour is the gate?")[:2] == (0, "Done.\n")
            assert old.ask("hello")[:2] == (0, "Done.\n")
            assert old.run("token", "create", "phone", "--scope", "read")[0] == Exit.OK
            assert old.run("schedule", "add", "--id", "water", "--every", "2h", "--message", "water")[0] == Exit.OK
            (old.home / "projects" / "garden").mkdir(parents=True)
            (old.home / "projects" / "garden" / "project.md").write_text(GARDEN)
            until(lambda: _episodes(old) == 2, "both turns are remembered")
        asyncio.run(_allow_and_let_in(old))
        with old.up():
            before = _listed(old)
        assert {name: len(lines) for name, lines in before.items()} == {
            "token": 2,
            "schedule": 1,
            "rule": 1,
            "fact": 1,
            "person": 1,
            "project": 1,
            "thread": 2,
        }

        # The steps of docs/upkeep.md.
        assert old.run("thread", "export", "--all", "--out", str(tmp_path / "threads"))[0] == Exit.OK
        new = Place(old.home, **model.environ, SULLA_STORE=url)
        files = sorted(os.fspath(path) for path in (tmp_path / "threads").iterdir())
        code, _, told = new.run("thread", "import", *files)
        assert code == Exit.OK
        assert "conversations alone come along" in told
        with new.up():
            after = _listed(new)
            until(lambda: _episodes(new) == 2, "the turns are remembered anew, from the conversations")
            assert new.ask("hello")[:2] == (0, "Done.\n")

        def threads(found: dict[str, list[str]]) -> set[str]:
            return {json.loads(line)["thread_id"] for line in found["thread"]}

        assert threads(after) == threads(before)
        assert after["project"] == before["project"]
        assert [json.loads(line)["name"] for line in after["token"]] == ["owner"]
        assert {name: len(after[name]) for name in ("schedule", "rule", "fact", "person")} == dict.fromkeys(
            ("schedule", "rule", "fact", "person"), 0
        )
        with old.up():
            assert _listed(old) == before, "the way back is there as long as the file is"
