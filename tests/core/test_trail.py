"""Whose work is done is known wherever the work leads, and nowhere else."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from sulla.core.trail import here, trail


def test_nothing_is_known_at_the_beginning() -> None:
    assert dict(here()) == {}


def test_what_is_said_holds_inside_and_adds_to_what_was_said_around_it() -> None:
    with trail(thread_id="thr_1"):
        with trail(run_id="run_1"):
            assert dict(here()) == {"thread_id": "thr_1", "run_id": "run_1"}
        assert dict(here()) == {"thread_id": "thr_1"}
    assert dict(here()) == {}


def test_an_empty_name_says_nothing() -> None:
    with trail(thread_id="thr_1"), trail(thread_id="", run_id=""):
        assert dict(here()) == {"thread_id": "thr_1"}


def test_it_is_forgotten_when_the_work_fails() -> None:
    try:
        with trail(thread_id="thr_1"):
            raise ValueError
    except ValueError:
        assert dict(here()) == {}


def test_another_thread_does_not_know() -> None:
    with trail(thread_id="thr_1"), ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: dict(here())).result() == {}
