"""A day of a fleet: traffic comes in, workers take jobs off the queue, and things go wrong."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable

from sulla.store.values import Draft, Record
from sulla.work import pauses
from sulla.work.dbos.judgement import BEAT_S, DEAD_S
from sulla.work.dbos.wishes import Wish
from sulla.work.dbos.worker import SWEEP_S
from sulla.work.pauses import SwitchTurned
from sulla.work.switch import POLL_S
from tests.simulation.fleet.plan import DAY_S, HOUR_S, Plan, curve
from tests.simulation.fleet.store import FleetStore
from tests.simulation.fleet.truth import Truth
from tests.simulation.fleet.turns import Turns
from tests.simulation.fleet.worker import Worker
from tests.simulation.fleet.world import World

_MINUTE_S = 60.0
_BEAT_JITTER_S = 30.0
_AFTER_S = 12 * HOUR_S
"""After the day nothing new comes, and what is under way comes to its end: the longest approval, and what follows."""
_LATER_S = 0.001


class Fleet:
    """Plays a day.

    Args:
        plan: the day.
        store: where logs are.
    """

    def __init__(self, plan: Plan, store: FleetStore | None = None) -> None:
        self.world = World(plan, store or FleetStore())
        self.turns = Turns(self.world, self.send, self._finished)
        self._events = self.world.events
        self._planned = False
        self._phases = [worker.phase for worker in self.world.workers]
        self._unsaid: list[tuple[Worker, str, str]] = []
        """Jobs that ended while the queue was away."""

    def run(self) -> Truth:
        """Play it; what is known of it."""
        world, plan = self.world, self.world.plan
        end_s = plan.hours * HOUR_S
        self._events.at(0.0, self._minute, end_s)
        for number in range(plan.traffic.beating):
            # Half of them by a cron expression, all at the full hour.
            first_s = 0.0 if number % 2 else world.rng.uniform(0.0, HOUR_S)
            self._events.at(first_s + world.rng.uniform(0.0, _BEAT_JITTER_S), self._beat, f"b{number}", end_s)
        self._trouble(end_s)
        self._events.at(SWEEP_S, self._sweep)
        self._events.run(end_s + _AFTER_S)
        world.truth.nothing_lost([key for key in world.store.logs if world.store.is_ready(key)])
        return world.truth

    # ------------------------------------------------------------------------------------------------------- traffic

    def _minute(self, end_s: float) -> None:
        """The messages of a minute, and a look at the whole."""
        world, now = self.world, self._events.now
        traffic, rng = world.plan.traffic, world.rng
        if now < end_s:
            mean = traffic.messages * curve(now) * _MINUTE_S / DAY_S
            count = max(0, round(rng.gauss(mean, mean**0.5)))
            count += sum(many for hour, many in traffic.bursts if now <= hour * HOUR_S < now + _MINUTE_S)
            for _ in range(count):
                thread = rng.randrange(traffic.threads)
                self._events.at(now + rng.uniform(0.0, _MINUTE_S), self.turns.offer, f"t{thread}")
        self._look()
        world.queue.forget(now)
        self._events.at(now + _MINUTE_S, self._minute, end_s)

    def _beat(self, key: str, end_s: float) -> None:
        self.turns.offer(key)
        if self._events.now + HOUR_S < end_s:
            self._events.at(self._events.now + HOUR_S, self._beat, key, end_s)

    def _look(self) -> None:
        world = self.world
        most = world.truth.figures.most
        world.truth.look(self._events.now)
        in_workers = sum(len(worker.taken) - len(worker.sessions) for worker in world.workers if worker.awake)
        for name, value in (
            ("turns at work", len(world.sessions)),
            ("jobs that wait in the queue", len(world.queue)),
            ("jobs that wait in workers", in_workers),
        ):
            most[name] = max(most[name], value)

    # --------------------------------------------------------------------------------------------------------- queue

    def send(self, wish: Wish) -> None:
        """A wish reaches the queue."""
        if name := self.world.queue.send(wish):
            self._events.at(self._events.now + wish.delay_s, self._due, name, wish.key)
        self._wake()

    def _due(self, name: str, key: str) -> None:
        self.world.queue.due(name, key)
        self._wake()

    def _finished(self, worker: Worker, key: str, name: str) -> None:
        if self.world.store.away:
            self._unsaid.append((worker, key, name))
            return
        self.world.queue.finish(key, name, worker.name, self._events.now)
        self._wake()

    def _wake(self) -> None:
        """Have the next worker that polls and has room find what waits; other polls would change nothing."""
        if self._planned or not len(self.world.queue) or self.world.store.away:
            return
        now, every_s, workers = self._events.now, self.world.plan.poll_s, self.world.workers
        at = bisect(self._phases, now / every_s % 1.0)
        for step in range(len(workers)):
            worker = workers[(at + step) % len(workers)]
            if worker.room > 0:
                self._planned = True
                wait_s = (worker.phase - now / every_s) % 1.0 * every_s
                self._events.at(now + (wait_s or every_s), self._poll, worker)
                return

    def _poll(self, worker: Worker) -> None:
        self._planned = False
        if not self.world.store.away:
            for name, key in self.world.queue.take(worker.name, worker.room):
                worker.take(key, name, self.world.group_of(key))
            self.turns.start(worker)
        self._wake()

    def _sweep(self) -> None:
        """What one of the workers does each two seconds: `DbosWork._sweep`, of those logs alone that could be found."""
        world, now = self.world, self._events.now
        self._events.at(now + SWEEP_S, self._sweep)
        if world.store.away or world.paused_at is not None:
            return
        for key in list(world.unasked):
            if not world.store.is_ready(key) or world.queue.wanted(key):
                del world.unasked[key]
                continue
            if (session := world.sessions.get(key)) is not None:
                session.catch_up(world.store, now)
            if not world.store.is_held(key, now):
                del world.unasked[key]
                world.truth.figures.counts["found by a sweep"] += 1
                self.send(Wish(key, world.store.logs[key].last_seq))

    # ------------------------------------------------------------------------------------------------------- trouble

    def _trouble(self, end_s: float) -> None:
        world, trouble, rng = self.world, self.world.plan.trouble, self.world.rng
        for worker in world.workers:
            for act, rate in ((self._kill, trouble.kills), (self._stall, trouble.stalls)):
                at_s = rng.expovariate(rate / DAY_S)
                while at_s < end_s:
                    self._events.at(at_s, act, worker)
                    at_s += rng.expovariate(rate / DAY_S)
        for hour, seconds in trouble.outages:
            self._events.at(hour * HOUR_S, self._away, seconds)
        for worker in rng.sample(world.workers, max(1, len(world.workers) // 20)):
            self._events.at(trouble.mass_death * HOUR_S, self._kill, worker)
        hour, seconds = trouble.pause
        self._events.at(hour * HOUR_S, self._turn, True)
        self._events.at(hour * HOUR_S + seconds, self._turn, False)

    def _kill(self, worker: Worker) -> None:
        if not worker.awake:
            return
        world, now = self.world, self._events.now
        world.truth.figures.counts["workers killed"] += 1
        self._catch_up(worker)
        for key, session in worker.sessions.items():
            session.over = True
            world.truth.over(session)
            if world.sessions.get(key) is session:
                del world.sessions[key]
                world.truth.died(key, now)
                world.unasked[key] = None
        world.truth.gone(worker.name)
        worker.sessions.clear()
        worker.up = False
        self._silence(worker)
        self._events.at(now + world.rng.uniform(3.0, 60.0), self._restart, worker)

    def _restart(self, worker: Worker) -> None:
        """Begin anew in the same home, first with what an earlier start has left; it takes until the server answers."""
        if self.world.store.away:
            self._events.at(self.world.back_at + BEAT_S, self._restart, worker)
            return
        worker.begin(self._events.now)
        worker.held = self.world.paused_at is not None
        self.world.silent.pop(worker.name, None)
        for name, key in self.world.queue.taken_by(worker.name):
            worker.take(key, name, self.world.group_of(key))
        self.turns.start(worker)
        self._wake()

    def _stall(self, worker: Worker) -> None:
        if not worker.awake:
            return
        world, now = self.world, self._events.now
        world.truth.figures.counts["workers that stood still"] += 1
        self._catch_up(worker)
        for key, session in worker.sessions.items():
            session.stands_still = True
            if world.sessions.get(key) is session:
                world.truth.waiting.setdefault(key, now)
                world.unasked[key] = None
        worker.stalled_until = now + world.rng.uniform(1.0, 120.0)
        self._silence(worker)
        self._events.at(worker.stalled_until, self._woken, worker, now)

    def _woken(self, worker: Worker, since_s: float) -> None:
        now = self._events.now
        worker.stalled_until = 0.0
        worker.held = self.world.paused_at is not None
        worker.judgement.beat(now, now - since_s)
        self._speaks(worker)
        for session in list(worker.sessions.values()):
            self.turns.woken(worker, session)
        if worker.held:
            self._hold(worker)
        self.turns.start(worker)
        self._wake()

    def _away(self, seconds: float) -> None:
        """The store and the queue go away."""
        world, now = self.world, self._events.now
        for worker in world.workers:
            self._catch_up(worker)
        world.store.away, world.back_at = True, now + seconds
        for worker in world.workers:
            if worker.awake:
                worker.silent_since = worker.last_beat(now)
                world.silent[worker.name] = worker
        self._events.at(world.back_at, self._back)

    def _back(self) -> None:
        world, now = self.world, self._events.now
        for worker in world.workers:
            self._catch_up(worker)  # the renewals that failed
        world.store.away = False
        for worker, key, name in self._unsaid:
            world.queue.finish(key, name, worker.name, now)
        self._unsaid.clear()
        world.truth.troubled_s = now
        for worker in world.workers:
            if worker.awake:
                self.failed(worker)
                self._events.at(worker.last_beat(now) + BEAT_S, self._first_beat, worker)
        self._wake()

    def failed(self, worker: Worker) -> None:
        """It could not say that it lives, up to now."""
        worker.judgement.failed(self._events.now)

    def _first_beat(self, worker: Worker) -> None:
        """The first one after an outage: the others have been silent too."""
        if not worker.awake:
            return
        self._speaks(worker)
        if worker.judgement.beat(self._events.now, BEAT_S):
            for other in list(self.world.silent.values()):
                if other.is_dead(self._events.now):
                    self._relieve(other)

    def _catch_up(self, worker: Worker) -> None:
        for session in worker.sessions.values():
            session.catch_up(self.world.store, self._events.now)

    # ------------------------------------------------------------------------------------------------------- members

    def _silence(self, worker: Worker) -> None:
        """It does not say any more that it lives."""
        world, now = self.world, self._events.now
        if worker.silent_since is None:
            worker.silent_since = worker.last_beat(now)
        world.silent[worker.name] = worker
        self._events.at(worker.silent_since + DEAD_S + _LATER_S, self._judge, worker, worker.silent_since)

    def _speaks(self, worker: Worker) -> None:
        if not self.world.store.away:
            worker.silent_since = None
            self.world.silent.pop(worker.name, None)

    def _judge(self, dead: Worker, since_s: float) -> None:
        """The next beat of a worker that may judge finds one that is dead, unless it has said something since."""
        world, now = self.world, self._events.now
        if dead.silent_since != since_s or dead.name not in world.silent:
            return
        at = bisect(self._phases, now / BEAT_S % 1.0)
        for step in range(len(world.workers)):
            judge = world.workers[(at + step) % len(world.workers)]
            if judge.awake and judge is not dead:
                beat_s = now + (judge.phase - now / BEAT_S) % 1.0 * BEAT_S
                self._events.at(beat_s, self._judged, judge, dead, since_s)
                return
        self._events.at(now + BEAT_S, self._judge, dead, since_s)

    def _judged(self, judge: Worker, dead: Worker, since_s: float) -> None:
        now = self._events.now
        if dead.silent_since != since_s or dead.name not in self.world.silent:
            return
        if not self.world.store.away and judge.awake and judge.judgement.beat(now, BEAT_S):
            self._relieve(dead)
        else:
            self._events.at(max(now, self.world.back_at) + _LATER_S, self._judge, dead, since_s)

    def _relieve(self, dead: Worker) -> None:
        """Give what it had taken to the others: `DbosWork._relieve`."""
        self.world.truth.figures.counts["workers relieved"] += 1
        self.world.queue.give_back(dead.name)
        self._wake()

    # -------------------------------------------------------------------------------------------------------- switch

    def _turn(self, paused: bool) -> None:  # an event's argument
        """Somebody turns the kill switch; each worker reads its log soon."""
        world, now = self.world, self._events.now
        draft: Draft = pauses.encode(SwitchTurned(paused, round(now * 1000), "person"))
        pause = pauses.decode(Record(1, draft.kind, offered=True, body=draft.body)).pause
        world.paused_at = now if pause is not None else None
        world.truth.troubled_s = now
        act: Callable[[Worker], None] = self._hold if pause is not None else self._let_go
        for worker in world.workers:
            self._events.at(now + world.rng.uniform(0.0, POLL_S), act, worker)

    def _hold(self, worker: Worker) -> None:
        if worker.awake:
            worker.held = True
            for session in list(worker.sessions.values()):
                self.turns.park(worker, session)

    def _let_go(self, worker: Worker) -> None:
        if worker.awake:
            worker.held = False
            self.turns.start(worker)
