"""A browser of the agents' own, for pages that need scripts, and for forms. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability

CAPABILITY = Capability(
    name="browser",
    settings="sulla.browser.settings:BrowserSettings",
    metrics=("sulla.browser.metrics:COUNTERS",),
    build="sulla.browser.build:build",
    checks="sulla.browser.checks:CHECKS",
)
