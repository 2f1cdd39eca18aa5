from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.agent.model.shown import MAX_WHITE
from sulla.agent.model.tags import CALLS, FIELDS, MAX_TAG, WRAPPERS
from sulla.agent.model.wrapper import Wrapper
from sulla.agent.model.wrappers import MAX_QUOTE, Stripper, parse, strip

ANY_TAG = re.compile(rf"</?(?:{'|'.join(WRAPPERS | CALLS | FIELDS)})(?:[ \t/][^<>\n]*)?>", re.IGNORECASE)

TAGS = [f"<{slash}{name}>" for name in sorted(WRAPPERS | FIELDS) for slash in ("", "/")]
ODD_TAGS = [
    "<agent_done>",
    "</Agent_Done>",
    "<AGENT_DONE />",
    '<AGENT_BLOCKED why="x">',
    "</AGENT_DONE >",
    "<AGENT_DONE",
    "<tool_call>{",
    "}</tool_call>",
]
WORDS = ["a", "done ", " word", "\n", "\n\n", "  ", "<", ">", "</", "<b>", "x < y", "AGENT_DONE>", "é😀", "_"]
CODE = ["`", "``", "```", "~~~", "```py\n", "\n```\n", "- ```\n", "> ", "`<AGENT_DONE>`", "1. ", " `"]

plain_texts = st.lists(st.sampled_from([*TAGS, *TAGS, *WORDS]), max_size=16).map("".join)
texts = st.lists(st.sampled_from([*TAGS, *ODD_TAGS, *WORDS, *CODE, *CODE]), max_size=18).map("".join)


def streamed(text: str, cuts: list[int]) -> tuple[str, Wrapper | None]:
    stripper = Stripper()
    borders = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    shown = [stripper.feed(text[start:end]) for start, end in pairwise(borders)]
    rest, wrapper = stripper.finish()
    return "".join(shown) + rest, wrapper


# ------------------------------------------------------------------------------------------------------ what it means


@pytest.mark.parametrize(
    ("text", "wrapper"),
    [
        ("All good.\n<AGENT_DONE>Sorted the list.</AGENT_DONE>", Wrapper("done", response="Sorted the list.")),
        ("<AGENT_DONE><KEY_RESULT>42</KEY_RESULT></AGENT_DONE>", Wrapper("done", response="42")),
        ("<AGENT_DONE>first\n\nsecond</AGENT_DONE>", Wrapper("done", response="first\n\nsecond")),
        ("<AGENT_DONE>  </AGENT_DONE>", Wrapper("done")),
        ("<AGENT_DONE/>", Wrapper("done")),
        ("<agent_Done >ok</AGENT_done\t>", Wrapper("done", response="ok")),
        ('<AGENT_DONE confidence="high">ok</AGENT_DONE>', Wrapper("done", response="ok")),
        (
            (
                "<AGENT_BLOCKED><BLOCKER_REASON>no key</BLOCKER_REASON>\n"
                "<UNBLOCK_REQUIREMENTS>a key</UNBLOCK_REQUIREMENTS></AGENT_BLOCKED>"
            ),
            Wrapper("blocked", blocker_reason="no key", unblock_requirements="a key"),
        ),
        ("<AGENT_BLOCKED>no network</AGENT_BLOCKED>", Wrapper("blocked", blocker_reason="no network")),
        (
            "<AGENT_BLOCKED>no network<UNBLOCK_REQUIREMENTS>plug it in</UNBLOCK_REQUIREMENTS></AGENT_BLOCKED>",
            Wrapper("blocked", blocker_reason="no network", unblock_requirements="plug it in"),
        ),
        (
            "<AGENT_CONTINUE><STATUS_REPORT>half done</STATUS_REPORT></AGENT_CONTINUE>",
            Wrapper("continue", status_report="half done"),
        ),
        (
            "<AGENT_CONTINUE><STATUS_MESSAGE>half done</STATUS_MESSAGE></AGENT_CONTINUE>",
            Wrapper("continue", status_report="half done"),
        ),
        ("<AGENT_CONTINUE>half done</AGENT_CONTINUE>", Wrapper("continue", status_report="half done")),
        ("<AGENT_CONTINUE><STATUS_REPORT>not closed</AGENT_CONTINUE>", Wrapper("continue", status_report="not closed")),
    ],
)
def test_a_complete_wrapper_says_how_far_the_agent_is(text: str, wrapper: Wrapper) -> None:
    assert parse(text) == wrapper


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No wrapper at all.",
        "<AGENT_DONE>never closed",
        "</AGENT_DONE> never opened",
        "<AGENT_DONE>closed by another</AGENT_BLOCKED>",
        "<AGENT_DONE>one opened <AGENT_CONTINUE>in another</AGENT_DONE>",
        "`<AGENT_DONE>quoted</AGENT_DONE>`",
        "``<AGENT_DONE>quoted ` twice</AGENT_DONE>``",
        "```\n<AGENT_DONE>fenced</AGENT_DONE>\n```",
        "~~~xml\n<AGENT_DONE>fenced</AGENT_DONE>\n~~~",
        "```\n<AGENT_DONE>the fence is never closed</AGENT_DONE>",
        "````\n```\n<AGENT_DONE>a shorter fence does not close it</AGENT_DONE>\n````",
        "- item\n  ```\n  <AGENT_DONE>fenced in a list</AGENT_DONE>\n  ```",
        "- ```\n  <AGENT_DONE>fenced by a list item</AGENT_DONE>\n  ```",
        "> ```\n> <AGENT_DONE>fenced in a quotation</AGENT_DONE>\n> ```",
        "``` `a fence` <AGENT_DONE>fenced</AGENT_DONE>",
        "< AGENT_DONE>not a tag</AGENT_DONE>",
        "<AGENT_DONE_TOO>not a tag</AGENT_DONE_TOO>",
        "<AGENT_DONE\n>not a tag</AGENT_DONE>",
    ],
)
def test_anything_else_is_no_wrapper(text: str) -> None:
    assert parse(text) is None


