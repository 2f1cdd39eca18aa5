"""A daemon starts playbooks by the clock, for messages, and for what happens."""

from __future__ import annotations

import json
import time
from pathlib import Path

import httpx
import pytest

from sulla.core.errors import SullaError
from sulla.core.jsontypes import JsonObject
from sulla.gateway.rest.webhook import sign
from sulla.playbooks.definition import WebhookForm
from sulla.terminal.client import Client, open_client
from sulla.terminal.exits import Exit
from sulla.terminal.place import door
from tests.cli.typed import typed
from tests.daemon.running import PATIENCE_S, Place
from tests.soon import a_pause, pause

STEPS = "steps: [{id: say, respond: hi}]\n"


def home(tmp_path: Path, **playbooks: str) -> Place:
    """A home with playbooks that say what starts them."""
    place = Place(tmp_path / "home", SULLA_MODEL="offline")
    folder = place.home / "workflows"
    folder.mkdir(parents=True)
    for name, on in playbooks.items():
        (folder / f"{name}.yaml").write_text(f"name: {name}\non: {on}\n{STEPS}")
    return place


async def ended(client: Client, playbook: str) -> JsonObject:
    """A row of a playbook's runs, once they are over."""
    while True:
        rows = [row for row in (await client.call("workflow.runs"))["runs"] if row["playbook"] == playbook]
        if rows and all(row["status"] not in ("queued", "running", "waiting") for row in rows):
            found: JsonObject = rows[0]
            return found
        await a_pause()


async def test_the_schedule_of_a_playbook_begins_it_and_follows_its_file(tmp_path: Path) -> None:
    place = home(tmp_path, greet='[manual, {schedule: "0 9 * * *"}]')
    with place.up():
        async with open_client(door(place.home)) as client:
            while not (rows := (await client.call("schedule.list"))["schedules"]):
                await a_pause()
            assert [row["schedule"] for row in rows] == ["playbook_greet_1"]
            await client.call("schedule.run", schedule="playbook_greet_1", request_id="one")
            row = await ended(client, "greet")
            assert (row["status"], row["trigger"]) == ("completed", "schedule")
            (place.home / "workflows" / "greet.yaml").write_text(f"name: greet\non: manual\n{STEPS}")
            while (await client.call("schedule.list"))["schedules"]:
                pass
            with pytest.raises(SullaError, match="Did you mean 'greet'"):
                await client.call("schedule.add", every_s=3600, playbook="gret")
            made = await client.call("schedule.add", schedule="mine", every_s=3600, playbook="greet")
            assert made["action"] == "playbook greet"


async def _came_to(client: Client, slots: int) -> list[tuple[str, str]]:
    """What a schedule says of its firings, the newest first, once so many of them have ended."""
    while True:
        (row,) = (await client.call("schedule.list"))["schedules"]
        last: dict[str, tuple[str, str]] = {}
        for note in row["notes"]:
            if note["slot"]:
                last[note["slot"]] = (note["what"], note["said"])
        found = [came for came in last.values() if came[0] not in ("fired", "begun")]
        if len(found) == slots:
            return found
        await a_pause()


async def test_a_schedule_says_what_became_of_the_run_that_it_began(tmp_path: Path) -> None:
    place = home(tmp_path, greet='{schedule: "0 9 1 1 *"}\nconcurrency: {when_full: skip}')
    file = place.home / "workflows" / "greet.yaml"
    file.write_text(file.read_text().replace(STEPS, "steps: [{id: ask, human: Shall it?}, {id: bad, fail: no tea}]\n"))
    with place.up():
        async with open_client(door(place.home)) as client:
            while not (await client.call("schedule.list"))["schedules"]:
                await a_pause()
            await client.call("schedule.run", schedule="playbook_greet_1", request_id="one")
            while not (runs := (await client.call("workflow.runs", status="waiting"))["runs"]):
                await a_pause()
            first = runs[0]["run"]
            await client.call("schedule.run", schedule="playbook_greet_1", request_id="two")
            assert await _came_to(client, 1) == [("skipped", f"skipped: {first} went on, and 1 may at a time")]
            await client.call("workflow.cancel", run=first, why="enough")
            assert ("cancelled", "enough") in await _came_to(client, 2)


