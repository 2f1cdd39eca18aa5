"""Calls that a model writes down as prose are cut out of a reply, however it is split, and nothing else is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.agent.model.tags import MAX_TAG
from sulla.agent.model.wrappers import Stripper
from sulla.agent.model.written.calls import MAX_CALL
from sulla.agent.model.written.head import Cursor
from sulla.agent.model.written.values import MOST_DEEP
from tests.kits.in_turn import in_turn

pytestmark = in_turn(2)

TOOLS = ("read_file", "list_dir", "get_time_date", "add-note", "print_page", "files")

CUT: dict[str, tuple[str, str]] = {
    "a call, alone": ('read_file({"path": "a.txt"})', ""),
    "behind words": ('Let me look.\nread_file({"path": "a.txt"})', "Let me look."),
    "before words": ('read_file({"path": "a.txt"})\nIt is blue.', "It is blue."),
    "between words": ('I look.\n\nread_file({"path": "a"})\n\nBlue.', "I look.\n\n\n\nBlue."),
    "with a semicolon": ('read_file({"path": "a"});\nBlue.', "Blue."),
    "over several lines": ('I look.\nread_file({\n  "path": "a",\n  "lines": [1, 2]\n})\nBlue.', "I look.\n\nBlue."),
    "indented a little": ('I look.\n  read_file({"path": "a"})', "I look."),
    "without arguments in it": ("list_dir({})", ""),
    "in Python's words": ("read_file({'path': 'a', 'all': True, 'from': None})", ""),
    "by keywords": ('read_file(path="a.txt", lines=[1, 2], all=True)', ""),
    "by keywords over lines": ("read_file(\n    path='a',\n    all=False,\n)\nBlue.", "Blue."),
    "empty and all there is": ("get_time_date()", ""),
    "empty and all, behind blanks": ("\n get_time_date() \n\n", ""),
    "a name with a dash": ('add-note({"text": "x"})', ""),
    "brackets within strings": ('read_file({"path": "a)}(\\"`"})\nBlue.', "Blue."),
    "two on one line": ('read_file({"path": "a"}) list_dir({"path": "b"})', ""),
    "two lines": ('read_file({"path": "a"})\nlist_dir({"path": "b"})\nBoth.', "Both."),
    "functions.name": ('functions.read_file({"path": "a"})', ""),
    "default_api.name in print": ('print(default_api.read_file(path="a"))', ""),
    "print of a call": ('I look.\nprint(read_file(path="a"))', "I look."),
    "an object": ('{"name": "read_file", "arguments": {"path": "a"}}', ""),
    "an object behind words": (
        'I look.\n{"name": "read_file", "parameters": {"path": "a"}}\nBlue.',
        "I look.\n\nBlue.",
    ),
    "an object in the form of a service": (
        '{"type": "function", "function": {"name": "read_file", "arguments": "{\\"path\\": \\"a\\"}"}}',
        "",
    ),
    "its arguments first": ('{"arguments": {"path": "a"}, "name": "read_file"}', ""),
    "a list of objects": ('[{"name": "read_file", "arguments": {"path": "a"}}]', ""),
    "tool_calls": ('{"tool_calls": [{"name": "list_dir", "arguments": {}}]}', ""),
    "a list of calls": ("[read_file(path='a'), list_dir(path='b')]", ""),
    "Llama, an object": ('<|python_tag|>{"name": "look_up", "parameters": {"q": "x"}}', ""),
    "Llama, two objects": (
        '<|python_tag|>{"name": "read_file", "parameters": {}}; {"name": "list_dir", "parameters": {}}<|eom_id|>',
        "",
    ),
    "Llama, a call": ('<|python_tag|>brave_search.call(query="tea")<|eom_id|>', ""),
    "Llama, a tag": ('<function=read_file>{"path": "a"}</function>', ""),
    "Mistral, a list": ('[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "a"}, "id": "x1"}]', ""),
    "Mistral, a blank": ('[TOOL_CALLS] [{"name": "read_file", "arguments": {"path": "a"}}]', ""),
    "Mistral, a name": ('[TOOL_CALLS]read_file{"path": "a"}', ""),
    "Mistral, with ARGS": ('[TOOL_CALLS]read_file[ARGS]{"path": "a"}</s>', ""),
    "Hermes": ('<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>', ""),
    "Hermes, twice": ("<tool_call>{}</tool_call>\n<tool_call>{}</tool_call>\nBlue.", "Blue."),
    "Qwen, not closed": ('I look.\n<tool_call>\n{"name": "read_file", "arguments"', "I look."),
    "Gemma, a block": ('I look.\n```tool_code\nprint(read_file(path="a"))\n```\nBlue.', "I look.\n\nBlue."),
    "a block that calls itself so": ('One.\n```tool_call\n{"name": "list_dir", "arguments": {}}\n```', "One."),
    "a block that is all": ('```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```', ""),
    "a block without a name that is all": ('```\nread_file({"path": "a"})\nlist_dir({})\n```\n', ""),
    "before a wrapper": ('read_file({"path": "a"})<AGENT_DONE>ok</AGENT_DONE>', "ok"),
    "within a wrapper": ('<AGENT_DONE>read_file({"path": "a"})\nIt is blue.</AGENT_DONE>', "It is blue."),
    "in a sentence": ('Use read_file({"path": "a"}) to read it.', "Use  to read it."),
    "at the beginning of a sentence": ('read_file({"path": "a"}) reads a file.', " reads a file."),
    "with a full stop": ('I look: read_file({"path": "a"}).', "I look: ."),
    "by a keyword in a sentence": ("One moment, read_file(path='ls -la /') and done.", "One moment,  and done."),
    "an item of a list": ('- read_file({"path": "a"})\n- Blue.', "- \n- Blue."),
    "an object in a sentence": ('So: {"name": "read_file", "arguments": {"path": "a"}} is done.', "So:  is done."),
    "a marker in a sentence": ('So: [TOOL_CALLS][{"name": "x", "arguments": {}}] is done.', "So:  is done."),
    "a tag in a sentence": ('So: <function=read_file>{"path": "a"}</function> is done.', "So:  is done."),
    "in a sentence, cut off": ('So: read_file({"path": "a', "So:"),
    "an assignment": ('text = read_file(path="a")', "text ="),
    "cut off": ('I look.\nread_file({"path": "a', "I look."),
    "cut off, an object": ('I look.\n{"name": "read_file", "argu', "I look."),
    "cut off, a marker": ("I look.\n[TOOL_CA", "I look."),
}

STAY = {
    "other words in parentheses": "All files (there are two) are in list_dir (see there).",
    "a comparison": "read_file(path==2) is odd.",
    "a tool without arguments in a sentence": "Use list_dir({}) or get_time_date() for that.",
    "a sentence": 'Use `read_file({"path": "a"})` to read it.',
    "inline code alone on a line": 'So:\n`read_file({"path": "a"})`\nreads it.',
    "an example in a block": 'So:\n```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```',
    "an example before words": '```python\nread_file(path="a")\n```\nreads it.',
    "a block with more": '```\n# reads it\nread_file({"path": "a"})\n```',
    "a block that says tool_code and holds more": '```tool_code\nx = read_file(path="a")\nprint(x)\n```',
    "a program in a block": "```python\nprint(files)\n```",
    "an indented block": 'So:\n\n    read_file({"path": "a"})\n\nreads it.',
    "another function": 'open_file({"path": "a"})',
    "a longer name": 'read_files({"path": "a"})',
    "a method": 'self.read_file({"path": "a"})',
    "functions, one to a line": "There are two:\nget_time_date()\nlist_dir()",
    "a signature": "read_file(path: str, lines: int)",
    "names of arguments": "read_file(path, lines)",
    "an ellipsis": "read_file({...})",
    "not JSON": "read_file({path})",
    "another bracket": 'read_file({"path": "a"]))',
    "the name alone": "read_file",
    "a name in words": "read_file is a tool, and (as you know) list_dir is one too.",
    "an object of something else": '{"name": "Anna", "age": 3}',
    "an object without arguments": '{"name": "read_file"}',
    "an object that names another": '{"name": "open_door", "arguments": {"which": "front"}}',
    "a list": "[1, 2, 3]",
    "a link": "[read_file](docs/tools.md) says more.",
    "a table": "| read_file({}) | reads |",
    "a marker in words": "Mistral writes [TOOL_CALLS] before a call.",
    "a marker that begins a line": "[TOOL_CALLS] is what Mistral writes.",
    "Llama's marker in code": "`<|python_tag|>` begins a call.",
    "a print": 'print("read_file")',
    "a heading": "# read_file({})",
    "an empty block": "```tool_code\n```",
    "a block that is never closed": '```json\n{"a": 1}',
    "a program that is all": "```python\nimport os\nprint(os.name)\n```",
    "the beginning of one": "I look:\nread_file(",
    "a short beginning of a marker": "I look:\n[TO",
    "cut off, an object of something else": '{"name": "Anna", "argu',
}


def shown(text: str, size: int, tools: tuple[str, ...] = TOOLS) -> tuple[str, int]:
    """What people see of a reply that comes in pieces of a size, and how often something was cut out."""
    stripper = Stripper(tools)
    pieces = [stripper.feed(text[at : at + size]) for at in range(0, len(text), size)]
    return "".join(pieces) + stripper.finish()[0], stripper.cut_calls


def test_the_tables_are_large_enough() -> None:
    assert len(CUT) >= 30
    assert len(STAY) >= 30


@pytest.mark.parametrize("name", CUT)
def test_a_call_that_is_written_down_is_cut(name: str) -> None:
    text, rest = CUT[name]
    for size in (1, 2, 3, 5, 8, len(text)):
        said, cut = shown(text, size)
        assert said == rest, size
        assert cut > 0


@pytest.mark.parametrize("name", STAY)
def test_anything_else_stays_as_it_is(name: str) -> None:
    text = STAY[name]
    for size in (1, 2, 3, 5, 8, len(text)):
        assert shown(text, size) == (text.strip("\n"), 0), size


@pytest.mark.parametrize("name", CUT)
def test_nothing_of_a_call_is_shown_while_it_comes(name: str) -> None:
    text, rest = CUT[name]
    stripper, said = Stripper(TOOLS), ""
    for char in text:
        said += stripper.feed(char)
        assert rest.startswith(said)


def test_without_tools_only_markers_are_understood() -> None:
    text = 'read_file({"path": "a"})\nYes.'
    assert shown(text, 3, ()) == (text, 0)
    assert shown('[TOOL_CALLS][{"name": "x", "arguments": {}}]\nYes.', 3, ()) == ("Yes.", 1)


def test_what_was_cut_is_counted() -> None:
    stripper = Stripper(TOOLS)
    stripper.feed('list_dir({})\nOne.\n<tool_call>{"a": 1}</tool_call>\nread_file({"path": "a"})')
    stripper.finish()
    assert (stripper.cut_calls, stripper.cut_characters) == (3, 12 + 8 + 24)


SNIPPETS = [
    *(text for text, _ in CUT.values()),
    *STAY.values(),
    *(
        "\n",
        "\n\n",
        " ",
        "Words. ",
        "`",
        "```",
        "```json\n",
        "\n```\n",
        "{",
        "[",
        "(",
        '"',
        "read_file(",
        "})",
        ";",
        "<",
    ),
    *("print(", "functions.", "<AGENT_DONE>", "</AGENT_DONE>", "<|python_tag|>", "[TOOL_CALLS]", "    ", "- "),
]
replies = st.lists(st.sampled_from(SNIPPETS), max_size=7).map("".join)


@settings(max_examples=150, deadline=None)
@given(replies, st.integers(1, 60))
def test_how_a_reply_is_split_makes_no_difference(text: str, size: int) -> None:
    whole = shown(text, len(text) + 1)
    assert shown(text, size) == whole
    assert shown(text, 1) == whole


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from('read_fil({"path": })[]`\n <;=,\\TOL|'), max_size=60), st.integers(1, 9))
def test_nor_does_it_for_a_heap_of_characters(text: str, size: int) -> None:
    assert shown(text, size) == shown(text, len(text) + 1)


@settings(max_examples=100, deadline=None)
@given(replies)
def test_what_is_shown_comes_from_the_reply_in_its_order(text: str) -> None:
    said, cut = shown(text, len(text) + 1)
    rest = iter(text)
    assert all(char in rest for char in said if not char.isspace()) or "AGENT" in text
    if not cut and "AGENT" not in text:
        assert said.split() == text.split() or text.rstrip().endswith(("<", "[TOOL_CALLS]"))


@pytest.mark.parametrize("extra", range(-3, 4))
def test_a_call_of_the_greatest_length_is_cut_and_a_longer_one_stays(extra: int) -> None:
    frame = 'read_file({"path": ""})'
    text = frame.replace('""', f'"{"x" * (MAX_CALL - len(frame) + extra)}"')
    for behind in ("", "\nYes.", "<AGENT_DONE>ok</AGENT_DONE>"):
        found = {shown(text + behind, size) for size in (50, 999, 100_000)}
        assert len(found) == 1
        assert (found.pop()[1] == 1) == (extra <= 0)


@pytest.mark.parametrize(
    "begin", ['read_file({"path": "', "read_file(path=[", '{"name": "read_file", "arguments": ["', "["]
)
def test_only_so_much_is_held_back(begin: str) -> None:
    stripper, said = Stripper(TOOLS), 0
    for fed, char in enumerate(begin + "1," * MAX_CALL, 1):
        said += len(stripper.feed(char))
        assert fed - said <= MAX_CALL + MAX_TAG


@pytest.mark.parametrize(
    "unit",
    [
        'read_file({"a": "b\n',
        "read_file(path=\n",
        "read_file(path=[\n",
        '{"name": "read_file", "arguments":\n',
        '[{"name":\n',
        "[\n",
        "{\n",
        "print(\n",
        "read_file({}) ",
        "```json\n",
        '```tool_code\nread_file({"a": 1})\n',
        "get_time_date()\n",
        "[TOOL_CALLS]\n",
        "a; ",
        'read_file(a=\\"',
        '{"name":\\"',
        "read_file(a=1) " + " " * 500,
        "<",
    ],
)
@pytest.mark.parametrize("piece", [7, 50, 40_000])
def test_time_is_linear_in_hostile_texts(unit: str, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in characters rather than seconds: those that are passed in looking for calls."""
    looked = 0
    found = Cursor.found

    def counted(self: Cursor, pattern: re.Pattern[str]) -> str:
        nonlocal looked
        passed = found(self, pattern)
        looked += 1 + len(passed)
        return passed

    monkeypatch.setattr(Cursor, "found", counted)
    counts = []
    for size in (10_000, 40_000):
        looked = 0
        shown((unit * size)[:size], piece)
        counts.append(looked)
    assert counts[1] <= 40_000 * 2 * MOST_DEEP


def test_behind_many_beginnings_no_call_is_looked_for_any_more() -> None:
    call = ' read_file({"path": "a"})'
    few, many = ('{"name":\\"' * (size // 9) for size in (100, 20_000))
    assert shown(f"{few}\n{call}", 50) == (few, 1)
    assert shown(f"{many}\n{call}", 50) == shown(f"{many}\n{call}", 40_000) == (f"{many}\n{call}", 0)
