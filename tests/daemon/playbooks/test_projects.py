"""A fresh home has a project on which real work is done without a language model."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.daemon.running import AFRESH, PATIENCE_S, Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "home", SULLA_MODEL="offline")


def test_the_tour_is_worked_off_task_by_task(place: Place) -> None:
    with place.up() as daemon:
        file = place.home / "projects" / "tour" / "PROJECT.md"
        before = file.read_text()
        headers = {"Authorization": f"Bearer {(place.home / 'token').read_text().strip()}"}
        with httpx.Client(
            base_url=daemon.url, headers=headers, trust_env=False, timeout=PATIENCE_S, limits=httpx.Limits(**AFRESH)
        ) as http:
            assert [row["open"] for row in http.get("/api/projects").json()["projects"]] == [3]
            refused = http.post("/api/threads", json={"project": "turo"})
            assert refused.status_code == 404
            thread = http.post("/api/threads", json={"project": "tour"}).json()["thread_id"]
            assert http.get(f"/api/threads/{thread}").status_code == 200
            for left in (2, 1, 0):
                said = place.ask("work on tour")[1]
                assert "A task of tour is done: " in said, said
                about = http.get("/api/projects/tour").json()["about"]
                assert (about["open"], about["trouble"]) == (left, "")
            assert "worded like a request" in place.ask("work on tour")[1]
        hello = place.home / "workspace" / "tour" / "hello.md"
        assert hello.read_text().startswith("Hello from Sulla.")
        after = file.read_text().splitlines()
        changed = [line for line in before.splitlines() if line not in after]
        assert [line[:6] for line in changed] == ["- [ ] "] * 3
        assert [line[:6] for line in after if line not in before.splitlines()] == ["last_a", *["- [x] "] * 3]


def test_a_home_that_has_projects_gets_none(place: Place) -> None:
    (place.home / "projects").mkdir(parents=True)
    with place.up():
        assert list((place.home / "projects").iterdir()) == []
