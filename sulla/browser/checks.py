"""What `sulla doctor` says of the browser. It starts none."""

from __future__ import annotations

import asyncio
import os

from sulla.browser.places import find
from sulla.browser.settings import BrowserSettings
from sulla.core.errors import NotAvailable
from sulla.host.checks import Check, CheckContext
from sulla.host.findings import Finding, fault, ok, warning


async def browser(of: CheckContext) -> list[Finding]:
    """Whether agents have one, and what keeps its pages in."""
    return await asyncio.to_thread(judge_browser, of.settings.section(BrowserSettings))


def judge_browser(settings: BrowserSettings) -> list[Finding]:
    """What the settings and this machine come to.

    Args:
        settings: say what is wanted.
    """
    if not settings.enabled:
        return ok("agents have no browser (browser.enabled, docs/browser.md)")
    try:
        place = find(settings)
    except NotAvailable as error:
        what, _, remedy = error.message.partition(": ")
        return [fault(f"agents have no browser: {what}", remedy)]
    if place.sealed:
        somebody = " as nobody" if os.geteuid() == 0 else ""
        return ok(f"{place.chromium} in bubblewrap{somebody}, without a network of its own")
    said = f"{place.chromium} runs in its own sandbox alone, and shares the machine's network"
    return [warning(said, "install bubblewrap where it can be had, and leave browser.sealed as it is")]


CHECKS = (Check("browser", browser),)
