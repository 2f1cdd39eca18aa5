"""What every key has to be."""

from __future__ import annotations

import pytest

from sulla.core.errors import SettingsError
from sulla.models.wire.keys import check_key


@pytest.mark.parametrize("key", ["", "sk-ant-1234", "a.b_c-d~e+/="])
def test_what_a_header_can_carry_is_a_key(key: str) -> None:
    check_key("THE_KEY", key)


@pytest.mark.parametrize("key", ["hunter 2", "hunter2\n", " hunter2", "hünter2", "hunter2\x00", "\thunter2"])
def test_what_it_cannot_carry_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(SettingsError, match="THE_KEY holds blanks or other characters") as raised:
        check_key("THE_KEY", key)
    assert "nter" not in raised.value.message
