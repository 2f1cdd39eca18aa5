"""The daemon's log and the audit log, page by page, for whoever may see all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sulla.core.errors import InvalidInput, NotAvailable
from sulla.daemon.console.log_reading import LogReading
from sulla.gateway.methods.logs import AuditRead, LogRead

ROOM = 10**6


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    entries = [
        {
            "at": f"2027-01-15T08:00:0{number}.000Z",
            "level": ("info", "warning", "error")[number % 3],
            "logger": "sulla",
            "event": f"Straße {number}",
            "thread_id": f"thr_{number % 2}",
            "took_s": number,
        }
        for number in range(6)
    ]
    text = "".join(f"{json.dumps(entry)}\n" for entry in entries)
    (tmp_path / "logs" / "daemon.jsonl").write_text(text + 'not JSON\n["no entry"]\n')
    done = [
        {"at": "a", "token": "ann", "method": "thread.delete", "code": "ok", "about": {"thread_id": "thr_1"}},
        {"at": "b", "token": "bob", "method": "turn.send", "code": "forbidden", "count": 7},
    ]
    (tmp_path / "audit.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in done))
    return tmp_path


async def test_the_newest_come_first_and_pages_join(home: Path) -> None:
    found: list[str] = []
    before: str | None = None
    while True:
        page = await LogReading(home).log(LogRead(before=before, limit=4), ROOM)
        found += [entry.text for entry in page.entries]
        before = page.next
        if before is None:
            break
    assert found == [f"Straße {number}" for number in range(5, -1, -1)]


async def test_only_what_is_asked_for_comes(home: Path) -> None:
    async def texts(**asked: str) -> list[str]:
        page = await LogReading(home).log(LogRead.model_validate(asked), ROOM)
        return [entry.text[-1] for entry in page.entries]

    assert await texts(level="warning") == ["5", "4", "2", "1"]
    assert await texts(level="error", thread_id="thr_1") == ["5"]
    assert await texts(words="straße 3") == ["3"]
    assert await texts(words="nothing") == []


async def test_an_entry_has_all_that_was_written(home: Path) -> None:
    (entry,) = (await LogReading(home).log(LogRead(words="Straße 5"), ROOM)).entries
    assert (entry.at, entry.level, entry.logger, entry.thread_id, entry.run_id) == (
        *("2027-01-15T08:00:05.000Z", "error", "sulla", "thr_1", ""),
    )
    assert entry.more == {"took_s": 5}


async def test_a_page_is_cut_by_size_but_never_empty(home: Path) -> None:
    page = await LogReading(home).log(LogRead(), 1)
    assert [entry.text for entry in page.entries] == ["Straße 5"]
    assert page.next is not None


async def test_the_audit_log_is_read_by_token_and_thread(home: Path) -> None:
    reading = LogReading(home)
    assert [one.token for one in (await reading.audit(AuditRead(), ROOM)).entries] == ["bob", "ann"]
    (bobs,) = (await reading.audit(AuditRead(by="bob"), ROOM)).entries
    assert (bobs.code, bobs.about, bobs.more) == ("forbidden", {}, {"count": 7})
    (anns,) = (await reading.audit(AuditRead(thread_id="thr_1"), ROOM)).entries
    assert anns.about == {"thread_id": "thr_1"}


@pytest.mark.parametrize("before", ["x", "1", "1.", ".1", "1.x", "\uff11.\uff12"])
async def test_a_place_that_no_page_gave_is_refused(home: Path, before: str) -> None:
    with pytest.raises(InvalidInput, match="what the page before gave"):
        await LogReading(home).log(LogRead(before=before), ROOM)


async def test_a_file_that_cannot_be_read_is_named(home: Path) -> None:
    (home / "audit.jsonl").unlink()
    (home / "audit.jsonl").mkdir()
    with pytest.raises(NotAvailable, match=r"audit\.jsonl"):
        await LogReading(home).audit(AuditRead(), ROOM)
