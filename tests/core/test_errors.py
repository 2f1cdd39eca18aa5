"""What an error carries. That the tree is drawn as it is: ``tests/house/test_errors.py``."""

from __future__ import annotations

import pytest

from sulla.core.errors import Aborted, Busy, LimitReached, ProviderTransient, SettingsError, SullaError, leaf


def _all(root: type[SullaError] = SullaError) -> list[type[SullaError]]:
    return [root, *(below for child in root.__subclasses__() for below in _all(child))]


def test_no_two_errors_share_a_code() -> None:
    codes = [cls.code for cls in _all()]
    assert sorted(codes) == sorted(set(codes))


def test_every_error_says_whose_fault_it_is() -> None:
    assert {cls.fault for cls in _all()} == {"caller", "ours", "theirs"}


def test_the_message_is_what_people_read() -> None:
    error = SettingsError("gateway.port is 'x'")
    assert (str(error), error.message, error.retry_after_s) == ("gateway.port is 'x'", "gateway.port is 'x'", None)


def test_an_error_may_say_when_to_try_again() -> None:
    assert Busy("later", retry_after_s=1.5).retry_after_s == 1.5
    assert Busy.retryable
    assert ProviderTransient.retryable
    assert not SettingsError.retryable


def test_a_limit_has_a_name() -> None:
    error = LimitReached("limit_model_calls", "50 model calls were made")
    assert (error.reason, error.message) == ("limit_model_calls", "50 model calls were made")


def test_an_abort_has_a_reason() -> None:
    with pytest.raises(SullaError, match="aborted: stopped") as raised:
        raise Aborted("stopped")
    assert isinstance(raised.value, Aborted)
    assert raised.value.reason == "stopped"


def test_the_leaf_of_nested_groups_is_the_error_itself() -> None:
    error = LimitReached("limit_tokens", "enough")
    assert leaf(ExceptionGroup("outer", [ExceptionGroup("inner", [error]), ValueError()])) is error
    assert leaf(error) is error