def test_what_a_playbook_said_when_a_run_began_is_listed_compared_and_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = home(tmp_path, greet="manual")
    file = place.home / "workflows" / "greet.yaml"
    first = f"# as it was\n{file.read_text()}"
    file.write_text(first)
    monkeypatch.setenv("SULLA_HOME", str(place.home))

    def flow(*words: str) -> str:
        shown = typed(capsys, "flow", *words)
        assert shown.code == Exit.OK, shown.err
        return shown.out

    def begun() -> str:
        run = flow("run", "greet", "--detach").strip()
        while "completed" not in flow("show", run):  # a run counts from when it is taken up
            pause()
        return run

    with place.up():
        runs = [begun() for _ in range(2)]
        file.write_text(first.replace("respond: hi", "respond: hello"))
        runs.append(begun())
        newest, oldest = [json.loads(line) for line in flow("history", "greet", "--json").splitlines()]
        assert (newest["run"], newest["runs"], newest["now"]) == (runs[2], 1, True)
        assert (oldest["run"] in runs[:2], oldest["runs"], oldest["now"]) == (True, 2, False)
        assert "(as it is now)" in flow("history", "greet").splitlines()[1]
        assert "-steps: [{id: say, respond: hi}]\n+steps: [{id: say, respond: hello}]\n" in flow("diff", "greet")
        assert flow("diff", "greet", runs[2]).endswith("began with what the file says now\n")
        assert "+steps: [{id: say, respond: hi}]" in flow("rollback", "greet", runs[0])
        assert file.read_text() == first
        assert "respond: hello" in file.with_name("greet.yaml.before").read_text()
        assert flow("rollback", "greet", runs[0]).endswith("says that already\n")
        file.unlink()
        flow("rollback", "greet", runs[2])
        assert "respond: hello" in file.read_text()
        other = typed(capsys, "flow", "rollback", "tea", runs[0])
        assert (other.code, "is none of the playbook 'tea'" in other.err) == (Exit.REFUSED, True)


async def test_a_message_and_what_comes_of_it_start_theirs_once(tmp_path: Path) -> None:
    place = home(tmp_path, triage="{chat: a new lead}", after="{event: run.finished}")
    with place.up():
        async with open_client(door(place.home)) as client:
            thread = (await client.call("thread.create"))["thread_id"]
            await client.call("turn.send", thread_id=thread, message_id="one", text="We have a new lead")
            row = await ended(client, "triage")
            assert (row["status"], row["trigger"], row["thread_id"]) == ("completed", "chat", thread)
            state = await client.call("thread.history", thread_id=thread)
            assert "Playbook triage runs: " in str(state)
            row = await ended(client, "after")
            assert (row["status"], row["trigger"], row["thread_id"]) == ("completed", "event", "")
            rows = (await client.call("workflow.runs"))["runs"]
            assert sum(row["playbook"] == "triage" for row in rows) == 1


def test_who_is_ready_knows_its_playbooks(tmp_path: Path) -> None:
    place = home(tmp_path, hooked="{webhook: kettle}\nsecrets: [kettle]")
    place.environ["SULLA_SECRET_KETTLE"] = "whistle whistle whistles"
    many = "".join(f"- {{id: s_{number}, respond: hi}}\n" for number in range(200))
    for number in range(30):  # so many that reading them takes longer than a message's way
        (place.home / "workflows" / f"a-{number}.yaml").write_text(f"name: a-{number}\non: manual\nsteps:\n{many}")
    with place.up() as daemon:
        at_s = round(time.time())
        signed = {"webhook-id": "one", "webhook-timestamp": str(at_s)}
        signed["webhook-signature"] = "v1," + sign(WebhookForm(), "whistle whistle whistles", f"one.{at_s}.", b"hi")
        said = httpx.post(f"{daemon.url}/hooks/hooked", content=b"hi", headers=signed, timeout=PATIENCE_S)
        assert (said.status_code, said.json().get("first")) == (202, True), said.text


def test_a_webhook_is_answered_with_what_came_of_its_run(tmp_path: Path) -> None:
    place = home(tmp_path)
    place.environ["SULLA_SECRET_KETTLE"] = "whistle whistle whistles"
    (place.home / "workflows" / "asked.yaml").write_text(
        "name: asked\non: {webhook: kettle, signed: github, answer: {output: reply}}\nsecrets: [kettle]\n"
        "steps:\n- {id: put, set: {kind: \"${{ run.headers['x-github-event'] }}\"}}\n"
        "outputs: {reply: 'a ${{ steps.put.output.kind }} of ${{ run.payload.cups }} to ${{ run.query.to }}'}\n"
    )
    with place.up() as daemon:
        body = b'{"cups": 2}'
        mark = sign(WebhookForm(signed="github"), "whistle whistle whistles", "", body)
        headers = {"x-hub-signature-256": f"sha256={mark}", "x-github-delivery": "d-1", "x-github-event": "push"}
        url, headers = f"{daemon.url}/hooks/asked?to=live", headers | {"content-type": "application/json"}
        said = [httpx.post(url, content=body, headers=headers, timeout=PATIENCE_S) for _ in range(2)]
        assert [(one.status_code, one.text) for one in said] == [(200, "a push of 2 to live")] * 2
