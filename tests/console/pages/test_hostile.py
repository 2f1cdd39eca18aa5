"""Hostile texts in real places of a real daemon: none runs, fetches or does anything on any view.

A dozen of those that the front end's own tests take, others at each commit. test_speed.py has all in a conversation.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Page, expect

from sulla.core.errors import SullaError
from tests.console.pages.opened import ROOM, Desk, Window, chromium, needs_console
from tests.console.pages.talking import DONE, living_place, talk
from tests.console.pages.test_speed import HOSTILE
from tests.daemon.running import Place, Service, service
from tests.kits.points import seed
from tests.servers.script import Failure, Reply, Rule, Script, ToolUse

pytestmark = needs_console
expect.set_options(timeout=ROOM)
COUNT = 12
LONGEST_CHARS = 400
"""Long ones are for a conversation: names and titles are cut, or refused, before they reach a page."""
MOST_FOLDS = 60
LOOKS = ("audit.read", "log.read", "agent.get", "system.check", "token.list")
"""What a view asks by itself, and the audit log has, for it takes the scope admin."""
BAD = """() => {
  const main = document.querySelector("main");
  const kinds = "script, img, iframe, object, embed, link, style, form[action], video, base, meta, [onerror], [onload]";
  const safe = (link) => /^(https?:|mailto:|#)/i.test(link.getAttribute("href") ?? "");
  return {
    bad: [...main.querySelectorAll(kinds)].map((element) => element.outerHTML.slice(0, 200)),
    links: [...main.querySelectorAll("a")].filter((link) => !safe(link)).map((link) => link.outerHTML.slice(0, 200)),
  };
}"""


def texts() -> list[str]:
    """A dozen, drawn by the commit."""
    with chromium() as browser:
        listed = HOSTILE.read_text().replace("export const HOSTILE: readonly string[] =", "const HOSTILE =")
        all_: list[str] = browser.new_page().evaluate(f"() => {{ {listed}; return HOSTILE; }}")
    assert len(all_) >= 80
    return Random(seed()).sample([text for text in all_ if len(text) <= LONGEST_CHARS], COUNT)


def script(drawn: list[str]) -> Script:
    """The model says each as its answer, as a tool's name and as arguments; the last of its services fails with it."""
    rules: list[Rule] = []
    for number, text in enumerate(drawn):
        asked = f"(h{number})"
        calls = (
            ToolUse(text[:60], {text[:40]: text}),
            ToolUse("read_file", {"path": text}),
            ToolUse("read_file", {"path": f"said-{number}.txt"}),
            ToolUse("notify_user", {"text": text}),
        )
        rules += [
            Rule(Reply(text, thinking=text, tools=calls), text=asked, results=0),
            Rule(Reply(tools=(ToolUse("bash", {"command": f"echo {shlex.quote(text)}"}),)), text=f"(ask{number})"),
            Rule(Failure(401, message=text), text=f"(fail{number})"),
            Rule(Reply(f"{text}\n{DONE}"), text=asked),
        ]
    return Script([*rules, Rule(Reply(f"Yes.{DONE}"))])


def furnish(place: Place, drawn: list[str]) -> None:
    """Files of the home that hold them: agents, playbooks, projects, and a workspace."""
    quoted = [json.dumps(text) for text in drawn]
    for number, text in enumerate(drawn):
        playbook = {
            "name": f"hostile-{number}",
            "description": text,
            "steps": [
                {"id": "ask", "title": text, "human": text, "choices": [text[:60], "no"]},
                {"id": "say", "set": {"text": text}},
            ],
        }
        line = " ".join(text.split())
        _write(place.home / f"agents/hostile-{number}/agent.toml", f"name = {quoted[number]}\n")
        _write(place.home / f"agents/wordy-{number}/agent.toml", f"description = {quoted[number]}\n")
        _write(place.home / f"workflows/hostile-{number}.yaml", json.dumps(playbook))
        _write(
            place.home / f"projects/hostile-{number}/PROJECT.md", f"# {line}\n\n{text}\n\n## Tasks\n\n- [ ] {line}\n"
        )
        _write(place.home / f"workspace/said-{number}.txt", text)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def live(desk: Desk, drawn: list[str]) -> tuple[list[str], list[str]]:
    """Have them said, asked, failed with, scheduled and run.

    Returns:
        conversations that hold them, and runs of playbooks.
    """
    threads, runs = list[str](), list[str]()
    for number, text in enumerate(drawn):
        threads += [talk(desk, f"(h{number}) {text}"), talk(desk, f"(fail{number})")]
    # What waits for an answer keeps a place of those that may work at once, so it comes last.
    for number, text in enumerate(drawn):
        threads.append(talk(desk, f"(ask{number})", wait=False))
        # Some are no title, or no playbook: what cannot be made cannot be shown.
        with suppress(SullaError):
            desk.call("thread.rename", thread_id=threads[-1], title=text[:200])
        with suppress(SullaError):
            desk.call("schedule.add", schedule=f"hostile-{number}", every_s=86_400, title=text[:200], message=text)
        with suppress(SullaError):
            name = f"hostile-{number}"
            runs.append(f"{name}/{desk.call('workflow.start', playbook=name, inputs={})['run']}")
    return threads, runs


@pytest.fixture(scope="module")
def drawn() -> list[str]:
    return texts()


@pytest.fixture(scope="module")
def model(drawn: list[str]) -> Iterator[Service]:
    with service(script(drawn)) as found:
        yield found


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, drawn: list[str], model: Service) -> Iterator[Desk]:
    place = living_place(tmp_path_factory.mktemp("hostile"), model)
    furnish(place, drawn)
    with place.up() as daemon, chromium() as browser:
        yield Desk(place, daemon, model, browser)


