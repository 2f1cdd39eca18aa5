"""A real daemon, its command line, and the fake of Telegram's Bot API: from the code to the answer, what sub-agents and
playbooks ask, and what `daemon_kit` tries of every kind."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from sulla.channels.machine.asking import OLD, TAKEN
from sulla.core.clock import Clock
from sulla.terminal.exits import Exit
from sulla.testing.channels.telegram import TOKEN, TelegramWire
from sulla.testing.channels.wire import Seen
from tests.channels.beside import Telegram, telegram_beside, with_channel
from tests.channels.daemon_kit import DaemonKit
from tests.daemon.running import Place, Service, service
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script, ToolUse
from tests.soon import until

pytestmark = in_turn(2)


class TestTelegram(DaemonKit[TelegramWire]):
    kind = "telegram"
    secrets = MappingProxyType({"token": TOKEN})
    account = "sulla_bot"
    shows = False
    tells_sent = False

    def make(self, clock: Clock) -> TelegramWire:
        return TelegramWire(clock)

    def options(self, wire: TelegramWire) -> Mapping[str, str | int]:
        return {"api": wire.api, "poll_s": 1}


GREET = """\
name: greet
inputs:
  who: {type: string, required: true}
steps:
  - id: ask
    human: Shall it greet ${{ inputs.who }}?
    choices: [yes do, not now]
  - id: say
    set: {text: "${{ steps.ask.output }}"}
