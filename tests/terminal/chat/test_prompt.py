"""The line of a talk takes what was typed before it was there, and leaves nothing on a window that becomes narrower."""

from __future__ import annotations

import asyncio

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Point, Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.layout.screen import Char, Screen
from prompt_toolkit.output import DummyOutput
from prompt_toolkit.renderer import Renderer
from prompt_toolkit.styles import Style

from sulla.host.system import SystemClock
from sulla.terminal.chat.orders import Known
from sulla.terminal.chat.prompt import GREETING, Around, TalkPrompt
from sulla.terminal.keyboard import follow_width
from sulla.terminal.place import terminal_reflows
from sulla.terminal.wrap import added_rows


@pytest.mark.parametrize(
    ("before", "meanwhile", "sent"),
    [
        ("one\n", "", "one"),
        ("", "one\r", "one"),
        ("one\nyes\n", "", "one\nyes\n and no"),
        ("one\n", "yes\r", "one\nyes\n and no"),
        ("", "one\ryes\r", "one\nyes\n and no"),
        ("", "\x1b[200~one\ryes\r\x1b[201~", "one\nyes\n and no"),
    ],
)
async def test_lines_that_come_before_the_first_prompt_stand_in_it_and_a_single_one_is_sent(
    before: str, meanwhile: str, sent: str
) -> None:
    drawn = asyncio.Event()

    def label() -> str:
        drawn.set()
        return "you> "

    around = Around(list, label, Known, lambda _: "leave", lambda _: None, lambda _: None)
    with create_pipe_input() as keyboard, create_app_session(input=keyboard):
        keyboard.send_text(before)  # as the system passes it on, which took it until then
        prompt = TalkPrompt(SystemClock(), around, [])
        with prompt.kept_raw():
            keyboard.send_text(meanwhile)
            async with asyncio.TaskGroup() as group:
                reading = group.create_task(prompt.read())
                await drawn.wait()
                keyboard.send_text(" and no\r")
    typed = reading.result()
    assert typed is not None
    assert typed.text == sent


@pytest.mark.parametrize(("before", "said"), [("half of next", f"\n{GREETING}\n"), ("", f"{GREETING}\n")])
async def test_the_greeting_stands_below_what_was_typed_ahead(
    capsys: pytest.CaptureFixture[str], before: str, said: str
) -> None:
    around = Around(list, lambda: "you> ", Known, lambda _: "leave", lambda _: None, lambda _: None)
    with create_pipe_input() as keyboard, create_app_session(input=keyboard):
        keyboard.send_text(before)
        prompt = TalkPrompt(SystemClock(), around, [])
        with prompt.kept_raw(GREETING):
            assert capsys.readouterr().err == said
        keyboard.flush()


@pytest.mark.parametrize(
    ("widths", "columns", "more"),
    [([], 60, 0), ([60], 60, 0), ([61], 60, 1), ([99, 99, 12], 50, 2), ([120, 121], 60, 1 + 2), ([5], 0, 4)],
)
def test_a_row_takes_up_as_many_rows_as_it_is_broken_into(widths: list[int], columns: int, more: int) -> None:
    assert added_rows(widths, columns) == more


@pytest.mark.parametrize(
    ("environ", "reflows"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm", "XTERM_VERSION": "XTerm(379)"}, False),
        ({"TERM": "linux"}, False),
        ({"TERM": "screen"}, False),
        ({"TERM": "screen-256color", "TMUX": "a socket"}, True),
    ],
)
def test_terminals_that_cut_their_rows_are_known(
    monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], reflows: bool
) -> None:
    for name in ("TMUX", "XTERM_VERSION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert terminal_reflows() is reflows


class _Narrow(DummyOutput):
    """A terminal that has become narrower since something was drawn."""

    def __init__(self) -> None:
        self.columns = 100
        self.up = 0

    def get_size(self) -> Size:
        return Size(rows=24, columns=self.columns)

    def cursor_up(self, amount: int) -> None:
        self.up += amount


@pytest.mark.parametrize(("columns", "up"), [(100, 2), (140, 2), (60, 3), (30, 5)])
def test_the_line_editor_goes_up_to_where_its_first_row_begins_now(columns: int, up: int) -> None:
    output = _Narrow()
    renderer = Renderer(Style([]), output)
    renderer._last_screen, renderer._last_size, renderer._cursor_pos = Screen(), output.get_size(), Point(12, 2)
    for y, wide in enumerate((90, 50)):
        renderer._last_screen.data_buffer[y].update({x: Char("x") for x in range(wide)})
        renderer._last_screen.data_buffer[y].update({x: Char(" ") for x in range(wide, 100)})
    follow_width(renderer, output)
    output.columns = columns
    renderer.erase()
    assert output.up == up