@pytest.mark.parametrize(
    ("text", "response"),
    [
        ("<AGENT_BLOCKED>x</AGENT_BLOCKED> no, wait. <AGENT_DONE>second</AGENT_DONE>", "second"),
        ("<AGENT_DONE>first</AGENT_DONE> and `<AGENT_BLOCKED>quoted</AGENT_BLOCKED>`", "first"),
        ("<AGENT_DONE>first</AGENT_DONE> and <AGENT_BLOCKED>never closed", "first"),
        ("Docs:\n```\n<AGENT_BLOCKED>x</AGENT_BLOCKED>\n```\n<AGENT_DONE>wrote docs</AGENT_DONE>", "wrote docs"),
        ("an odd ` backtick <AGENT_DONE>counts</AGENT_DONE>\nnext line", "counts"),
        ("an odd `` one and ` two <AGENT_DONE>counts</AGENT_DONE>", "counts"),
        ("```not a fence``` <AGENT_DONE>counts</AGENT_DONE>", "counts"),
        ("<AGENT_CONTINUE>dropped <AGENT_DONE>counts</AGENT_DONE>", "counts"),
        ("<AGENT_DONE>quotes `</AGENT_DONE>` itself</AGENT_DONE>", "quotes `</AGENT_DONE>` itself"),
        ("~~strike~~ <AGENT_DONE>counts</AGENT_DONE>", "counts"),
    ],
)
def test_the_last_complete_one_outside_code_counts(text: str, response: str) -> None:
    assert parse(text) == Wrapper("done", response=response)


