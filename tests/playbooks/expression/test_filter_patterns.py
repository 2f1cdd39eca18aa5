"""Regular expressions of playbooks: what they find, and that none holds anybody up."""

from __future__ import annotations

import sys

import pytest

from sulla.core.errors import InvalidInput, TooLarge
from sulla.playbooks.definition import Template
from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.expression.filter_patterns import MAX_PATTERN_CHARS, compile_pattern
from sulla.playbooks.file.check import check_playbook

pytest.importorskip("re2", reason="the extra regex is not installed")


def said(expression: str, **names: object) -> object:
    return evaluate(Template(f"${{{{ {expression} }}}}"), names)


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("'order 12' | matches('[0-9]+')", True),
        ("'order' | matches('^[0-9]')", False),
        ("'order 12, order 13' | find('[0-9]+')", "12"),
        ("'order 12, order 13' | find('order ([0-9]+)')", "12"),
        ("'order 12' | find('([a-z]+) ([0-9]+)')", ["order", "12"]),
        ("'order 12' | find('(x)?([0-9]+)')", [None, "12"]),
        ("'none' | find('[0-9]')", None),
        ("'a1b22' | find_all('[0-9]+')", ["1", "22"]),
        ("'a=1 b=2' | find_all('([a-z])=([0-9])')", [["a", "1"], ["b", "2"]]),
        ("'Ünïcödé ü' | find_all('\\\\pL+')", ["Ünïcödé", "ü"]),
        ("'a1b2' | replace_all('[0-9]', '<\\\\1>')", "a<\\1>b<\\1>"),
        ("'aXb' | replace_all('(?i)x', '')", "ab"),
        ("'a\\nb' | find_all('(?m)^.')", ["a", "b"]),
        ("'' | find_all('a*')", [""]),
    ],
)
def test_what_is_found(expression: str, found: object) -> None:
    assert said(expression) == found


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(a", "the text '(a' is no regular expression of RE2: missing )"),
        ("(a)\\1", "is no regular expression of RE2"),
        ("(?=a)", "is no regular expression of RE2"),
        ("a{9999}", "is no regular expression of RE2"),
        ("a" * (MAX_PATTERN_CHARS + 1), "a regular expression of 501 characters; 500 are taken"),
    ],
)
def test_what_is_no_pattern_is_told_when_it_is_checked_and_when_it_is_used(pattern: str, why: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        said("'a' | matches(pattern)", pattern=pattern)
    assert why in refused.value.message
    written = pattern.replace("\\", "\\\\")
    look = f'${{{{ inputs.x | matches("{written}") }}}}'
    text = f"name: a\ninputs: {{x: string}}\nsteps: [{{id: a, set: {{b: '{look}'}}}}]\n"
    (fault,) = check_playbook(text).faults
    assert why in fault.message


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (".{0,200}z", "a" * 1_000_000),
        ("(a|b)*a(a|b){200}c", "ab" * 500_000),
        ("a", "a" * 200_000),
    ],
)
def test_what_would_take_long_is_refused(pattern: str, text: str) -> None:
    with pytest.raises(TooLarge, match="more than 10,000,000 steps of work"):
        said("text | find_all(pattern)", text=text, pattern=pattern)


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+b", "(a?){50}a{50}", "(.*)(.*)(.*)b"])
def test_patterns_that_hold_others_up_are_looked_for_in_a_megabyte(pattern: str) -> None:
    assert said("text | matches(pattern)", text="a" * 1_000_000, pattern=pattern) in (True, False)


def test_where_the_library_is_missing_it_is_said_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    compile_pattern.cache_clear()
    with pytest.raises(InvalidInput, match=r"pip install 'sulla-agent\[regex\]'"):
        said("'a' | matches('a')")