def look(window: Window, view: str) -> list[str]:
    """Open a view and all that is folded in it; what it holds that it should not."""
    page = window.go(view)
    page.locator("main").wait_for()
    page.wait_for_load_state("networkidle")
    for _ in range(MOST_FOLDS):
        fold = page.locator("main [data-item-index] button[aria-expanded=false]").first
        if fold.count() == 0:
            break
        with suppress(Exception):  # a list draws its rows anew
            fold.click(timeout=500)
    found = page.evaluate(BAD)
    failed = ["it has failed"] if page.get_by_text("This view has failed").count() else []
    return [f"{view}: {line}" for line in (*found["bad"], *found["links"], *failed)]


def done(place: Place) -> list[str]:
    """What anybody has done at the daemon, by its audit log."""
    lines = (place.home / "audit.jsonl").read_text().splitlines()
    return [json.loads(line)["method"] for line in lines]


def opened(page: Page, seen: list[str]) -> None:
    """Keep what a page opens or asks by itself."""
    page.on("dialog", lambda dialog: seen.append(f"a dialog: {dialog.message}"))
    page.on("popup", lambda popup: seen.append(f"a window: {popup.url}"))


def test_hostile_texts_do_nothing_on_any_view(desk: Desk, drawn: list[str]) -> None:
    threads, runs = live(desk, drawn)
    views = [
        *("live", "chat", "inbox", "playbooks", "playbooks/runs", "flows", "beats/schedules", "beats/calendar"),
        *("projects", "memory", "agents", "use", "voice"),
        *("health", "health/channels", "health/log", "health/audit", "health/access"),
        *(f"chat/{thread_id}" for thread_id in threads),
        *(f"{kind}/hostile-{number}" for kind in ("playbooks", "projects", "agents") for number in range(COUNT)),
        *(f"playbooks/{run}" for run in runs),
    ]
    assert len(runs) > COUNT // 2
    with desk.window() as window:
        seen: list[str] = []
        opened(window.page, seen)
        before = len(done(desk.place))
        wrong = [line for view in views for line in look(window, view)]
        assert wrong == []
        assert seen == []
        assert window.faults == []
        assert [method for method in done(desk.place)[before:] if method not in LOOKS] == []