# ------------------------------------------------------------------------------------------------------ what is shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Sorted.\n\n<AGENT_DONE>Sorted the list.</AGENT_DONE>\n", "Sorted."),
        ("<AGENT_DONE>Sorted.</AGENT_DONE>\n\nBy the way, it was long.", "Sorted.\n\nBy the way, it was long."),
        ("<AGENT_DONE>Sorted.</AGENT_DONE>By the way.", "Sorted.\nBy the way."),
        ("<AGENT_DONE>Sorted.\n<KEY_RESULT>3 files</KEY_RESULT></AGENT_DONE>", "Sorted.\n3 files"),
        ("<AGENT_DONE>a <AGENT_<KEY_RESULT>DONE>", "a <AGENT_\nDONE>"),
        ("one <AGENT_DONE>x</AGENT_DONE>two", "one two"),
        ("\n\n    code first\n\n", "    code first"),
        ("a <STATUS_REPORT>stray</STATUS_REPORT> field", "a stray field"),
        ("a stray </AGENT_DONE> end", "a stray  end"),
        ("before <AGENT_DONE>never closed", "before \nnever closed"),
        ("<AGENT_BLOCKED>dropped <AGENT_DONE>x</AGENT_DONE> after", "dropped\n after"),
        ("cut off <AGENT_DO", "cut off"),
        ("cut off </agent_d", "cut off"),
        ("cut off <AG", "cut off"),
        ("a < b and x <a", "a < b and x <a"),
        ("Map<Key", "Map<Key"),
        ("List<String> <b>bold</b> <-- <3", "List<String> <b>bold</b> <-- <3"),
        ("Use `<AGENT_DONE>` at the end.", "Use `<AGENT_DONE>` at the end."),
        ("```\n<AGENT_DONE>x</AGENT_DONE>\n```\n<AGENT_DONE>y</AGENT_DONE>", "```\n<AGENT_DONE>x</AGENT_DONE>\n```"),
        ("<AGENT_<AGENT_DONE>x</AGENT_DONE>DONE>", "<AGENT_\nDONE>"),
        ("<<</AGENT_DONE>AGENT_DONE>", "<<\nAGENT_DONE>"),
        ("odd `` one <AGENT_DONE>x</AGENT_DONE> `</AGENT_BLOCKED>` ``` </AGENT_DONE>", "odd `` one  `\n` ```"),
        ("`a`</AGENT_DONE>`b`", "`a`\n`b`"),
    ],
)
def test_people_see_the_text_without_wrappers(text: str, shown: str) -> None:
    assert strip(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<AGENT_DONE>Sorted the list.</AGENT_DONE>", "Sorted the list."),
        ("\n <AGENT_DONE></AGENT_DONE>\n", "Done."),
        ("  <AGENT_DONE></AGENT_DONE>", "Done."),
        ("<AGENT_CONTINUE><STATUS_REPORT>Half done.</STATUS_REPORT></AGENT_CONTINUE>", "Half done."),
        ("<AGENT_CONTINUE></AGENT_CONTINUE>", "Continuing."),
        (
            (
                "<AGENT_BLOCKED><BLOCKER_REASON>No key.</BLOCKER_REASON>"
                "<UNBLOCK_REQUIREMENTS>A key.</UNBLOCK_REQUIREMENTS></AGENT_BLOCKED>"
            ),
            "No key.\n\nA key.",
        ),
        ("<AGENT_BLOCKED><UNBLOCK_REQUIREMENTS>A key.</UNBLOCK_REQUIREMENTS></AGENT_BLOCKED>", "A key."),
        ("<AGENT_BLOCKED></AGENT_BLOCKED>", "Blocked."),
        ("", ""),
        (" \n ", ""),
    ],
)
def test_a_reply_that_is_all_wrapper_shows_the_wrappers_own_words(text: str, shown: str) -> None:
    assert strip(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "```xml\n<AGENT_DONE>\n  <KEY_RESULT>x</KEY_RESULT>\n</AGENT_DONE>\n```",
        "~~~\n<AGENT_BLOCKED>\n~~~",
        "Say `<AGENT_CONTINUE><STATUS_REPORT>…</STATUS_REPORT></AGENT_CONTINUE>` then.",
        "``` <AGENT_DONE> as an info string\ncode\n```",
        "1. ```\n   </AGENT_DONE>\n   ```\n2. next",
    ],
)
def test_quoted_syntax_passes_unchanged_however_it_is_split(text: str) -> None:
    assert streamed(text, list(range(len(text)))) == (text, None)


# --------------------------------------------------------------------------------------------------------- streaming


def test_an_answer_that_is_all_wrapper_is_shown_as_it_comes() -> None:
    stripper = Stripper()
    pieces = [stripper.feed(piece) for piece in ("<AGENT_DO", "NE>\nOne.", " Two", ".\n</AGENT_", "DONE>")]
    assert pieces == ["", "One.", " Two", ".", ""]
    assert stripper.finish() == ("", Wrapper("done", response="One. Two."))


