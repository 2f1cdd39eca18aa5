"""Each tutorial is followed as it stands there, by somebody with an empty home, against a real daemon."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx2
import pytest

from tests.daemon.running import AFRESH, Service, service
from tests.daemon.tutorials.page import PAGES, Block, Person, blocks, person
from tests.kits.in_turn import in_turn
from tests.servers.script import Reply, Rule, Script

pytestmark = in_turn(3)

MANAGER = """\
#!/bin/sh
# Runs the unit's program as systemd would, without its limits.
unit="$XDG_CONFIG_HOME/systemd/user/sulla.service"
end() { kill "$(cat "$HOME/pid")" && tail --pid="$(cat "$HOME/pid")" -f /dev/null; }
begin() {
  : > "$HOME/printed"
  setsid sh -c "exec $(sed -n 's/^ExecStart=//p' "$unit")" > "$HOME/printed" 2>&1 & echo $! > "$HOME/pid"
  tail --pid=$! -n +1 -f "$HOME/printed" | grep -q -m 1 '^ready '
}
case "$*" in
  *enable*|*" start "*) begin ;;
  *restart*) end; begin ;;
  *disable*|*" stop "*) end ;;
esac
"""


@pytest.fixture
def model() -> Iterator[Service]:
    """A model that says what there is to buy."""
    with service(Script((Rule(Reply(text="milk, says notes.txt. <AGENT_DONE>found</AGENT_DONE>")),))) as running:
        yield running


@contextmanager
def _managed(folder: Path) -> Iterator[None]:
    """A machine with something like systemd, in whose place its program is started and stopped."""
    programs = folder / "bin"
    programs.mkdir()
    (programs / "systemctl").write_text(MANAGER)
    (programs / "systemctl").chmod(0o700)
    (programs / "journalctl").symlink_to("/bin/true")
    try:
        yield
    finally:
        with suppress(FileNotFoundError, ProcessLookupError):
            os.kill(int((folder / "pid").read_text()), signal.SIGKILL)


def _follow(somebody: Person, name: str) -> None:
    for block in blocks(name):
        somebody.follows(block)


def _ready(somebody: Person) -> None:
    """What the other pages begin with: a home, and a daemon."""
    for block in blocks("first-agent.md")[:2]:
        somebody.follows(block)


def test_the_first_agent(tmp_path: Path, model: Service) -> None:
    with person(tmp_path) as somebody:
        somebody.instead["llama3"] = "fake:1b"
        somebody.place.environ["OLLAMA_HOST"] = "127.0.0.1:1"
        for block in blocks("first-agent.md"):
            if "export SULLA_MODEL" in block.typed:
                somebody.place.environ["OLLAMA_HOST"] = model.environ["OLLAMA_HOST"]
            somebody.follows(block)
    assert model.asked == 1


def test_the_first_playbook(tmp_path: Path) -> None:
    with person(tmp_path) as somebody:
        _ready(somebody)
        _follow(somebody, "first-playbook.md")


def test_leave_it_running(tmp_path: Path, model: Service) -> None:
    given = {"OLLAMA_HOST": model.environ["OLLAMA_HOST"], "XDG_CONFIG_HOME": str(tmp_path / "config")}
    with _managed(tmp_path), person(tmp_path, **given) as somebody:
        somebody.instead["llama3"] = "fake:1b"
        _follow(somebody, "leave-it-running.md")
    assert model.asked == 1


def test_open_webui(tmp_path: Path) -> None:
    with person(tmp_path, SULLA_LIMITS__MESSAGE_INTERVAL_MS="0") as somebody:
        _ready(somebody)
        made, opened, listed = blocks("open-webui.md")
        somebody.follows(made)
        token = re.findall(r"sulla_[\w-]+", somebody.said)[-1]
        somebody.instead["TOKEN"] = token
        somebody.follows(opened)
        headers = _headers("chat-1") | {"Authorization": f"Bearer {token}"}
        with httpx2.Client(headers=headers, limits=httpx2.Limits(**AFRESH), trust_env=False) as browser:
            url = f"{somebody.instead['http://127.0.0.1:8137']}/v1/chat/completions"
            said = [{"role": "user", "content": "write notes.txt: buy milk"}]
            first = _streamed(browser, url, said)
            said += [{"role": "assistant", "content": first}, {"role": "user", "content": "read notes.txt"}]
            assert "buy milk" in _streamed(browser, url, said)
        somebody.follows(listed)
    assert len(set(re.findall(r"thr_\w+", somebody.said))) == 1, "a chat is one thread"


def _headers(chat: str) -> dict[str, str]:
    """The headers of the page, as Open WebUI fills them in for a message of a chat."""
    (given,) = re.findall(r"^```json\n(.*?)^```", (PAGES / "open-webui.md").read_text(), re.MULTILINE | re.DOTALL)
    filled: dict[str, str] = json.loads(given.replace("{{CHAT_ID}}", chat).replace("{{TASK}}", ""))
    return filled


def _streamed(browser: httpx2.Client, url: str, said: list[dict[str, str]]) -> str:
    """What Open WebUI asks for a message, and the text that it shows."""
    asked = {"model": "sulla", "stream": True, "messages": said, "stream_options": {"include_usage": True}}
    answer = browser.post(url, json=asked, timeout=50)
    assert answer.status_code == 200, answer.text
    *pieces, end = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
    assert end == "[DONE]"
    found = [choice["delta"].get("content") or "" for piece in pieces for choice in json.loads(piece)["choices"]]
    return "".join(found)


def test_backup_restore_and_removal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with person(tmp_path) as somebody:
        begin = blocks("first-agent.md")
        for block in begin[:3]:
            somebody.follows(block)
        back_up, export, restore, take_in, remove = blocks("../upkeep.md")
        somebody.follows(back_up)
        for block in (begin[1], export):
            somebody.follows(block)
        somebody.follows(Block("sulla stop"))
        for block in (restore, take_in):
            somebody.follows(block)
        somebody.follows(begin[1])
        somebody.follows(Block("sulla thread search milk", "thr_9b2d …buy milk\n"))
        somebody.follows(remove)
    assert not (tmp_path / ".sulla").exists()
    assert (tmp_path / "sulla-before" / "workspace" / "notes.txt").read_text() == "buy milk"
