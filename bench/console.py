"""The console in a real Chromium against a real daemon: how soon it is there, and what it costs to leave it open.

The first view is loaded anew each time, with a session and nothing kept. A conversation of 10,000 events comes over
the daemon's wire. Four sub-agents write 50 tokens a second each. For eight hours of beats there are as many turns, each
in a thread of its own, as three agents with a beat every five minutes make; the page shows each as it comes and goes.
"""

from __future__ import annotations

import asyncio
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import CDPSession, Page

from bench.frame import Frame, Row
from bench.history import Thread, text_of, write_history
from bench.turn import BEYOND_PEOPLE
from sulla.terminal.client import open_client
from sulla.terminal.place import door
from tests.console.pages.opened import Desk, busy_s, chromium
from tests.daemon.running import Place, service
from tests.servers.script import Reply, Rule, Script, ToolUse

NAME = "console"

STREAMS, TOKENS_PER_S = 4, 50
FIRST_KB_BAR, FIRST_MS_BAR, OPEN_MS_BAR, GRAPH_MS_BAR, TASK_MS_BAR = 250.0, 1000.0, 1000.0, 1000.0, 100.0
"""Issue 26's."""
CORE_BAR, HEAP_MIB_BAR = 0.5, 50.0
"""Issue 26's, too."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much there is of what is measured, and for how long it is watched."""

    messages: int = 4_000
    """Of which each second one is answered: 2,000 turns of five events, and the thread's first."""
    steps: int = 500
    beats: int = 3 * 8 * 12
    warm: int = 24
    """Turns before the heap is weighed: what is loaded at the first of them is no growth."""
    tries: int = 5
    turns_of_the_wheel: int = 40
    streams_s: int = 10


_PATIENCE_S = 180.0
"""How long all turns of a round may take: one that never ends is told as an error."""
_STREAM_S = 40
_BEAT_S = 0.3
"""How long a beat's model takes: pages are told four times a second what is at work, and miss what is shorter."""
_LANES = 4
"""Beats at a time."""
_ASKED = "How is the garden?"
_LETTERS = "a note that somebody writes while it is read "
_MIB = 1024 * 1024
_LONG_TASKS = """
window.long = [];
new PerformanceObserver((list) => window.long.push(...list.getEntries().map((one) => one.duration)))
  .observe({ type: "longtask" });
"""
_HEADING = """
const look = () => {
  if (document.querySelector("main h1") === null) requestAnimationFrame(look);
  else window.there = performance.now();
};
look();
"""
_LOADED = """() => {
  const loaded = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  const bytes = (all) => all.reduce((sum, one) => sum + one.transferSize, 0);
  return [window.there, bytes(loaded.filter((one) => one.responseEnd <= window.there)), bytes(loaded)];
}"""
"""When the first view was there, and how many bytes had come by then, and in all."""
_SHOWN = """() => {
  window.shown = new Set();
  const look = () => document.querySelectorAll("[data-thread]").forEach((one) => window.shown.add(one.dataset.thread));
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}"""
"""Keeps the threads that the page shows or has shown."""
_GO = """([hash, element, words]) => new Promise((done) => {
  const began = performance.now();
  location.hash = hash;
  const isThere = () => document.querySelector(element)?.textContent.includes(words);
  const look = () => isThere() ? done(performance.now() - began) : requestAnimationFrame(look);
  look();
})"""
"""Goes to a view, and says how long it took until an element with some words was there, in milliseconds."""


def run(frame: Frame, sizes: Sizes = Sizes()) -> list[Row]:
    """One run; the rounds of the frame don't apply to what takes its time by the clock."""
    with tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder:
        home = Path(folder) / "home"
        (home / "workflows").mkdir(parents=True, mode=0o700)
        (home / "workflows/long.yaml").write_text(playbook(sizes.steps))
        (thread,) = asyncio.run(write_history(home / "sulla.db", (sizes.messages,)))
        with service(script()) as model:
            place = Place(home, **model.environ, SULLA_MEMORY__ENABLED="false", **BEYOND_PEOPLE)
            place.forks = False
            with place.up() as daemon, chromium() as browser:
                desk = Desk(place, daemon, model, browser)
                return [
                    *first_view(desk, sizes.tries),
                    *opened(desk, thread, sizes),
                    *written(desk, sizes.steps),
                    *streamed(desk, sizes.streams_s),
                    *beaten(desk, sizes),
                ]