@settings(max_examples=40, deadline=None)
@given(texts, st.lists(st.integers(0, 400), max_size=12))
def test_any_split_gives_the_same_text_and_outcome(text: str, cuts: list[int]) -> None:
    whole = strip(text), parse(text)
    assert streamed(text, cuts) == whole
    assert streamed(text, list(range(len(text)))) == whole


@settings(max_examples=40, deadline=None)
@given(texts)
def test_what_is_shown_has_no_tag_left_that_means_anything(text: str) -> None:
    shown = strip(text)
    assert parse(shown) is None
    again = strip(shown)
    # The one thing that can be left is the start of a tag that another cut-off start had been taken out behind.
    assert again == shown or (shown.startswith(again) and shown[len(again) :].lstrip().startswith("<"))


def _expected(text: str) -> tuple[str, str | None]:
    """The rules for a text without code, by regular expressions: what is shown but for white space, and the status."""
    names = "AGENT_DONE|AGENT_BLOCKED|AGENT_CONTINUE"
    complete = re.compile(rf"<({names})>(?:(?!<(?:{names})>).)*?</\1>", re.DOTALL)
    found = [match[1].removeprefix("AGENT_").lower() for match in complete.finditer(text)]
    shown, at = "", 0
    for match in complete.finditer(text):
        shown += _untagged(text[at : match.start()])
        shown += _untagged(match[0]) if match[1] == "AGENT_DONE" and not shown else ""
        at = match.end()
    return shown + _untagged(text[at:]), found[-1] if found else None


def _untagged(text: str) -> str:
    return "".join(re.sub(rf"</?(?:{'|'.join(WRAPPERS | CALLS | FIELDS)})>", "\n", text).split())


@settings(max_examples=40, deadline=None)
@given(plain_texts)
def test_without_code_it_does_what_expressions_over_the_whole_text_would(text: str) -> None:
    shown, status = _expected(text)
    wrapper = parse(text)
    assert (wrapper.status if wrapper else None) == status
    if shown or wrapper is None:
        assert "".join(strip(text).split()) == shown
    else:
        assert strip(text) == strip(wrapper.words)


@settings(max_examples=40, deadline=None)
@given(plain_texts)
def test_no_piece_of_a_tag_is_shown_at_any_moment(text: str) -> None:
    stripper = Stripper()
    shown = ""
    for char in text:
        shown += stripper.feed(char)
        assert not ANY_TAG.search(shown)
        assert not re.search(r"</?(?:AGENT_|KEY_|BLOCKER_|UNBLOCK_|STATUS_)", shown)
    shown += stripper.finish()[0]
    assert not ANY_TAG.search(shown)


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("plain words and nothing else " * 20, MAX_TAG),
        ("a < b < c <d> </e> <AGENT < <AGENT_DON <AGENT_DONE" * 10, MAX_TAG),
        ("<AGENT_DONE " + "x" * 500, MAX_TAG),
        ("`<AGENT_DONE>" + "x" * 2000, MAX_QUOTE + MAX_TAG),
        ("a" + " " * 2000, MAX_WHITE),
        ("a" + "\n" * 2000, MAX_WHITE),
    ],
)
def test_only_so_much_is_held_back(text: str, most: int) -> None:
    stripper = Stripper()
    shown = 0
    for fed, char in enumerate(text, 1):
        shown += len(stripper.feed(char))
        if "<AGENT_DONE>" not in text or fed <= MAX_QUOTE:
            assert fed - shown <= most


def test_a_quotation_that_goes_on_and_on_is_taken_for_none() -> None:
    long = "x" * (2 * MAX_QUOTE)
    assert parse(f"`<AGENT_DONE>{long}</AGENT_DONE>`") == Wrapper("done", response=long)
    assert streamed(f"`<AGENT_DONE>{long}</AGENT_DONE>`", list(range(3000)))[1] == Wrapper("done", response=long)


@pytest.mark.parametrize("text", [" " * 1000 + "x", "\n" * 1000 + "  x", "x" + " " * 1000, "x" + "\t" * 1000 + "y"])
def test_much_white_space_is_the_same_in_pieces(text: str) -> None:
    assert streamed(text, list(range(len(text)))) == (strip(text), None)


