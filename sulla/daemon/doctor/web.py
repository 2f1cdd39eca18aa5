"""Looks at how agents would read the web. Nobody is asked anything for it."""

from __future__ import annotations

from sulla.core.errors import SettingsError
from sulla.daemon.doctor.probes import Patient
from sulla.daemon.settings.config import Settings
from sulla.daemon.web import make_web_tools
from sulla.host.findings import Finding, fault, ok


async def web(patient: Patient) -> list[Finding]:
    """What searches, and which hosts of the own network may be read."""
    return judge_web(patient.settings)


def judge_web(settings: Settings) -> list[Finding]:
    """What the settings say of the web."""
    asked = settings.web
    try:
        make_web_tools(settings)
    except SettingsError as error:
        return [fault(error.message, "`sulla up` does not start before this is mended")]
    searching = f"{asked.search} searches" if asked.search else "nothing searches (web.search, docs/web.md)"
    own = f"; of your own network: {', '.join(asked.allow_hosts)}" if asked.allow_hosts else ""
    return ok(f"public pages can be read, {searching}{own}")
