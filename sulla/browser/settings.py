"""The settings of the browser, `[browser]`. Pure."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sulla.host.section import Section


class BrowserSettings(Section):
    """Whether agents have a browser, and how much of the machine it may take (docs/browser.md)."""

    enabled: bool = False
    """Whether agents can look at pages in a Chromium. It needs the extra `browser` and a Chromium on the machine."""
    chromium: str = ""
    """Where Chromium is, a whole path; empty for the first of its usual names that is found."""
    sealed: bool = True
    """Whether it runs in bubblewrap, without any network but the way through the daemon. Without it Chromium's own
    sandbox alone keeps a page in, and a daemon that runs as root starts none.
    """
    conversations: Annotated[int, Field(ge=1, le=50)] = 4
    """Conversations that have pages open at once; for another one the one that has rested longest is closed."""
    pages: Annotated[int, Field(ge=1, le=20)] = 4
    """Pages that one conversation has open at once; what a page opens beyond that is closed."""
    idle_s: Annotated[float, Field(ge=5, le=86_400)] = 900.0
    """How long the pages of a conversation stay open that nobody asks for, in seconds; with the last one Chromium ends.
    A person who is asked about a click has so long to answer.
    """
    load_s: Annotated[float, Field(ge=1, le=120)] = 30.0
    """How long a page may take to load, or to answer, in seconds."""
    load_mb: Annotated[int, Field(ge=1, le=4_096)] = 64
    """Megabytes that all pages together may load between two calls; what would be more is broken off."""
