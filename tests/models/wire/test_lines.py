"""JSON lines, however the bytes are cut."""

from __future__ import annotations

from sulla.models.wire.lines import LineReader


def test_lines_come_out_whole_wherever_they_are_cut() -> None:
    stream = '{"a": "\\n"}\n\n  \r\n{"b": "🙂"}\r\n{"c"'.encode()
    for size in range(1, len(stream) + 1):
        reader = LineReader()
        found = [line for start in range(0, len(stream), size) for line in reader.feed(stream[start : start + size])]
        assert found == [b'{"a": "\\n"}', '{"b": "🙂"}\r'.encode()]
        assert reader.rest == b'{"c"'
