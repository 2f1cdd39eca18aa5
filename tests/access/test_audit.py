from __future__ import annotations

import errno
import json
import logging
import os
import stat
from pathlib import Path

import pytest

from sulla.access.audit import FILE, FILES, AuditLog
from sulla.core.redact import Redactor

TOKEN = "sulla_" + "x" * 43


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def log(tmp_path: Path) -> AuditLog:
    return AuditLog(tmp_path, Redactor(["a known secret"]))


def test_an_entry_is_in_the_file_as_soon_as_it_is_written(log: AuditLog, tmp_path: Path) -> None:
    log.write({"method": "turn.send", "code": "ok"})
    assert lines(tmp_path / FILE) == [{"method": "turn.send", "code": "ok"}]
    log.write({"method": "turn.stop"})
    assert len(lines(tmp_path / FILE)) == 2


def test_it_is_its_owners_alone_whatever_it_was_before(log: AuditLog, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"before":1}\n')
    (tmp_path / FILE).chmod(0o666)
    log.write({"after": 1})
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    assert lines(tmp_path / FILE) == [{"before": 1}, {"after": 1}]


def test_no_secret_is_in_it_known_or_by_its_form(log: AuditLog, tmp_path: Path) -> None:
    log.write({"about": {"thread_id": TOKEN, TOKEN: "a known secret"}, "request_id": f"x{TOKEN}"})
    text = (tmp_path / FILE).read_text()
    assert TOKEN not in text
    assert "a known secret" not in text
    assert text.count("[redacted]") == 4


def test_an_entry_is_one_line_whatever_is_in_it(log: AuditLog, tmp_path: Path) -> None:
    log.write({"request_id": "a\nb\u2028c\udc80"})
    assert lines(tmp_path / FILE) == [{"request_id": "a\nb\u2028c\udc80"}]
    assert (tmp_path / FILE).read_bytes().isascii()


def test_a_full_file_is_put_aside_and_so_many_are_kept(tmp_path: Path) -> None:
    log = AuditLog(tmp_path, Redactor(), file_bytes=100)
    for number in range(3 * FILES):
        log.write({"number": number, "padding": "x" * 60})
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == sorted([FILE, *(f"{FILE}.{number}" for number in range(1, FILES))])
    newest_first = [FILE, *(f"{FILE}.{number}" for number in range(1, FILES))]
    assert [lines(tmp_path / name)[0]["number"] for name in newest_first] == [3 * FILES - 1 - n for n in range(FILES)]


def test_what_was_there_at_the_start_counts_towards_the_size(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("x" * 99 + "\n")
    log = AuditLog(tmp_path, Redactor(), file_bytes=100)
    log.write({"n": 1})
    log.write({"n": 2})
    assert (tmp_path / f"{FILE}.1").read_text().startswith("xxx")


def test_a_link_is_not_followed(log: AuditLog, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("")
    (tmp_path / FILE).symlink_to(tmp_path / "elsewhere")
    log.write({"n": 1})
    assert log.failing
    assert (tmp_path / "elsewhere").read_text() == ""


def test_if_it_cannot_be_written_that_is_said_once_and_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    log = AuditLog(tmp_path / "later", Redactor())
    for number in range(3):
        log.write({"n": number})
    assert (log.failing, log.failed) == (True, 3)
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    (tmp_path / "later").mkdir()
    log.write({"n": 4})
    assert (log.failing, log.failed) == (False, 3)
    assert lines(tmp_path / "later" / FILE) == [{"n": 4}]
    assert "3 entries are missing" in caplog.text


def test_a_disk_that_fills_up_within_a_line_does_not_spoil_the_next_one(
    log: AuditLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, full = os.write, [True]

    def short(handle: int, data: bytes) -> int:
        if full.pop() if full else False:
            return write(handle, data[:5])
        return write(handle, data)

    monkeypatch.setattr(os, "write", short)
    log.write({"n": 1})
    assert log.failing
    log.write({"n": 2})
    assert (tmp_path / FILE).read_text().splitlines()[-1] == '{"n":2}'
    assert not log.failing


def test_a_full_disk_is_survived(log: AuditLog, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    log.write({"n": 1})
    assert log.failing
