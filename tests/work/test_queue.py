"""Which job may start, and that no log is ever worked on twice at once."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from sulla.work.base import Group, Job
from sulla.work.queue import JobCaps, JobQueue


def test_jobs_start_in_the_order_they_came() -> None:
    desk = JobQueue(JobCaps())
    for name in "abc":
        desk.add(Job(name), Group("agent"))
    assert [job.key for _ in range(3) if (job := desk.take())] == ["a", "b", "c"]
    assert desk.take() is None


def test_a_log_that_is_worked_on_gets_one_more_look_afterwards() -> None:
    desk = JobQueue(JobCaps())
    desk.add(Job("a"), Group("agent"))
    job = desk.take()
    assert job is not None
    desk.add(Job("a"), Group("agent"))
    desk.add(Job("a"), Group("agent"))
    assert desk.take() is None
    desk.done(job)
    assert desk.take() == Job("a")
    desk.done(job)
    assert desk.take() is None


def test_a_busy_agent_does_not_hold_up_another() -> None:
    desk = JobQueue(JobCaps(total=16, per_agent=2))
    for name in "abc":
        desk.add(Job(name), Group("busy"))
    desk.add(Job("d"), Group("idle"))
    assert [job.key for _ in range(4) if (job := desk.take())] == ["a", "b", "d"]


def test_no_more_than_the_total_run() -> None:
    desk = JobQueue(JobCaps(total=2, per_agent=5))
    for name in "abc":
        desk.add(Job(name), Group(name))
    first = desk.take()
    assert first is not None
    assert desk.take() is not None
    assert desk.take() is None
    desk.done(first)
    assert desk.take() == Job("c")


def test_children_have_a_cap_of_their_own_so_that_who_waits_for_them_can_go_on() -> None:
    desk = JobQueue(JobCaps(total=16, per_agent=2, children=3))
    for name in "abcd":
        desk.add(Job(name), Group("sulla", "child"))
    for name in "xyz":
        desk.add(Job(name), Group("sulla"))
    assert [job.key for _ in range(7) if (job := desk.take())] == ["a", "b", "c", "x", "y"]
    desk.done(Job("a"))
    assert desk.take() == Job("d")


@pytest.mark.parametrize(
    ("kind", "caps"),
    [("play", JobCaps(total=1, per_agent=1, plays=2)), ("step", JobCaps(total=1, per_agent=1, steps=2))],
)
def test_playbooks_and_their_steps_have_caps_of_their_own_and_take_nobodys_place(
    kind: Literal["play", "step"], caps: JobCaps
) -> None:
    desk = JobQueue(caps)
    for name in "abc":
        desk.add(Job(name), Group("sulla", kind))
    desk.add(Job("turn"), Group("sulla"))
    assert [job.key for _ in range(4) if (job := desk.take())] == ["a", "b", "turn"]
    desk.done(Job("b"))
    assert desk.take() == Job("c")
    assert desk.take() is None


def test_a_playbook_whose_agents_work_keeps_its_place_and_one_that_waits_for_time_does_not() -> None:
    queue = JobQueue(JobCaps(plays=1))
    for play in ("tea", "cake"):
        queue.add(Job(play), Group("sulla", "play"))
    assert queue.take() == Job("tea")
    queue.add(Job("boil"), Group("sulla", "step", "tea"))
    queue.done(Job("tea"))
    assert [queue.take(), queue.take()] == [Job("boil"), None]
    queue.add(Job("tea"), Group("sulla", "play"))
    queue.done(Job("boil"))
    assert [queue.take(), queue.take()] == [Job("cake"), None]
    queue.done(Job("cake"))
    assert queue.take() == Job("tea")


class Desk(RuleBasedStateMachine):
    """Random work under small caps: nothing is lost, doubled or starved."""

    def __init__(self) -> None:
        super().__init__()
        self.desk = JobQueue(JobCaps(total=3, per_agent=2))
        self.running: dict[str, Job] = {}
        self.wanted: set[str] = set()

    @rule(key=st.sampled_from("abcdefgh"))
    def add(self, key: str) -> None:
        self.desk.add(Job(key), Group(key if key < "e" else "shared"))
        self.wanted.add(key)

    @rule()
    def take(self) -> None:
        job = self.desk.take()
        if job is not None:
            assert job.key not in self.running
            self.running[job.key] = job
            self.wanted.discard(job.key)

    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        if self.running:
            key = data.draw(st.sampled_from(sorted(self.running)))
            self.desk.done(self.running.pop(key))

    @invariant()
    def caps_hold(self) -> None:
        assert len(self.running) <= 3
        assert sum(key >= "e" for key in self.running) <= 2

    def teardown(self) -> None:
        for _ in range(100):
            for key in list(self.running):
                self.desk.done(self.running.pop(key))
            self.take()
        assert not self.wanted


TestDesk = Desk.TestCase
TestDesk.settings = settings(max_examples=50, stateful_step_count=40, deadline=None)


@given(keys=st.lists(st.sampled_from("ab"), max_size=20))
def test_a_second_wish_for_a_waiting_log_is_the_same_wish(keys: list[str]) -> None:
    desk = JobQueue(JobCaps())
    for key in keys:
        desk.add(Job(key), Group("g"))
    taken = [job.key for _ in range(30) if (job := desk.take())]
    assert sorted(taken) == sorted(set(keys))