def script() -> Script:
    """What the fake model says."""
    words = " ".join(f"word{number}" for number in range(_STREAM_S * TOKENS_PER_S))
    stream = Reply(words, pieces=_STREAM_S * TOKENS_PER_S, delay_s=1 / TOKENS_PER_S)
    calls = tuple(ToolUse("spawn_sub_agent", {"task": f"(stream) {number}"}) for number in range(STREAMS))
    done = "<AGENT_DONE/>"
    return Script(
        [
            Rule(stream, text="(stream)"),
            Rule(Reply(tools=calls), text="(four)", results=0),
            Rule(Reply(f"Fine.{done}", pieces=1, delay_s=_BEAT_S), text=_ASKED),
            Rule(Reply(f"Fine.{done}")),
        ]
    )


def playbook(steps: int) -> str:
    """A text with so many steps, a tenth of which wait for two others."""
    lines = ["name: long", "steps:"]
    for number in range(steps):
        lines += [f"  - id: step_{number}", f'    set: {{text: "what step {number} says"}}']
        if number % 10 == 9:
            lines.append(f"    needs: [step_{number - 1}, step_{number - 5}]")
    return "\n".join([*lines, ""])


def barred(name: str, value: float, unit: str, bar: float) -> Row:
    """A figure that may be `bar` at the most."""
    return Row(name, value, unit, value / bar, f"{bar:g} {unit}".strip(), 1.0, ok=value <= bar)


def first_view(desk: Desk, tries: int) -> list[Row]:
    """What the first view takes, each time in a browser that has a session and has kept nothing else."""
    with desk.window() as window:
        session = window.page.context.storage_state()
    took = list[tuple[float, float, float]]()
    for _ in range(tries):
        context = desk.browser.new_context(storage_state=session)
        page = context.new_page()
        page.add_init_script(_HEADING)
        page.goto(f"{desk.daemon.url}/#/live")
        page.wait_for_function("() => window.there !== undefined")
        page.wait_for_load_state("networkidle")
        at_ms, by_then, in_all = page.evaluate(_LOADED)
        took.append((at_ms, by_then, in_all))
        context.close()
    there_ms, first, everything = zip(*took, strict=True)
    return [
        barred("first view, over the wire", max(first) / 1000, "kB", FIRST_KB_BAR),
        Row("the other views, fetched behind it", (max(everything) - max(first)) / 1000, "kB"),
        barred("first view, until its heading", median(there_ms), "ms", FIRST_MS_BAR),
    ]


