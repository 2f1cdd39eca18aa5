"""What differs between two readings of the settings."""

from __future__ import annotations

from pathlib import Path

from sulla.daemon.settings.changes import changes, taken_up
from sulla.daemon.settings.config import Settings, examine_settings, sections
from sulla.host.section import Section
from sulla.mcp.settings import McpSettings

HOME = Path("/srv/x")


def _settings(**environ: str) -> Settings:
    return examine_settings(environ, {}, HOME).settings


def test_each_that_differs_is_named_once_and_no_value_is() -> None:
    before = _settings()
    after = _settings(SULLA_GATEWAY__PORT="1", ANTHROPIC_API_KEY="hunter2", SULLA_DAEMON__LOG_LEVEL="debug")
    found = changes(before, after)
    assert (found.live, found.waiting) == (("daemon.log_level",), ("gateway.port", "model.anthropic_api_key"))
    assert changes(after, after).live == changes(after, after).waiting == ()


def test_what_was_taken_up_differs_no_more_and_what_waits_still_does() -> None:
    before, after = _settings(), _settings(SULLA_GATEWAY__PORT="1", SULLA_DAEMON__LOG_LEVEL="debug")
    running = taken_up(before, after)
    assert (running.daemon.log_level, running.gateway.port) == ("debug", before.gateway.port)
    assert changes(running, after).live == ()
    assert changes(running, after).waiting == ("gateway.port",)


def test_every_setting_that_is_said_to_be_live_is_one() -> None:
    for name, kind in sections().items():
        assert issubclass(kind, Section)
        assert kind.live <= set(kind.model_fields), name
    assert "servers" in McpSettings.live
