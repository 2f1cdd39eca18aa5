from __future__ import annotations

import pytest

from sulla.agent.model.tags import FIELDS, MAX_ATTRIBUTES, MAX_TAG, WRAPPERS, Tag, Unfinished, read_tag


@pytest.mark.parametrize("name", sorted(WRAPPERS | FIELDS))
def test_every_tag_is_known_in_any_case_and_by_each_of_its_starts(name: str) -> None:
    for tag in (f"<{name}>", f"</{name.lower()}>", f"<{name.title()} >", f'<{name} a="b">', f"<{name}/>"):
        assert read_tag(f"x{tag}y", 1) == Tag(name, tag[1] == "/", tag.endswith("/>"), 1 + len(tag))
        assert all(isinstance(read_tag(tag[:end], 0), Unfinished) for end in range(1, len(tag)))


OTHERS = "< AGENT_DONE>|<AGENT_DONE\n>|<AGENT-DONE>|<AGENT_DONEX>|<b>|<>|<AGENT_DONE<|<\u017fTATUS_REPORT>|<3".split(
    "|"
)


@pytest.mark.parametrize("text", OTHERS)
def test_anything_else_is_none_at_once(text: str) -> None:
    assert read_tag(text, 0) is None


def test_a_tag_is_never_longer_than_its_bound() -> None:
    longest = f"</UNBLOCK_REQUIREMENTS {'x' * (MAX_ATTRIBUTES - 1)}>"
    assert len(longest) == MAX_TAG
    assert isinstance(read_tag(longest, 0), Tag)
    assert isinstance(read_tag(longest[:-1], 0), Unfinished)
    assert read_tag(f"{longest[:-1]}x", 0) is None


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("<", False),
        ("</", False),
        ("<A", False),
        ("<Ag", False),
        ("<AG", True),
        ("<key_", True),
        ("</AGENT_DONE ", True),
    ],
)
def test_a_cut_off_start_is_told_from_ordinary_text(text: str, meant: bool) -> None:
    assert read_tag(text, 0) == Unfinished(meant)
