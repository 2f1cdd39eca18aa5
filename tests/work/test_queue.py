"""Which job may start, and that no log is ever worked on twice at once."""

from __future__ import annotations

from collections import Counter
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


def test_a_second_wish_for_a_log_that_waits_takes_the_place_of_the_first() -> None:
    desk = JobQueue(JobCaps())
    for job in (Job("a", mark="1"), Job("b"), Job("a", mark="2")):
        desk.add(job, Group("agent"))
    assert [desk.take(), desk.take(), desk.take()] == [Job("a", mark="2"), Job("b"), None]


def test_a_job_that_finds_no_place_outside_is_the_next_one_and_holds_up_only_its_own_kind() -> None:
    desk = JobQueue(JobCaps(total=2, per_agent=1))
    for name, agent in (("a", "clerk"), ("b", "clerk"), ("c", "guide")):
        desk.add(Job(name), Group(agent))
    first = desk.take()
    assert first == Job("a")
    desk.put_back(first, "agent clerk")
    assert [desk.take(), desk.take()] == [Job("c"), None]
    assert desk.reopen()
    assert [desk.take(), desk.take()] == [Job("a"), None]
    assert not desk.reopen()


def test_a_playbook_that_finds_no_place_outside_holds_none_here() -> None:
    desk = JobQueue(JobCaps(plays=1))
    for name in ("a", "b"):
        desk.add(Job(name), Group("", "play"))
    first = desk.take()
    assert first is not None
    desk.put_back(first, "play")
    desk.reopen()
    assert desk.take() == Job("a")
    desk.done(Job("a"))
    assert desk.take() == Job("b")


def test_what_is_asked_of_a_log_before_its_job_is_put_back_is_the_job_that_waits() -> None:
    desk = JobQueue(JobCaps())
    desk.add(Job("a", mark="1"), Group("agent"))
    first = desk.take()
    assert first is not None
    desk.add(Job("a", mark="2"), Group("agent"))
    desk.put_back(first, "all")
    desk.reopen()
    assert [desk.take(), desk.take()] == [Job("a", mark="2"), None]
    assert desk.group("a") == Group("agent")


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


def test_a_turn_that_is_passed_on_counts_for_the_agent_that_goes_on_with_it() -> None:
    desk = JobQueue(JobCaps(total=16, per_agent=2))
    for name in "abc":
        desk.add(Job(name), Group("router"))
    desk.add(Job("x"), Group("clerk"))
    assert [job.key for _ in range(4) if (job := desk.take())] == ["a", "b", "x"]
    assert (desk.pass_to("a", "clerk"), desk.passed()) == (True, ("a",))
    assert (desk.take(), desk.take()) == (Job("c"), None)  # the router has a place again
    assert (desk.pass_to("b", "clerk"), desk.passed()) == (True, ())
    desk.done(Job("x"))
    assert desk.passed() == ("b",)


def test_two_agents_without_room_that_pass_turns_to_each_other_hold_nobody_up() -> None:
    desk = JobQueue(JobCaps(total=2, per_agent=1))
    desk.add(Job("a"), Group("tick"))
    desk.add(Job("b"), Group("tock"))
    assert (desk.take(), desk.take()) == (Job("a"), Job("b"))
    assert (desk.pass_to("a", "tock"), desk.passed()) == (True, ())
    assert (desk.pass_to("b", "tick"), desk.passed()) == (True, ("a", "b"))


def test_a_turn_that_ends_as_it_waits_for_a_place_gives_back_what_it_has() -> None:
    desk = JobQueue(JobCaps(total=2, per_agent=1))
    desk.add(Job("a"), Group("router"))
    desk.add(Job("b"), Group("clerk"))
    assert (desk.take(), desk.take()) == (Job("a"), Job("b"))
    assert (desk.pass_to("a", "clerk"), desk.passed()) == (True, ())
    desk.done(Job("a"))
    desk.done(Job("b"))
    for name, agent in (("c", "clerk"), ("d", "router")):
        desk.add(Job(name), Group(agent))
    assert (desk.take(), desk.take()) == (Job("c"), Job("d"))


def test_what_is_no_turn_of_a_conversation_is_passed_on_without_a_place() -> None:
    desk = JobQueue(JobCaps(per_agent=1))
    desk.add(Job("a"), Group("clerk"))
    desk.add(Job("b"), Group("router", "child"))
    assert (desk.take(), desk.take()) == (Job("a"), Job("b"))
    assert not desk.pass_to("b", "clerk")


class Desk(RuleBasedStateMachine):
    """Random work under small caps: nothing is lost, doubled or starved."""

    def __init__(self) -> None:
        super().__init__()
        self.desk = JobQueue(JobCaps(total=3, per_agent=2))
        self.running: dict[str, Job] = {}
        self.wanted: set[str] = set()
        self.speaks: dict[str, str] = {}
        self.waits: set[str] = set()

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
            self.speaks[job.key] = job.key if job.key < "e" else "shared"
            self.wanted.discard(job.key)

    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        if self.running:
            key = data.draw(st.sampled_from(sorted(self.running)))
            self.waits.discard(key)
            self.desk.done(self.running.pop(key))

    @rule(data=st.data(), agent=st.sampled_from(["a", "b", "shared"]))
    def pass_on(self, data: st.DataObject, agent: str) -> None:
        if self.running:
            key = data.draw(st.sampled_from(sorted(self.running)))
            if self.desk.pass_to(key, agent):
                self.waits.add(key)
            self.speaks[key] = agent

    @rule()
    def give(self) -> None:
        self.waits.difference_update(self.desk.passed())
        at_work = Counter(self.speaks[key] for key in self.running if key not in self.waits)
        assert not self.waits or all(at_work[self.speaks[key]] == 2 for key in self.waits)

    @invariant()
    def caps_hold(self) -> None:
        assert len(self.running) <= 3
        at_work = Counter(self.speaks[key] for key in self.running if key not in self.waits)
        assert max(at_work.values(), default=0) <= 2

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
