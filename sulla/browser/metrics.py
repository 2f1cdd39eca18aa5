"""What is measured of the browser. Pure."""

from __future__ import annotations

from sulla.telemetry.tally import Counter

STARTED = Counter("sulla_browser_started", "Times that a Chromium was started.")
PAGES = Counter("sulla_browser_pages", "Addresses that agents have gone to.")
CONNECTIONS = Counter("sulla_browser_connections", "Connections that pages asked for.", ("result",))
ACTS = Counter("sulla_browser_acts", "Clicks, and texts typed into fields.", ("kind",))

COUNTERS = (STARTED, PAGES, CONNECTIONS, ACTS)