"""


@pytest.fixture
def telegram() -> Iterator[Telegram]:
    with telegram_beside() as found:
        yield found


@pytest.fixture
def model() -> Iterator[Service]:
    asking = ToolUse("bash", {"command": "echo written >> note.txt", "timeout_s": 30})
    play = ToolUse("run_playbook", {"playbook": "greet", "inputs": {"who": "Bob"}})
    rules = [
        Rule(Reply(tools=(asking,)), text="(write)", results=0),
        Rule(Reply("It is written.<AGENT_DONE/>"), text="(write)", results=1),
        Rule(Reply(tools=(ToolUse("spawn_sub_agent", {"task": "(write) it down"}),)), text="(send)", results=0),
        Rule(Reply("The other one has done it.<AGENT_DONE/>"), text="(send)"),
        Rule(Reply(tools=(play,)), text="(play)", results=0),
        Rule(Reply("It is begun.<AGENT_DONE/>"), text="(play)"),
        Rule(Reply("Well met.<AGENT_DONE/>"), text="(hello)"),
        Rule(Reply(""), text="(nothing)"),
        Rule(Reply(""), text="Your last reply"),
        Rule(Reply(tools=(ToolUse("get_time_date", {}),)), text="(look)", results=0),
        Rule(Reply(""), text="(look)"),
    ]
    with service(Script(rules)) as found:
        yield found


@pytest.fixture
def place(tmp_path: Path, model: Service, telegram: Telegram) -> Place:
    found = Place(tmp_path / "home", **model.environ, SULLA_MEMORY__ENABLED="false", SULLA_SHELL__SANDBOX="false")
    assert found.run("init")[0] == Exit.OK
    with_channel(found, telegram)
    return found


def test_a_stranger_is_refused_by_his_code(place: Place, telegram: Telegram) -> None:
    with place.up():
        telegram.said(1, "let me in")
        until(lambda: telegram.texts(1))
        row = json.loads(place.run("channel", "codes", "--json")[1])
        assert (row["channel"], row["called"]) == ("tg", "Person 1")
        assert row["code"] in place.run("channel", "codes")[1]
        assert place.run("channel", "refuse", row["code"])[0] == Exit.OK
        assert place.run("channel", "pair", row["code"], "eve")[0] != Exit.OK
        assert place.run("channel", "codes", "--json")[1] == ""


def let_in(place: Place, telegram: Telegram, number: int, name: str) -> None:
    telegram.said(number, "let me in")
    until(lambda: telegram.texts(number))
    code = re.search(r"pair (\w{8})", telegram.texts(number)[0])
    assert code is not None
    done = place.run("channel", "pair", code.group(1), name, "--scopes", "read,write,approve")
    assert done[0] == Exit.OK, done
    until(lambda: len(telegram.texts(number)) == 2)


def test_somebody_is_let_in_and_answered(place: Place, telegram: Telegram) -> None:
    with place.up() as daemon:
        assert place.run("channel", "test", "tg")[0] == Exit.OK
        let_in(place, telegram, 1, "ann")
        telegram.said(1, "(hello)")
        until(lambda: "Well met." in telegram.texts(1))
        (row,) = [json.loads(line) for line in place.run("channel", "list", "--json")[1].splitlines()]
        assert (row["account"], row["state"], row["waiting"]) == ("sulla_bot", "well", 0)
        assert json.loads(place.run("channel", "people", "--json")[1])["person"] == "ann"
        assert "channel: tg" in place.run("doctor")[1]
        assert place.run("channel", "forget", "ann")[0] == Exit.OK
        telegram.said(1, "(hello)")
        until(lambda: len(telegram.texts(1)) == 4)
        assert "pair" in telegram.texts(1)[3]
        assert TOKEN not in daemon.complaints
    written = [one.read_text("utf-8", "replace") for one in place.home.rglob("*.log")]
    assert not [text for text in written if TOKEN in text]


@pytest.mark.parametrize("completion", ["plain", "wrapper"])
def test_a_message_to_which_a_model_says_nothing_ends_in_words_at_the_place_and_the_terminal(
    tmp_path: Path, model: Service, telegram: Telegram, completion: str
) -> None:
    place = Place(tmp_path / "home", **model.environ, SULLA_MEMORY__ENABLED="false", SULLA_AGENT__COMPLETION=completion)
    assert place.run("init")[0] == Exit.OK
    with_channel(place, telegram)
    with place.up():
        let_in(place, telegram, 1, "ann")
        for text in ("(nothing)", "(hello)", "(look)"):
            telegram.said(1, text)
        until(lambda: len(telegram.texts(1)) == 5)
        failed, answered, looked = telegram.texts(1)[2:]
        assert failed.startswith("(nothing)\n")
        assert "This did not work: the model's reply was empty, also when it was asked once more" in failed
        assert answered == "Well met."
        asks = place.run("ask", "(nothing)")
        assert (asks[0], "failed (no_outcome): the model's reply was empty" in asks[2]) == (Exit.FAILED, True)
        looks = place.run("ask", "(look)")
    if completion == "plain":
        assert looked.splitlines()[::2] == ["(look)", "It is done; the agent has said nothing."]
        assert (looks[0], "[the agent has said nothing]" in looks[2]) == (Exit.OK, True)
    else:
        assert "This did not work: the model's reply was empty" in looked
        assert (looks[0], "failed (no_outcome)" in looks[2]) == (Exit.FAILED, True)


def test_notices_that_nothing_can_be_sent_to_are_told_by_all_that_can_know_it(place: Place, telegram: Telegram) -> None:
    with (place.home / "sulla.toml").open("a") as file:
        for name, address in (("phone", "tg/77"), ("work", "gone/1")):
            file.write(f'\n[[notify.channels]]\nname = "{name}"\naddress = "channel://{address}"\n')
    gone, nobody = "there is no channel 'gone'; there are: tg", "nobody has written to the channel 'tg' at '77' yet"
    assert f"the notices of work reach nobody: {gone}" in place.run("doctor")[1]
    with place.up() as daemon:
        daemon.complains(f"the channel work can take no messages: {gone}")
        until(lambda: nobody in place.run("notify", "list")[1])
        daemon.complains(f"the channel phone can take no messages: {nobody}")
        rows = [json.loads(line) for line in place.run("notify", "list", "--json")[1].splitlines()]
        assert [row["why"] for row in rows] == [nobody, gone]
        doctor = place.run("doctor")[1]
        assert f"phone: {nobody}" in doctor
        assert f"work: {gone}" in doctor
        assert nobody in place.run("notify", "test", "phone")[2]
    removed = place.run("channel", "remove", "tg")
    assert (removed[0], "the notices of phone went by it and reach nobody now" in removed[2]) == (Exit.OK, True)
    assert "there is no channel 'tg'; there are: none" in place.run("doctor")[1]
    with place.up():
        assert "there is no channel 'tg'; there are: none" in place.run("notify", "list")[1]


def asked(telegram: Telegram, number: int) -> list[Seen]:
    """The messages with buttons that somebody sees."""
    return [one for one in telegram.told(number) if one.buttons]


def test_what_a_sub_agent_and_a_playbook_ask_is_asked_where_the_conversation_is_and_answered_once(
    place: Place, telegram: Telegram
) -> None:
    (place.home / "workflows" / "greet.yaml").write_text(GREET)
    note = place.home / "workspace" / "note.txt"
    with place.up():
        let_in(place, telegram, 1, "ann")
        telegram.said(1, "(send)")
        until(lambda: asked(telegram, 1))
        (question,) = asked(telegram, 1)
        allow = next(iter(question.buttons))
        for _ in range(2):
            telegram.pressed(1, question, allow)
        until(lambda: "The other one has done it." in telegram.texts(1))
        assert note.read_text() == "written\n"
        assert asked(telegram, 1) == []

        telegram.said(1, "(play)")
        until(lambda: any("greet Bob" in one.text for one in asked(telegram, 1)))
        (question,) = asked(telegram, 1)
        assert "yes do" in question.buttons
        for label in ("yes do", "not now"):
            telegram.pressed(1, question, label)
        until(lambda: not asked(telegram, 1))
        until(lambda: len(telegram.answers) == 4)
        assert [said for _, said in telegram.answers] == [f"{allow}.", OLD, TAKEN, OLD]
        texts = "\n".join(telegram.texts(1))
        assert (texts.count("yes do: ann"), texts.count("not now: ann")) == (1, 0)
