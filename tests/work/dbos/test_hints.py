"""A hint comes out as it went in, and what a later version says is passed over."""

from __future__ import annotations

from sulla.work.dbos.hints import Hint, pack, unpack


def test_a_hint_comes_out_as_it_went_in() -> None:
    for hint in (Hint("a", "a:7"), Hint("a", "heed:a:7", although_held=True)):
        assert unpack(pack(hint)) == hint


def test_what_this_version_does_not_know_is_no_hint() -> None:
    for payload in (b"{}", b'["a","a:7"]', b'["a",7,false]', b'["a","a:7",false,1]'):
        assert unpack(payload) is None