def opened(desk: Desk, thread: Thread, sizes: Sizes) -> list[Row]:
    """A long conversation, opened and scrolled through."""
    with desk.window() as window:
        page = window.page
        page.add_init_script(_LONG_TASKS)
        page.reload()
        window.go("chat")
        page.get_by_text("Choose a conversation").wait_for()
        last = " ".join(text_of(1 - sizes.messages // 2).split()[:8])
        took_ms = page.evaluate(_GO, [f"#/chat/{thread.id}", "body", last])
        page.wait_for_timeout(1_500)
        page.evaluate("() => { window.long.length = 0; }")
        page.mouse.move(900, 400)
        for _ in range(sizes.turns_of_the_wheel):
            page.mouse.wheel(0, -900)
            page.wait_for_timeout(60)
        return [
            barred(f"a conversation of {thread.last_seq:,} events opens", took_ms, "ms", OPEN_MS_BAR),
            barred("longest task while it is scrolled", longest_ms(page), "ms", TASK_MS_BAR),
        ]


def written(desk: Desk, steps: int) -> list[Row]:
    """A playbook of many steps: its graph, and what is typed into its text."""
    with desk.window() as window:
        page = window.page
        page.add_init_script(_LONG_TASKS)
        page.reload()
        window.go("playbooks/long")
        page.locator(".react-flow__node").first.wait_for()
        window.go("playbooks")
        page.get_by_role("link", name="long", exact=True).first.wait_for()
        took_ms = page.evaluate(_GO, ["#/playbooks/long", ".react-flow__node", ""])
        page.get_by_role("textbox", name="Text of the playbook, YAML").click()
        page.keyboard.press("Control+End")
        page.wait_for_timeout(2_000)
        page.evaluate("() => { window.long.length = 0; }")
        page.keyboard.type(f"# {_LETTERS}", delay=80)
        page.keyboard.press("Enter")
        page.wait_for_timeout(2_000)  # what waits until the writer pauses
        noted = longest_ms(page)
        page.evaluate("() => { window.long.length = 0; }")
        page.keyboard.type("- id: another", delay=80)
        page.keyboard.press("Enter")
        page.keyboard.type('set: {text: "x"}', delay=80)
        page.wait_for_timeout(2_000)
        return [
            barred(f"a graph of {steps} steps is there", took_ms, "ms", GRAPH_MS_BAR),
            barred("longest task while a note is typed in its text", noted, "ms", TASK_MS_BAR),
            barred("longest task while a step is typed in its text", longest_ms(page), "ms", TASK_MS_BAR),
        ]


def streamed(desk: Desk, watched_s: int) -> list[Row]:
    """Four sub-agents that write side by side."""
    with desk.window() as window:
        thread_id = desk.call("thread.create")["thread_id"]
        page = window.go(f"chat/{thread_id}")
        page.get_by_role("textbox", name="Message").wait_for()
        desk.call("turn.send", thread_id=thread_id, message_id="m-1", text="(four)")
        folds = page.get_by_role("button", name="works on this")
        folds.nth(STREAMS - 1).wait_for()
        for number in range(STREAMS):
            folds.nth(number).click()
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        page.wait_for_timeout(3_000)
        before = busy_s(session)
        page.wait_for_timeout(watched_s * 1000)
        share = (busy_s(session) - before) / watched_s
        desk.call("turn.stop", thread_id=thread_id)
        return [barred(f"{STREAMS} streams of {TOKENS_PER_S} tokens a second", share, "of a core", CORE_BAR)]


def beaten(desk: Desk, sizes: Sizes) -> list[Row]:
    """As many turns as eight hours have, on a page that shows what is at work."""
    with desk.window() as window:
        page = window.go("live")
        page.get_by_text("next beat").wait_for()
        page.evaluate(_SHOWN)
        session = page.context.new_cdp_session(page)
        turns(desk.place.home, sizes.warm)
        page.wait_for_timeout(3_000)
        before = heap_mib(session)
        turns(desk.place.home, sizes.beats)
        page.wait_for_timeout(3_000)
        growth, shown = max(0.0, heap_mib(session) - before), page.evaluate("() => window.shown.size")
        return [
            barred(f"{sizes.beats} beats, growth of the heap", growth, "MiB", HEAP_MIB_BAR),
            Row("turns that the page has shown", shown, f"of {sizes.warm + sizes.beats}"),
        ]


def turns(home: Path, count: int) -> None:
    """Turns in threads of their own, asked for on a thread beside the browser's library.

    Raises:
        TimeoutError: one of them does not end.
    """

    async def lane(count: int) -> None:
        async with open_client(door(home)) as client:
            for _ in range(count):
                thread_id = (await client.call("thread.create"))["thread_id"]
                await client.call("events.subscribe", thread_id=thread_id, after=0)
                await client.call("turn.send", thread_id=thread_id, message_id="m-1", text=_ASKED)
                async for event in client.events():
                    if event["thread_id"] == thread_id and event["type"] in ("RUN_FINISHED", "RUN_ERROR"):
                        break
                await client.call("events.unsubscribe", thread_id=thread_id)

    async def all_of_them() -> None:
        async with asyncio.timeout(_PATIENCE_S), asyncio.TaskGroup() as lanes:
            for number in range(_LANES):
                lanes.create_task(lane(len(range(number, count, _LANES))))

    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, all_of_them()).result()


def heap_mib(session: CDPSession) -> float:
    """What the page's scripts hold, when what they do not need is gone."""
    session.send("HeapProfiler.collectGarbage")
    used: dict[str, Any] = session.send("Runtime.getHeapUsage")
    return float(used["usedSize"]) / _MIB


def longest_ms(page: Page) -> float:
    """The longest task since the list was emptied; 0 if none took 50 ms."""
    return max((float(one) for one in page.evaluate("() => window.long")), default=0.0)