def test_text_without_a_tag_is_shown_at_once() -> None:
    stripper = Stripper()
    assert [stripper.feed(piece) for piece in ("Hel", "lo,", " you", " `x", "` and", " *y*")] == [
        "Hel", "lo,", " you", " `x", "` and", " *y*",
    ]  # fmt: skip


def test_offsets_count_code_points() -> None:
    stripper = Stripper()
    pieces = [stripper.feed(piece) for piece in ("👩‍🚀é ", "<AGENT_DONE>x</AGENT_DONE>", "日本")]
    assert "".join(pieces) + stripper.finish()[0] == "👩‍🚀é 日本"
    assert len("".join(pieces)) == 7


@pytest.mark.parametrize(
    "unit",
    [
        "<",
        "<AGENT_DONE>",
        "</AGENT_DONE>",
        "`",
        "` <AGENT_DONE>x\n",
        "`<AGENT_DONE>",
        "```\n",
        "~~~\n",
        "- ",
        "1",
        " ",
        "<A",
    ],
)
def test_time_is_linear_in_hostile_texts(unit: str) -> None:
    """Counted in steps rather than seconds: how often a token is looked at."""
    looked = {}
    for size in (2_000, 8_000):
        stripper = _Counting()
        stripper.feed((unit * size)[:size])
        stripper.finish()
        looked[size] = stripper.steps
    assert looked[8_000] <= 4.5 * looked[2_000] + 50


class _Counting(Stripper):
    """Counts the tokens that are passed on or taken out."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0

    def _pass(self, piece: str, first: str) -> None:
        self.steps += 1
        super()._pass(piece, first)


# ------------------------------------------------------------------------------------------ calls that are written down


@pytest.mark.parametrize(
    ("text", "shown", "wrote"),
    [
        ('<tool_call>{"name": "x"}</tool_call>Here is my answer.', "Here is my answer.", True),
        ('Let me look.\n<tool_call>\n{"name": "x"}\n</tool_call>\nIt is blue.', "Let me look.\n\nIt is blue.", True),
        ("<tool_call>look\n<arg_key>what</arg_key>\n</tool_call>", "", True),
        ('<function_calls>[{"name": "x"}]</function_calls>', "", True),
        ('<tool_calls><tool_call>{"a": 1}</tool_call><tool_call>{"b": 2}</tool_call></tool_calls>Done.', "Done.", True),
        ('I look.\n<tool_call>\n{"name": "x", "arguments": {}}', "I look.", True),
        ('<tool_call>{"name": "x"}<AGENT_DONE>ok</AGENT_DONE>', "ok", True),
        ('I look. <invoke name="x"><parameter name="a">1</parameter></invoke> Done.', "I look.  Done.", True),
        ('<function_calls>\n<invoke name="x">\n</invoke>\n</function_calls>\nDone.', "Done.", True),
        ('I look.\n<invoke name="x">\n<parameter name="a">1', "I look.", True),
        ('See `<invoke name="x">1</invoke>`.', 'See `<invoke name="x">1</invoke>`.', False),
        ("Hermes writes <tool_call> before a call.", "Hermes writes \nbefore a call.", False),
        ("See `<tool_call>{}</tool_call>`.", "See `<tool_call>{}</tool_call>`.", False),
        ("```\n<tool_call>{}</tool_call>\n```", "```\n<tool_call>{}</tool_call>\n```", False),
        ("<tool_caller>is no tag", "<tool_caller>is no tag", False),
    ],
)
def test_a_call_that_is_written_down_is_taken_out_and_noticed(text: str, shown: str, wrote: bool) -> None:
    for size in (1, 3, len(text)):
        stripper = Stripper()
        said = "".join(stripper.feed(text[at : at + size]) for at in range(0, len(text), size))
        rest, _ = stripper.finish()
        assert (said + rest, stripper.wrote_call) == (shown, wrote)


def test_nothing_of_a_call_that_is_written_down_is_shown_while_it_comes() -> None:
    stripper = Stripper()
    assert stripper.feed('Wait. <tool_call>{"name"') == "Wait."
    assert stripper.feed(': "x", "arguments": {') == ""
    assert stripper.feed("}}</tool_call> So:") == "  So:"
