"""Hostile pages in a real Chromium: none reaches an effect without a person, and none leaves the addresses that may be
asked."""

from __future__ import annotations

import asyncio
import os
import re

import pytest

from sulla.browser.places import BrowserPlace, find
from sulla.host.system import SystemClock
from tests.browser.hostile import IMPATIENT, SETTINGS, HostilePage, HostileWorld, hostile_world, needs_chromium, pages
from tests.kits.in_turn import in_turn
from tests.kits.points import Points, each_extent
from tests.soon import PATIENCE_S

pytestmark = in_turn(3)

ENOUGH = 60
AT_ONCE = 6
INSECURE = ",".join({page.url[: page.url.index("/", 8)] for page in pages()})
SECURE = (f"--unsafely-treat-insecure-origin-as-secure={INSECURE}",)
"""Much that pages may ask for they may ask for on safe connections alone."""


def test_there_are_enough_and_each_is_another_one() -> None:
    assert len(pages()) >= ENOUGH
    assert len({page.name for page in pages()}) == len(pages())


@needs_chromium
@each_extent
async def test_no_page_reaches_an_effect_or_an_address_that_may_not_be_asked(points: Points) -> None:
    wrong: list[str] = []
    tried = [pages()[number - 1] for number in points([()] * len(pages()), "hostile pages")]

    async def some(who: str, left: list[HostilePage], world: HostileWorld) -> None:
        while left:
            page = left.pop(0)
            try:
                wrong.extend(f"{page.name}: {said}" for said in await _tried(page, world, who))
            except Exception as error:  # noqa: BLE001 - the others are tried all the same
                wrong.append(f"{page.name}: {type(error).__name__}: {error}")

    for settings in (SETTINGS, IMPATIENT):
        left = [page for page in tried if page.endless is (settings is IMPATIENT)]
        async with hostile_world(settings, SECURE) as world, asyncio.TaskGroup() as group:
            for number in range(AT_ONCE):
                group.create_task(some(f"{number}", left, world))
        wrong += [f"reached: {leak}" for leak in world.leaks]
    assert not wrong, "\n".join(wrong)


async def _tried(page: HostilePage, world: HostileWorld, who: str) -> list[str]:
    """What is wrong with what became of a page."""
    context = world.context(who)
    told = [world.server.said(words) for words in page.told]
    found = await world.use("browser_navigate", context, url=page.url)
    said = found.text
    if page.waits_ms and not found.is_error:
        async with SystemClock().timeout(PATIENCE_S):
            while not found.is_error and (": 'over', part" not in found.text or any(one not in said for one in told)):
                # Each look begins a new account of what may be loaded, so the page gets its time between two of them.
                await SystemClock().sleep(page.waits_ms / 1_000)
                found = await world.use("browser_read", context)
                said += "\n" + found.text  # what was refused is told once
    wrong = [] if found.is_error else await _unasked(world, who, found.text)
    wrong += [f"not shown {words!r}: {said[:600]!r}" for words in page.shows if words not in said]
    if page.click and not found.is_error:
        ref = re.search(rf"⟦([0-9.]+) [a-z]+: {re.escape(page.click)}", found.text)
        if ref is None:
            return [*wrong, f"nothing to click in {found.text[:300]!r}"]
        question = world.asked("browser_click", context, ref=ref[1])
        wrong += [f"the question lacks {words!r}: {question!r}" for words in page.asks if words not in question]
        found = await world.use("browser_click", world.context(who, approved=question), ref=ref[1])
        said = found.text
    if found.is_error is not page.fails:
        wrong.append(f"{'no error' if page.fails else 'an error'}: {said[:300]!r}")
    wrong += [f"not told {words!r}: {said[:600]!r}" for words in told if words not in said]
    return wrong + [f"told {words!r}: {said[:600]!r}" for words in page.untold if words in said]


async def _unasked(world: HostileWorld, who: str, text: str) -> list[str]:
    """What could be clicked, filled in or opened without a person."""
    context, wrong = world.context(who), list[str]()
    for ref, kind in re.findall(r"⟦([0-9.]+) ([a-z]+)", text)[:5]:
        tool, args = "browser_click", {"ref": ref}
        if kind in ("field", "password", "choice"):
            tool, args = "browser_type", {"ref": ref, "text": "x"}
        if not world.asked(tool, context, **args):
            wrong.append(f"nobody is asked before {tool} of {ref} ({kind})")
        if not (await world.use(tool, context, **args)).is_error:
            wrong.append(f"{tool} of {ref} ({kind}) was done without a yes")
    return wrong


UNSEALED = (
    "moved-to-loopback moved-to-a-tunnel fetch websocket webrtc webtransport prefetch-and-preconnect beacon"
).split()
"""Pages that are tried without bubblewrap, too: there Chromium itself has to send all it sends to the proxy."""


@needs_chromium
@each_extent
async def test_without_bubblewrap_none_does_either(points: Points) -> None:
    wrong: list[str] = []
    names = [UNSEALED[number - 1] for number in points([()] * len(UNSEALED), "hostile pages without bubblewrap")]
    place = BrowserPlace(find(SETTINGS).chromium, "")
    # Root has no Chromium so; what is tried here are its ways out and not its sandbox.
    root = ("--no-sandbox",) if os.geteuid() == 0 else ()
    async with hostile_world(flags=(*SECURE, *root), place=place) as world:
        for page in pages():
            if page.name in names:
                wrong += [f"{page.name}: {said}" for said in await _tried(page, world, "x")]
    wrong += [f"reached: {leak}" for leak in world.leaks]
    assert not wrong, "\n".join(wrong)


@needs_chromium
@pytest.mark.parametrize("approved", ["", "click something else?"])
async def test_a_yes_to_something_else_is_no_yes(approved: str) -> None:
    async with hostile_world() as world:
        page = next(one for one in pages() if one.name == "a-form-to-the-own-network")
        await world.use("browser_navigate", world.context("x"), url=page.url)
        said = await world.use("browser_click", world.context("x", approved=approved), ref="1.1")
        assert said.is_error
        assert "needs a person's yes" in said.text
        assert world.leaks == []
