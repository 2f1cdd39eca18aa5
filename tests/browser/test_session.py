"""Pages in a real Chromium: looked at, acted on, kept apart, and gone when they have to be."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil

from sulla.browser.browser import LOOK_S, AgentBrowser
from sulla.browser.chromium import Chromium
from sulla.browser.folders import sweep
from sulla.browser.metrics import COUNTERS
from sulla.browser.places import find
from sulla.browser.tools import YES_TOO_LATE
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.words import Author
from sulla.host.system import SystemClock
from sulla.telemetry.tally import Tally
from sulla.testing.clock import ManualClock
from sulla.tools.policy import shown_args
from sulla.tools.web.fetch import Fetcher
from tests.browser.hostile import IMPATIENT, SETTINGS, HostileWorld, hostile_world, needs_chromium
from tests.house.source import ROOT
from tests.kits.points import turns
from tests.soon import a_pause, until

pytestmark = needs_chromium
in_turn = turns(
    ("older looks", "passwords", "conversations", "pictures", "playbooks", "idle", "breakdown", "killed"),
    3,
    "sessions of the browser",
)

SHOP = """<title>Tea</title><h1>Tea</h1><a href="/two">Oolong</a>
<form action="/send" method="post"><label>What <input name="q"></label><input type="hidden" name="token" value="t1">
<input type="password" name="word" placeholder="Password">
<select name="kind"><option>green</option><option>black</option></select>
<textarea name="more" placeholder="More"></textarea><button>Send</button></form>"""

LATER = "<p>text</p><script>setTimeout(() => { while (1) {} }, 0)</script>"


async def shop(world: HostileWorld, who: str = "shop") -> str:
    return (await world.use("browser_navigate", world.context(who), url="http://shop.hostile.example/")).text


async def act(world: HostileWorld, tool: str, who: str = "shop", /, **args: object) -> str:
    """With a person's yes."""
    question = world.asked(tool, world.context(who), **args)
    return (await world.use(tool, world.context(who, approved=question), **args)).text


async def test_a_form_is_filled_in_and_sent_and_the_question_says_what() -> None:
    async with hostile_world(extra={"shop": {"/": SHOP, "/send": "<p>thanks</p>", "/two": "<p>two</p>"}}) as world:
        said = await shop(world)
        assert "⟦1.1 link: Oolong → http://shop.hostile.example/two⟧" in said
        assert "⟦1.4 choice: kind = green (of: green; black)⟧" in said
        assert "⟦2.2 field: What = much tea⟧" in await act(world, "browser_type", ref="1.2", text="much tea")
        assert "= (something)⟧" in (said := await act(world, "browser_type", ref="2.3", text="hunter2"))
        assert "hunter2" not in said
        assert "choice: kind = black" in await act(world, "browser_type", ref="3.4", text="black")
        assert "no such choice" in await act(world, "browser_type", ref="4.4", text="white")
        question = world.asked("browser_click", world.context("shop"), ref="4.6")
        assert question.startswith(
            "click the button 'Send' of the page http://shop.hostile.example/, whose form goes to "
        )
        assert (
            "http://shop.hostile.example/send (post) with q=much tea, token=t1, word=(something), kind=black"
            in question
        )
        assert "thanks" in await act(world, "browser_click", ref="4.6")
        sent = next(one for one in world.server.asked if one.path == "/send")
        assert (sent.method, sent.body) == ("POST", b"q=much+tea&token=t1&word=hunter2&kind=black&more=")
        # A site may know the person by now.
        assert world.asked("browser_navigate", world.context("shop"), url="http://shop.hostile.example/two")
        unasked = await world.use("browser_navigate", world.context("shop"), url="http://shop.hostile.example/two")
        assert unasked.is_error


@in_turn("older looks")
async def test_references_of_an_older_look_and_of_none_lead_nowhere_and_nobody_is_asked_about_them() -> None:
    async with hostile_world(extra={"shop": {"/": SHOP}}) as world:
        await shop(world)
        again = await world.use("browser_read", world.context("shop"))
        assert "look 2" in again.text
        for ref, why in (("1.1", "is of an older look"), ("2.99", "has no element"), ("Send", "has no element")):
            assert world.asked("browser_click", world.context("shop"), ref=ref) == ""
            said = await world.use("browser_click", world.context("shop"), ref=ref)
            assert (said.is_error, why in said.text) == (True, True), said.text
        said = await world.use("browser_type", world.context("shop"), ref="2.1", text="x")
        assert "cannot be filled in" in said.text


