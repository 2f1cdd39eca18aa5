"""Settings with which no daemon could start: found as they are read, once, with the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.daemon.settings.config import examine_settings

_WRONG = (
    ("daemon", "zone", "Nowhere/X", "there is no time zone 'Nowhere/X'"),
    ("model", "name", "gpt-5", "no provider in the model name 'gpt-5'"),
    ("model", "fallback", "gpt-5", "no provider in the model name 'gpt-5'"),
    ("model", "ollama_host", "http://bad host:xx", "expected host, host:port or a URL"),
    ("gateway", "host", "0.0.0.0", "gateway.host is '0.0.0.0'"),
    ("store", "url", "foo://x", "expected sqlite:///path"),
    ("heartbeat", "active_hours", "banana", "active hours: got 'banana'"),
    ("heartbeat", "cron", "banana", "cron: got 'banana'"),
    ("heartbeat", "zone", "Nowhere/X", "there is no time zone 'Nowhere/X'"),
    ("heartbeat", "model", "gpt-5", "no provider in the model name 'gpt-5'"),
)


@pytest.mark.parametrize(("section", "key", "value", "said"), _WRONG)
def test_what_no_daemon_could_start_with_is_one_fault_with_its_line(
    tmp_path: Path, section: str, key: str, value: str, said: str
) -> None:
    (tmp_path / "sulla.toml").write_text(f"\n[{section}]\n{key} = '{value}'\n")
    found = examine_settings({}, {}, tmp_path)
    assert len(found.faults) == 1
    assert found.faults[0].startswith(f"{tmp_path / 'sulla.toml'}:3: {section}.{key}")
    assert said in found.faults[0]
    assert getattr(getattr(found.settings, section), key) != value  # and nobody else stumbles over it
    assert not found.sources


def test_all_of_them_are_found_at_once_and_the_rest_counts(tmp_path: Path) -> None:
    (tmp_path / "sulla.toml").write_text("[model]\nname = 'gpt-5'\nfallback = 'x'\nreply_tokens = 77\n")
    found = examine_settings({"SULLA_DAEMON__ZONE": "X"}, {}, tmp_path)
    assert [fault.partition(" ")[0].rpartition("/")[2] for fault in found.faults] == [
        "sulla.toml:2:",
        "sulla.toml:3:",
        "SULLA_DAEMON__ZONE:",
    ]
    assert found.settings.model.reply_tokens == 77


def test_an_address_beyond_this_machine_is_right_once_it_is_said_to_be_meant(tmp_path: Path) -> None:
    (tmp_path / "sulla.toml").write_text("[gateway]\nhost = '0.0.0.0'\nexpose = true\n")
    assert examine_settings({}, {}, tmp_path).faults == ()
