"""A pattern does what the compiled one does, and is compiled once, when it is first used."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

import sulla
from sulla.core import pattern as module
from sulla.core.pattern import late_pattern


def test_a_pattern_finds_what_the_compiled_one_finds() -> None:
    late = late_pattern(r"(?P<word>[a-z]+)", re.IGNORECASE)
    assert [one["word"] for one in late.finditer("One two")] == ["One", "two"]
    assert (late.sub("x", "a b"), late.flags & re.IGNORECASE) == ("x x", re.IGNORECASE)
    assert late_pattern(rb"b+").fullmatch(b"bb")


def test_nothing_is_compiled_before_the_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = list[str]()
    late = late_pattern("one of a kind")

    def compile_one(source: str, flags: int) -> re.Pattern[str]:
        compiled.append(source)
        return re.compile(source, flags)

    monkeypatch.setattr(module, "re", type("re", (), {"compile": staticmethod(compile_one)}))
    assert compiled == []
    assert late.search("one of a kind")
    assert late.search("another") is None
    assert compiled == ["one of a kind"]


def test_a_mistake_is_found_by_the_first_use() -> None:
    with pytest.raises(re.error, match="unterminated"):
        late_pattern("(").search("")


def test_every_pattern_of_a_module_can_be_compiled() -> None:
    compiled = 0
    for found in pkgutil.walk_packages(sulla.__path__, "sulla."):
        if found.name.startswith(
            ("sulla.core", "sulla.agent.input", "sulla.speech", "sulla.tools", "sulla.definitions")
        ):
            for value in vars(importlib.import_module(found.name)).values():
                if isinstance(value, module.LatePattern):
                    assert value.pattern
                    compiled += 1
    assert compiled > 30