async def test_a_yes_falls_with_its_page_which_went_on_or_was_closed() -> None:
    goes = "<p>text</p><button>Buy</button><script>onhashchange = () => location = '/two'</script>"
    async with hostile_world(extra={"shop": {"/": goes, "/two": "<button>Buy</button>"}}) as world:
        await shop(world)
        question = world.asked("browser_click", world.context("shop"), ref="1.1")
        session = world.browser.needed(ThreadId("thr_shop"))
        (page,) = session._pages
        await page.evaluate("location.hash = 'x'")
        while session.snapshot is not None or not page.url.endswith("/two"):
            await a_pause()
        said = await world.use("browser_click", world.context("shop", approved=question), ref="1.1")
        assert (said.is_error, said.text) == (True, YES_TOO_LATE)
        again = await world.use("browser_read", world.context("shop"))
        assert "2.1 button: Buy" in again.text
        said = await world.use("browser_click", world.context("shop", approved=question), ref="1.1")
        assert (said.is_error, said.text) == (True, YES_TOO_LATE)
        question = world.asked("browser_click", world.context("shop"), ref="2.1")
        await world.browser.forget(ThreadId("thr_shop"))
        said = await world.use("browser_click", world.context("shop", approved=question), ref="2.1")
        assert (said.is_error, said.text) == (True, YES_TOO_LATE)


@in_turn("passwords")
async def test_a_password_is_asked_about_also_where_nothing_is_from_outside() -> None:
    async with hostile_world(extra={"shop": {"/": SHOP}}) as world:
        await shop(world)
        mine = replace(world.context("shop"), by=Author.PERSON)
        made = world.toolbox.get("browser_type")
        assert made is not None
        assert made.asks is not None
        assert "password field 'Password'" in made.asks({"ref": "1.3", "text": "x"}, mine)
        assert made.asks({"ref": "1.2", "text": "x"}, mine) == ""
        assert (await world.use("browser_type", mine, ref="1.3", text="x")).is_error
        assert not (await world.use("browser_type", mine, ref="1.2", text="x")).is_error


async def test_a_question_shows_of_a_password_its_length_alone() -> None:
    async with hostile_world(extra={"shop": {"/": SHOP}}) as world:
        await shop(world)
        made, context = world.toolbox.get("browser_type"), world.context("shop")
        assert made is not None
        masked = "(10 characters, not shown)"
        args: JsonObject = {"ref": "1.3", "text": "pw-of-mine", "submit": True}
        assert shown_args(made, args, context) == {**args, "text": masked}
        assert shown_args(made, {**args, "ref": "1.2"}, context) == {**args, "ref": "1.2"}
        # Nobody knows what an older look's was, and a playbook's secret has a name.
        assert shown_args(made, {**args, "ref": "0.3"}, context)["text"] == masked
        assert shown_args(made, {**args, "text": "mark"}, context, {"mark": "[secret pw]"})["text"] == "[secret pw]"
        assert shown_args(made, {**args, "text": "mark 1"}, context, {"mark": "[secret pw]"})["text"] == (
            "(6 characters, not shown)"
        )


async def test_a_page_that_does_not_answer_is_closed_and_its_failure_is_not_one_that_passes() -> None:
    stuck = {"/": "<p>text</p><script>while (1) {}</script>", "/later": LATER}
    async with hostile_world(IMPATIENT, extra={"stuck": stuck}) as world:
        for path in ("", "later"):
            url = f"http://stuck.hostile.example/{path}"
            done = await world.use("browser_navigate", world.context("stuck"), url=url)
            if not done.is_error:  # it was looked at before its script began
                done = await world.use("browser_read", world.context("stuck"))
            assert f"the page {url} did not answer within {IMPATIENT.load_s:g} s and was closed" in done.text
            assert (done.is_error, done.passing, done.refused) == (True, False, True)
            assert (await world.use("browser_read", world.context("stuck"))).is_error


@in_turn("conversations")
async def test_conversations_share_nothing_and_the_one_that_rested_longest_makes_room() -> None:
    jar = "<p id=p></p><script>p.textContent = document.cookie || 'none'; document.cookie = 'who=me'</script>"
    settings = SETTINGS.model_copy(update={"conversations": 2})
    async with hostile_world(settings, extra={"shop": {"/": jar}}) as world:
        assert "none" in await shop(world, "a")
        assert "who=me" in await shop(world, "a")
        assert "none" in await shop(world, "b")
        assert "none" in await shop(world, "c")
        gone = await world.use("browser_read", world.context("a"))
        assert gone.is_error
        assert "no page is open in this conversation" in gone.text
        assert "who=me" in await shop(world, "b")


