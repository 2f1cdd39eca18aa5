from __future__ import annotations

import json
from pathlib import Path

import pytest

import bench.__main__ as command
from bench.frame import Bench, Frame, Row, Samples, discover, table


class Planted:
    """Does as if it measured."""

    NAME = "planted"

    def __init__(self, *rows: Row) -> None:
        self.rows = list(rows)

    def run(self, frame: Frame) -> list[Row]:
        return self.rows


GOOD = Row("fast", 2.0, "µs", 2.0, "bare", 5.0, ok=True)
BAD = Row("slow", 6.0, "µs", 6.0, "bare", 5.0, ok=False)


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Planted:
    plant = Planted(GOOD)
    benches: dict[str, Bench] = {"planted": plant}
    monkeypatch.setattr(command, "discover", lambda: benches)
    return plant


def test_every_bench_is_found_by_its_name() -> None:
    found = discover()
    assert "engine" in found
    assert all(name == bench.NAME and bench.__doc__ for name, bench in found.items())


def test_a_ratio_is_the_middle_one_of_those_within_each_round() -> None:
    # The third round was slow for both; medians of their own would give 8/2.
    samples = Samples({"ours": [6.0, 8.0, 90.0], "limit": [2.0, 2.0, 30.0]}, "ms")
    assert samples.row("ours", "limit", bar=3.0) == Row("ours", 8.0, "ms", 3.0, "limit", 3.0, ok=True)
    assert not samples.row("ours", "limit", bar=2.9).ok
    assert samples.row("limit") == Row("limit", 2.0, "ms")


def test_contenders_take_turns_in_going_first() -> None:
    order: list[str] = []

    def measure(name: str) -> float:
        order.append(name)
        return 1.0

    samples = Frame(rounds=3).compare({name: lambda name=name: measure(name) for name in "abc"}, "ms")  # type: ignore[misc]  # mypy cannot tell a lambda's default
    assert "".join(order) == "abc" + "abc" + "bca" + "cab"
    assert samples.median("a") == 1.0


def test_processor_time_is_measured_per_unit_of_work() -> None:
    async def spin() -> None:
        for _ in range(200_000):
            pass

    samples = Frame(rounds=3).compare_cpu({"one": spin, "two": spin}, per=100)
    assert samples.median("one") > 0
    assert 0.2 < samples.ratio("two", "one") < 5


def test_a_table_says_what_was_missed() -> None:
    lines = table("planted", [GOOD, BAD, Row("alone", 1.5, "MiB")]).splitlines()
    assert lines[0] == "== planted"
    assert lines[2].split() == ["fast", "2", "µs", "2.00x", "bare", "<=", "5x", "ok"]
    assert lines[3].split()[-1] == "MISSED"
    assert lines[4].split() == ["alone", "1.5", "MiB"]


@pytest.mark.parametrize(("rows", "code"), [([GOOD], 0), ([GOOD, BAD], 1)])
def test_a_bar_that_is_not_met_fails_the_run(planted: Planted, rows: list[Row], code: int) -> None:
    planted.rows = rows
    assert command.main([]) == code


def test_figures_are_written_as_json(planted: Planted, tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    assert command.main(["planted", "--rounds", "7", "--json", str(path)]) == 0
    found = json.loads(path.read_text())
    assert found["rounds"] == 7
    assert found["benches"]["planted"][0] == {
        "name": "fast",
        "value": 2.0,
        "unit": "µs",
        "ratio": 2.0,
        "limit_name": "bare",
        "bar": 5.0,
        "ok": True,
    }


def test_a_list_runs_nothing(planted: Planted, capsys: pytest.CaptureFixture[str]) -> None:
    planted.rows = [BAD]
    assert command.main(["--list"]) == 0
    assert capsys.readouterr().out.split() == ["planted", "Does", "as", "if", "it", "measured."]


@pytest.mark.parametrize("argv", [["ghost"], ["--rounds", "0"]])
def test_what_makes_no_sense_is_refused(planted: Planted, argv: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        command.main(argv)
    assert caught.value.code == 2
