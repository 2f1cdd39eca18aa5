from __future__ import annotations

import math
from pathlib import Path

import pytest

from bench import turns_end
from bench.turns import __main__ as command
from bench.turns import data
from bench.turns.data import Line


def _line(text: str, pause_ms: int | None) -> Line:
    return Line("d001", "ds001", "cut", text, None, complete=pause_ms is None, pause_ms=pause_ms)


LINES = [*(_line("stop", None) for _ in range(4)), *(_line("the", pause) for pause in (100, 400, 1_600, 3_000))]


def test_who_is_silent_for_longer_than_is_waited_is_cut_off() -> None:
    assert turns_end.cut_off(LINES, lambda _: 1_500) == 2
    assert turns_end.dead_air(LINES, lambda _: 1_500) == [1_500] * 4


def test_the_sweep_gives_the_least_dead_air_that_cuts_off_no_more() -> None:
    assert math.isclose(turns_end.swept(LINES, lambda _: 1_000, 0.5), 400)
    assert math.isclose(turns_end.swept(LINES, lambda _: 1_000, 0.25), 1_600)
    assert turns_end.swept(LINES, lambda _: 100, 0.0) == math.inf


def test_the_bounds_hold_the_share() -> None:
    low, high = turns_end.bounds(9, 10)
    assert 0.55 < low < 0.9 < high < 1.0
    assert turns_end.bounds(0, 10)[0] < 1e-9


def test_a_detector_that_is_worse_than_promised_misses_its_bar() -> None:
    rows = {row.name: row for row in turns_end.rows_of("x", [_line("turn on the", None), *LINES], judged=True)}
    assert not rows["x, detector: complete missed"].ok
    assert rows["x, detector: false complete"].ok


def test_whoever_writes_rules_sees_totals_of_every_file_but_the_heldout_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data, "heldout", lambda: pytest.fail("the held-out half was read"))
    assert command.main(["more", "trial"]) == 0
    printed = capsys.readouterr().out
    assert "more, detector: recall" in printed
    assert "trial, adaptive: cut off" in printed
    with pytest.raises(SystemExit):
        command.main(["heldout"])
    assert "no file named 'heldout'" in capsys.readouterr().err


def test_a_further_file_is_measured_and_the_heldout_half_is_refused_as_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = tmp_path / "new.tsv"
    new.write_text(
        "\t".join(data.COLUMNS)
        + "\nn1_001\tns1_001\tcommand\tlights off\t\tcomplete\t"
        + "\nn1_002\tns1_002\tcommand\tturn on the\t\tincomplete\t400\n"
    )
    assert command.main([str(new)]) == 0
    assert f"{new}, detector: recall" in capsys.readouterr().out
    copied = tmp_path / "copied.tsv"
    copied.write_bytes((Path(data.__file__).parent / "heldout.tsv").read_bytes())
    for path, complaint in ((copied, "is the held-out half"), (tmp_path / "none.tsv", "cannot be read")):
        with pytest.raises(SystemExit):
            command.main([str(path)])
        assert complaint in capsys.readouterr().err