@in_turn("pictures")
async def test_a_picture_is_a_file_of_the_workspace(tmp_path: Path) -> None:
    async with hostile_world(extra={"shop": {"/": SHOP}}) as world:
        await shop(world)
        context = world.context("shop", workspace=tmp_path, whole=True)
        for path, whole in (("a/shop.png", False), ("b.png", True)):
            done = await world.use("browser_screenshot", context, path=path, whole=whole)
            assert not done.is_error, done.text
            assert (tmp_path / path).read_bytes().startswith(b"\x89PNG")
        for path in ("../out.png", "shop.txt"):
            assert (await world.use("browser_screenshot", context, path=path)).is_error
        assert not (tmp_path.parent / "out.png").exists()


@in_turn("playbooks")
async def test_a_playbook_gets_the_page_as_values() -> None:
    async with hostile_world(extra={"shop": {"/": SHOP}}) as world:
        context = world.context("shop", whole=True)
        done = await world.use("browser_navigate", context, url="http://shop.hostile.example/")
        assert done.data is not None
        assert {key: done.data[key] for key in ("url", "title", "status", "look", "part", "parts", "notes")} == {
            "url": "http://shop.hostile.example/",
            "title": "Tea",
            "status": 200,
            "look": 1,
            "part": 1,
            "parts": 1,
            "notes": [],
        }
        elements = done.data["elements"]
        assert isinstance(elements, list)
        assert elements[0] == {
            "ref": "1.1",
            "kind": "link",
            "name": "Oolong",
            "address": "http://shop.hostile.example/two",
            "value": "",
        }
        made = world.toolbox.get("browser_navigate")
        assert made is not None
        assert {"text", *made.gives} == done.data.keys()


@in_turn("idle")
async def test_it_ends_when_nobody_asks_for_pages_and_leaves_nothing_behind(tmp_path: Path) -> None:
    settings, clock = SETTINGS.model_copy(update={"idle_s": 30.0}), ManualClock()
    made: list[Chromium] = []

    def make() -> Chromium:
        made.append(Chromium(find(settings), Fetcher(), SystemClock(), Tally(COUNTERS, ()), "x"))
        return made[-1]

    browser = AgentBrowser(make, settings, clock)
    keeping = asyncio.ensure_future(browser.run())
    try:
        await browser.session(ThreadId("thr_1"))
        folder = made[0].folder
        assert folder is not None
        assert folder.exists()
        while browser.running:
            await clock.advance(LOOK_S)
        assert browser.open == 0
        assert not folder.exists()
        until(lambda: not _using(folder), "Chromium's end")
        await browser.session(ThreadId("thr_1"))  # and it begins again
        assert len(made) == 2
    finally:
        keeping.cancel()
        await browser.close()


@in_turn("breakdown")
async def test_pages_are_gone_when_chromium_breaks_down_and_the_next_call_begins_anew() -> None:
    async with hostile_world(extra={"shop": {"/": SHOP}}) as world:
        await shop(world)
        folder = world.made[0].folder
        assert folder is not None
        for process in _using(folder):
            with suppress(psutil.NoSuchProcess):  # the first take the others with them
                process.kill()
        while world.browser.known(ThreadId("thr_shop")) is not None:
            await SystemClock().sleep(0.01)
        assert "no page is open" in (await world.use("browser_read", world.context("shop"))).text
        assert "Oolong" in await shop(world)


DAEMON = """
import asyncio, sys
from pathlib import Path
from sulla.browser.chromium import Chromium
from sulla.browser.metrics import COUNTERS
from sulla.browser.places import find
from sulla.host.system import SystemClock
from sulla.telemetry.tally import Tally
from sulla.tools.web.fetch import Fetcher
from tests.browser.hostile import SETTINGS

async def main():
    chromium = Chromium(find(SETTINGS), Fetcher(), SystemClock(), Tally(COUNTERS, ()), "x")
    await chromium.start()
    await (await chromium.context())[0].new_page()
    print(chromium.folder, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@in_turn("killed")
def test_nothing_of_it_outlives_a_daemon_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", DAEMON], cwd=ROOT, stdout=subprocess.PIPE, text=True) as daemon:
        assert daemon.stdout is not None
        folder = Path(daemon.stdout.readline().strip())
        assert folder.is_dir()
        assert _using(folder)
        daemon.kill()
    until(lambda: not _using(folder), "the end of all that was started")
    sweep()
    assert not folder.exists()  # sockets without anybody behind them, and scripts


def _using(folder: Path) -> list[psutil.Process]:
    """The processes that were started out of a folder, and all below them."""
    found: dict[int, psutil.Process] = {}
    for process in psutil.process_iter(["cmdline"]):
        line = process.info["cmdline"] or []
        if str(folder) in " ".join(line) and process.status() != psutil.STATUS_ZOMBIE:
            found |= {one.pid: one for one in (process, *_below(process))}
    return list(found.values())


def _below(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []
