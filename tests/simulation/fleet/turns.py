"""What workers do with the jobs that they have taken: leases, steps, writes, and what follows from them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from sulla.agent.limits.limits import RunLimits
from sulla.core.errors import StaleLease, StoreUnavailable
from sulla.store.requests import AppendRequest
from sulla.store.values import Lease, Status
from sulla.threads.bounds import ThreadLimits
from sulla.threads.held_lease import BACKOFF_S, HeldLease
from sulla.work.base import Job
from sulla.work.dbos.judgement import BEAT_S
from sulla.work.dbos.wishes import Wish
from tests.simulation.fleet.plan import HOUR_S
from tests.simulation.fleet.session import Run, Session, Wait
from tests.simulation.fleet.store import DRAFT
from tests.simulation.fleet.worker import Worker
from tests.simulation.fleet.world import World, head

TTL_S = ThreadLimits().lease_ttl_s
_CRASHES = RunLimits().crashes
_FREED_S = 5.0
_MOST_S = 900.0
_LATER_S = 0.001
_STEP_MEDIAN_S = {"t": 50.0, "b": 40.0, "c": 60.0}
_CHILD, _PERSON = 0.06, 0.02
"""How often a person's turn sets a sub-agent to work, and how often it asks somebody who takes hours."""


def drawn(rng: Random, kind: str) -> Run:
    """A turn's course: one to three steps, of which few take minutes, and whom it waits for."""
    steps = [min(_MOST_S, rng.lognormvariate(0.0, 0.8) * _STEP_MEDIAN_S[kind]) for _ in range(rng.choice((1, 1, 2, 3)))]
    waits: dict[int, Wait] = {}
    if kind == "t" and (draw := rng.random()) < _CHILD + _PERSON:
        waits[1] = "child" if draw < _CHILD else "person"
        steps.append(steps[0] / 2)
    return Run(steps, waits)


class Turns:
    """Does what `JobRunner`, `Turns` and `ThreadSession` do, on virtual time.

    Args:
        world: what there is.
        send: takes a wish.
        finished: is told that a worker's job is over.
    """

    def __init__(
        self, world: World, send: Callable[[Wish], None], finished: Callable[[Worker, str, str], None]
    ) -> None:
        self._world = world
        self._events = world.events
        self._store = world.store
        self._truth = world.truth
        self._send = send
        self._finished = finished
        self._children = 0
        self._owed: dict[str, str] = {}
        """Which thread waits for a child."""

    # ---------------------------------------------------------------------------------------------------------- jobs

    def start(self, worker: Worker) -> None:
        """Have a worker begin what it has a place for, as `JobRunner` does."""
        if worker.starting:
            return
        worker.starting = True
        while worker.awake and not worker.held and (job := worker.queue.take()) is not None:
            self._truth.started(worker.name, self._world.group_of(job.key), self._events.now)
            self._begin(worker, job)
        worker.starting = False

    def _begin(self, worker: Worker, job: Job) -> None:
        now, key = self._events.now, job.key
        before = self._world.sessions.get(key)
        if before is not None:
            before.catch_up(self._store, now)
        asked_s = now
        try:
            self._free(worker, key)
            log = self._store.acquire(key, worker.owner, TTL_S, now)
        except StoreUnavailable:
            self._end_job(worker, job, failed=True)
            return
        if log is None:
            self._end_job(worker, job)
            return
        lease = Lease(key, log.owner, log.epoch, TTL_S, log.life)
        held = HeldLease(lease, asked_s + TTL_S)
        session = Session(worker.number, job, held, now + held.first_renewal_s(now), log.last_seq)
        self._truth.granted(session, now)
        if before is not None and not before.over:
            before.taken_s = now
            self._truth.figures.counts["leases taken from who lived"] += 1
            self._events.at(before.next_renewal_s, self._find_out, self._world.workers[before.worker], before)
        self._world.sessions[key] = worker.sessions[key] = session
        self._take_over(worker, session)

    def _free(self, worker: Worker, key: str) -> None:
        """End the lease of a home that this worker takes for dead (`threads/given_back.py`)."""
        now, log = self._events.now, self._store.logs[key]
        beat = worker.last_beat(now)
        for other in self._world.silent.values():
            if other is worker or other.home != log.owner.partition(":")[0] or not other.is_suspect(beat):
                continue
            if not worker.judgement.beat(beat, BEAT_S) or not self._store.is_held(key, now):
                continue
            granted = self._store.acquire(key, f"{other.home}:{worker.name}", _FREED_S, now)
            if granted is not None:
                self._store.release(Lease(key, granted.owner, granted.epoch, _FREED_S, granted.life))

    def _end_job(self, worker: Worker, job: Job, *, failed: bool = False) -> None:
        """As `JobRunner._one` does when its handler has returned or raised."""
        wait_s = worker.retries.failed(job.key, self._events.now) if failed else 0.0
        if not failed:
            worker.retries.succeeded(job.key)
        name = worker.taken.pop(job.key, "")  # none for one that was asked for once more meanwhile
        self._truth.ended(worker.name, self._world.group_of(job.key))
        worker.queue.done(job)
        if name:
            self._finished(worker, job.key, name)
        if wait_s:
            if self._store.away:
                self._world.unasked[job.key] = None
            else:
                self._send(Wish(job.key, self._store.logs[job.key].last_seq, delay_s=wait_s))
        elif self._store.is_ready(job.key):
            self._world.unasked[job.key] = None
            self._truth.wants(job.key, self._events.now)
        self.start(worker)

    # -------------------------------------------------------------------------------------------------------- turns

    def _take_over(self, worker: Worker, session: Session) -> None:
        run = session.run = self._world.runs.get(session.key)
        if run is None or run.waits:
            self._go_on(worker, session)
            return
        crashes = run.crashes if run.parked else run.crashes + 1

        def resumed() -> None:
            run.crashes, run.parked = crashes, False
            self._truth.figures.counts["runs taken up again"] += 1
            if crashes >= _CRASHES:
                self._truth.figures.counts["runs given up after crashes"] += 1
                self._end(worker, session, run)
            else:
                self._go_on(worker, session)

        self._write(worker, session, resumed)

    def _go_on(self, worker: Worker, session: Session) -> None:
        """What `next_task` says, of what a fleet can tell apart."""
        log, run = self._store.logs[session.key], session.run
        session.seen = log.last_seq
        waits = log.waking > log.head.consumed
        if run is None and waits:
            run = drawn(self._world.rng, session.key[0])

            def begun() -> None:
                session.run = self._world.runs[session.key] = run
                self._events.at(self._events.now + run.steps_s[0], self._border, worker, session)

            self._write(worker, session, begun, consumes=1)
        elif run is not None and run.waits and waits:

            def answered() -> None:
                run.waits = ""
                self._events.at(self._events.now + run.steps_s[run.at], self._border, worker, session)

            self._write(worker, session, answered, consumes=1)
        elif run is not None and run.owes:
            self._deliver(worker, session, run)
        elif run is None or run.waits:
            self._release(worker, session, "suspended" if run is not None else "idle")
        else:
            self._events.at(self._events.now + run.steps_s[run.at], self._border, worker, session)

    def _border(self, worker: Worker, session: Session) -> None:
        """A step is done."""
        run = session.run
        if session.over or run is None:
            return
        if session.stands_still:
            self._events.at(worker.stalled_until + _LATER_S, self._border, worker, session)
            return
        session.catch_up(self._store, self._events.now)
        if not session.held.live(self._events.now):
            self._lose(worker, session)  # `ThreadSession.check`
            return
        session.seen = self._store.logs[session.key].last_seq
        at = run.at + 1
        if at >= len(run.steps_s):
            self._end(worker, session, run)
            return
        wait = run.waits_after.get(at, "")

        def done() -> None:
            run.at, run.waits = at, wait
            if wait:
                self._ask(session.key, wait)
                self._go_on(worker, session)
            else:
                self._events.at(self._events.now + run.steps_s[at], self._border, worker, session)

        self._write(worker, session, done)

    def _ask(self, key: str, wait: Wait) -> None:
        """Whoever is to answer is told. A crash just here is `simulate.py`'s matter: here it is one with the write."""
        rng, counts = self._world.rng, self._truth.figures.counts
        if wait == "person":
            counts["approvals"] += 1
            self._events.at(self._events.now + rng.uniform(0.02, 8.0) * HOUR_S, self.offer, key)
            return
        counts["children"] += 1
        self._children += 1
        child = f"c{key[1:]}.{self._children}"
        self._owed[child] = key
        self.offer(child)

    def _end(self, worker: Worker, session: Session, run: Run) -> None:
        parent = self._owed.get(session.key)

        def ended() -> None:
            self._truth.figures.counts["turns"] += 1
            if parent is None:
                session.run = None
                self._world.runs.pop(session.key, None)  # none where somebody has written who must not
            else:
                run.owes = parent
            self._go_on(worker, session)

        self._write(worker, session, ended)

    def _deliver(self, worker: Worker, session: Session, run: Run) -> None:
        """A child tells its parent, once, as often as it tries."""
        try:
            first = self._store.offer(run.owes, head(run.owes, "idle", 0), told=session.key)
        except StoreUnavailable:
            self._fail(worker, session)
            return
        if first:
            self._truth.offered[run.owes] += 1
            self._world.wish(run.owes, self._send)

        def told() -> None:
            session.run = None
            self._world.runs.pop(session.key, None)
            self._owed.pop(session.key, None)
            self._go_on(worker, session)

        self._write(worker, session, told)

    def offer(self, key: str) -> None:
        """Somebody offers something to a thread, and again while the store is away."""
        try:
            self._store.offer(key, head(key, "idle", 0))
        except StoreUnavailable:
            self._events.at(self._world.back_at + self._world.rng.uniform(0.0, 5.0), self.offer, key)
            return
        self._truth.offered[key] += 1
        self._world.wish(key, self._send)

    # ------------------------------------------------------------------------------------------------------- writing

    def _write(
        self, worker: Worker, session: Session, then: Callable[[], None], *, consumes: int = 0, tries: int = 0
    ) -> None:
        """As `ThreadSession._write` does."""
        if session.over:
            return
        if session.stands_still:
            wait_s = worker.stalled_until + _LATER_S - self._events.now
            self._again(wait_s, worker, session, then, consumes, tries)
            return
        session.catch_up(self._store, self._events.now)
        if not tries:
            session.write_no += 1
        log, run = self._store.logs[session.key], session.run
        status: Status = "open" if consumes or run is not None else "idle"
        try:
            self._append(session, status, log.head.consumed + consumes)
        except StaleLease:
            self._lose(worker, session)
            return
        except StoreUnavailable:
            wait_s = BACKOFF_S[min(tries, len(BACKOFF_S) - 1)]
            if not session.held.may_try_again(self._events.now, wait_s):
                self._fail(worker, session)
                return
            self._again(wait_s, worker, session, then, consumes, tries + 1)
            return
        self._truth.wrote(session, self._events.now, consumes)
        then()

    def _again(
        self, wait_s: float, worker: Worker, session: Session, then: Callable[[], None], consumes: int, tries: int
    ) -> None:
        def again() -> None:
            self._write(worker, session, then, consumes=consumes, tries=max(tries, 1))

        self._events.at(self._events.now + wait_s, again)

    def _append(self, session: Session, status: Status, consumed: int, *, release: bool = False) -> None:
        lease = session.held.lease
        write = AppendRequest(
            lease, session.write_no, (DRAFT,), head(lease.key, status, consumed), session.seen, release
        )
        before = session.seen
        last = self._store.append(write).last_seq
        session.seen = last if last == before + 1 else before

    def _release(self, worker: Worker, session: Session, status: Status) -> None:
        """Give the lease back with the last write; what came meanwhile is somebody's next job."""
        if session.over:
            return
        session.catch_up(self._store, self._events.now)
        session.write_no += 1
        try:
            self._append(session, status, self._store.logs[session.key].head.consumed, release=True)
        except StaleLease:
            self._lose(worker, session)
            return
        except StoreUnavailable:
            self._fail(worker, session)
            return
        self._truth.wrote(session, self._events.now, 0)
        self._over(worker, session)
        self._end_job(worker, session.job)

    def park(self, worker: Worker, session: Session) -> None:
        """Put a turn down because all stands still, as `Turns` does."""
        run = session.run
        self._release(worker, session, "open" if run is not None else "idle")
        if session.over and run is not None and not session.held.lost and not session.held.failed:
            run.parked = True
            self._truth.figures.counts["turns put down"] += 1

    # --------------------------------------------------------------------------------------------------------- ends

    def _find_out(self, worker: Worker, session: Session) -> None:
        """The renewal that learns that the lease was taken; one that stands still learns it when it wakes up."""
        if session.over or session.stands_still:
            return
        if not session.renew(self._store, self._events.now):
            self._lose(worker, session)
            return
        self._events.at(self._events.now + session.held.renewal_s, self._find_out, worker, session)

    def woken(self, worker: Worker, session: Session) -> None:
        """A worker that stood still goes on: its first renewal is late."""
        session.stands_still = False
        if session.taken_s is not None:
            session.taken_s = self._events.now  # before, it was at no work
        if not session.renew(self._store, self._events.now):
            self._lose(worker, session)
            return
        session.next_renewal_s = self._events.now + session.held.renewal_s
        if self._world.sessions.get(session.key) is session:
            self._truth.waiting.pop(session.key, None)

    def _lose(self, worker: Worker, session: Session) -> None:
        """The lease is somebody else's, or its time is over: the turn goes on elsewhere (`Turns._hold`)."""
        self._truth.figures.counts["leases lost"] += 1
        self._truth.found_out(session, self._events.now)
        self._abandon(session)
        self._over(worker, session)
        self._end_job(worker, session.job)

    def _fail(self, worker: Worker, session: Session) -> None:
        """The store has been away for longer than the lease."""
        session.held.failed = True
        self._truth.figures.counts["turns cut by an outage"] += 1
        self._abandon(session)
        self._over(worker, session)
        self._truth.wants(session.key, self._events.now)
        self._end_job(worker, session.job, failed=True)

    def _abandon(self, session: Session) -> None:
        if not self._store.away:
            self._store.release(session.held.lease)

    def _over(self, worker: Worker, session: Session) -> None:
        session.over = True
        self._truth.over(session)
        if self._world.sessions.get(session.key) is session:
            del self._world.sessions[session.key]
        if worker.sessions.get(session.key) is session:
            del worker.sessions[session.key]
