from __future__ import annotations

import pytest

from sulla.core.errors import SettingsError
from sulla.daemon.doctor.checks import judge_exposure
from sulla.host.exposure import check_exposure, check_owner_token, exposure_warnings, is_loopback
from sulla.host.sections import GatewaySettings

HERE = ["127.0.0.1", "127.9.9.9", "::1", "localhost", "LOCALHOST"]
EVERYWHERE = ["0.0.0.0", "::", "", "192.0.2.1", "2001:db8::1", "fe80::1%eth0", "myhost", "localhost.evil.example"]


@pytest.mark.parametrize("host", HERE)
def test_this_machine_alone_needs_no_words(host: str) -> None:
    gateway = GatewaySettings(host=host)
    assert is_loopback(host)
    check_exposure(gateway)
    check_owner_token(gateway, "short")
    assert exposure_warnings(gateway) == []
    assert [finding.result for finding in judge_exposure(gateway, "short")] == ["ok"]


@pytest.mark.parametrize("host", EVERYWHERE)
def test_beyond_it_nothing_goes_unless_it_is_said(host: str) -> None:
    gateway = GatewaySettings(host=host)
    with pytest.raises(SettingsError, match=r"gateway\.expose .*TLS"):
        check_exposure(gateway)
    assert [finding.result for finding in judge_exposure(gateway, None)] == ["fault"]


@pytest.mark.parametrize("host", EVERYWHERE)
def test_if_it_is_said_people_are_told_what_else_it_takes(host: str) -> None:
    gateway = GatewaySettings(host=host, expose=True)
    check_exposure(gateway)
    tls, names = exposure_warnings(gateway)
    assert "TLS" in tls
    assert "gateway.allowed_hosts is empty" in names
    named = GatewaySettings(host=host, expose=True, allowed_hosts=("console.example",))
    assert exposure_warnings(named) == [tls]
    assert [finding.result for finding in judge_exposure(named, "x" * 32)] == ["warning"]


def test_a_token_that_could_be_guessed_does_not_guard_a_network() -> None:
    gateway = GatewaySettings(host="0.0.0.0", expose=True)
    check_owner_token(gateway, "x" * 32)
    with pytest.raises(SettingsError, match="31 characters") as caught:
        check_owner_token(gateway, "y" * 31)
    assert "yy" not in caught.value.message
    assert [finding.result for finding in judge_exposure(gateway, "y" * 31 + "\n")] == ["fault"]
