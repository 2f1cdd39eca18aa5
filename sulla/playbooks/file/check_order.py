"""Whether the steps of a playbook can follow each other as they say. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from sulla.playbooks.definition import MergeStep
from sulla.playbooks.file.check_ways import Ways, check_ways
from sulla.playbooks.file.read_sketch import BlockAt, NeedAt, Sketch, StepAt
from sulla.playbooks.file.read_steps import routes_of
from sulla.playbooks.file.read_values import FileReading
from sulla.tools.nearest import did_you_mean

_MOST_CYCLES = 20


class StepOrder:
    """Which steps have had their turn when a step has its own: by bits, one for each step of the file."""

    def __init__(self, sketch: Sketch) -> None:
        self.numbers = {step.id: number for number, step in enumerate(sketch.root.walk()) if step.id}
        self.before: dict[str, int] = {}
        """By the id of a step."""
        self.ways: dict[str, Ways] = {}
        """What has to hold for a step to run, by its id."""
        self.loose: set[str] = set()
        """Steps whose place is not known, because what they need is at fault: nothing is said of those."""

    def has_been(self, step: str, at: StepAt | None) -> bool:
        """Whether `step` has had its turn when `at` has its own."""
        if at is None or at.id in self.loose or step not in self.numbers:
            return True
        return bool(self.before.get(at.id, 0) >> self.numbers[step] & 1)

    def has_failed(self, step: str, at: StepAt | None) -> bool:
        """Whether `step` has surely failed when `at` has its turn."""
        return at is not None and self.ways.get(at.id, {}).get(f"!{step}") == frozenset({"failure"})

    def within(self, step: StepAt) -> int:
        """The step and all that stand in it."""
        found = 1 << self.numbers.get(step.id, 0) if step.id else 0
        for block in step.blocks:
            for inner in block.steps:
                found |= self.within(inner)
        return found


def check_order(sketch: Sketch, reading: FileReading) -> StepOrder:
    """Note what is wrong with the order of steps, and find it out."""
    order = StepOrder(sketch)
    before = 0
    for block in (sketch.root, *sketch.root.closing):
        _block(block, sketch, reading, order, {}, before)
        for step in block.steps:  # the run is over: whatever has not had its turn will have none
            before |= order.within(step)
    for step in [step for block in sketch.root.closing for step in block.walk() if step.kind == "transfer"]:
        message = "a transfer stands in `steps`: what a run does at its end cannot hand over"
        reading.fault(step.keys["transfer"][0].place, "transfer", message)
    return order


def _block(block: BlockAt, sketch: Sketch, reading: FileReading, order: StepOrder, ways: Ways, before: int) -> None:
    here = {step.id: step for step in reversed(block.steps) if step.id}
    for step in block.steps:
        _needs(step, here, sketch, reading, order)
        _place(step, here, reading)
    ring = _rings(block, here, reading)
    # What stands below a step without an id would need that one.
    above = zip([None, *block.steps], block.steps, strict=False)
    order.loose |= {step.id for one, step in above if one is not None and not one.id and "needs" not in step.keys}
    order.loose |= {step.id for step in block.steps if not step.id}
    found: dict[str, Ways] = {}
    widths: dict[str, int] = {}
    for step in _sorted(block, here, ring):
        own = before
        for at in step.needs:
            if at.need.step in here and at.need.step not in ring:
                own |= order.before.get(at.need.step, 0) | widths.get(at.need.step, 0)
                if at.need.step in order.loose:
                    order.loose.add(step.id)
        if step.id:
            order.before[step.id] = own
            widths[step.id] = order.within(step)
        if step.id in ring or any(at.need.step not in here or at.need.step in ring for at in step.needs):
            order.loose.add(step.id)
        mine = found[step.id] = check_ways(step, here, found, ways, sketch, reading, order.has_been)
        order.ways[step.id] = mine
        for inner in step.blocks:
            _block(inner, sketch, reading, order, mine, own)
        if step.id in order.loose:
            order.loose.update(child.id for inner in step.blocks for child in inner.walk())


def _needs(step: StepAt, here: dict[str, StepAt], sketch: Sketch, reading: FileReading, order: StepOrder) -> None:
    """Whether what it needs is there."""
    for at in step.needs:
        need, target = at.need, here.get(at.need.step)
        if target is None:
            reading.fault(at.place, "unknown-step", _unknown(need.step, here, sketch))
        elif need.route and target.does is not None and need.route not in routes_of(target):
            routes = routes_of(target)
            meant = did_you_mean(need.route, routes) or f" It has {', '.join(routes) or 'none'}."
            reading.fault(at.place, "unknown-route", f"needs: {need.step!r} has no way {need.route!r}.{meant}")
    if isinstance(step.does, MergeStep):
        _merge(step, step.does, reading)


def _unknown(name: str, here: dict[str, StepAt], sketch: Sketch) -> str:
    other = sketch.steps.get(name)
    if other is None:
        meant = did_you_mean(name, here) or f" Beside it stand {', '.join(list(here)[:8])}."
        return f"needs: there is no step {name!r}.{meant}"
    owner = other.block.owner
    if owner is None or owner.id not in here:
        return (
            f"needs: {name!r} does not stand beside this step; it has its turn before the step that this one stands in"
        )
    return f"needs: {name!r} stands in {owner.id!r}, not beside this step; needs {owner.id!r} in its place"


def _merge(step: StepAt, does: MergeStep, reading: FileReading) -> None:
    count = len(step.needs)
    place = step.keys["merge"][1].place
    if "needs" not in step.keys or count < 2:
        reading.fault(
            place, "merge", f"a merge brings two ways or more together, this one has {count}; say needs: [a, b]"
        )
    elif isinstance(does.need, int) and does.need > count:
        reading.fault(place, "merge", f"it waits for {does.need} of {count}: it can never fire")


def _place(step: StepAt, here: dict[str, StepAt], reading: FileReading) -> None:
    """Whether it may stand where it stands."""
    owners = list(_owners(step))
    if step.kind == "break" and not any(owner.kind == "loop" for owner in owners):
        reading.fault(
            step.keys["break"][0].place, "break", "a break ends the loop that it stands in; this one is in none"
        )
    if step.kind == "transfer" and owners:
        what = "a loop" if owners[0].kind == "loop" else "a branch"
        reading.fault(
            step.keys["transfer"][0].place, "transfer", f"a transfer cannot stand in {what}: others still run"
        )
    for at in step.needs:
        target = here.get(at.need.step)
        if target is not None and target.kind == "transfer" and at.need.on != "failure":
            more = "" if at.written else "; say what it needs instead: `needs:`"
            reading.fault(at.place, "transfer", f"nothing comes after the transfer {target.id!r}{more}")


def _owners(step: StepAt) -> Iterable[StepAt]:
    owner = step.block.owner
    while owner is not None:
        yield owner
        owner = owner.block.owner


# ---------------------------------------------------------------------------------------------------------------- rings


def _left(block: BlockAt, here: dict[str, StepAt], cut: set[tuple[str, str]]) -> set[str]:
    """The steps that lie in rings, or wait for one."""
    counts = {step.id: 0 for step in block.steps}
    after: dict[str, list[str]] = {step.id: [] for step in block.steps}
    for step in here.values():
        for at in step.needs:
            if at.need.step in here and (step.id, at.need.step) not in cut:
                counts[step.id] += 1
                after[at.need.step].append(step.id)
    ready = [name for name, count in counts.items() if not count]
    for name in ready:  # grows while it is walked
        for other in after[name]:
            counts[other] -= 1
            if not counts[other]:
                ready.append(other)
    return set(counts) - set(ready)


def _rings(block: BlockAt, here: dict[str, StepAt], reading: FileReading) -> set[str]:
    """Note each ring of needs, and give back the steps in one."""
    cut: set[tuple[str, str]] = set()
    found: set[str] = set()
    place = {step.id: number for number, step in enumerate(block.steps)}
    while (left := _left(block, here, cut)) and len(cut) < _MOST_CYCLES:
        path: list[tuple[StepAt, NeedAt]] = []
        seen: dict[str, int] = {}
        step = here[min(left, key=lambda name: place[name])]
        while step.id not in seen:
            seen[step.id] = len(path)
            needs = [at for at in step.needs if at.need.step in left and (step.id, at.need.step) not in cut]
            path.append((step, needs[0]))
            step = here[needs[0].need.step]
        ring = path[seen[step.id] :]
        # The need that points down the file is the one that its author has to think about.
        at_fault = max(ring, key=lambda pair: (pair[1].written, place[pair[1].need.step] - place[pair[0].id]))
        ids = [one.id for one, _ in reversed(ring)]
        first = ids.index(min(ids, key=lambda name: place[name]))
        names = " → ".join([*ids[first:], *ids[:first], ids[first]])
        message = f"these steps wait for each other: {names}; what repeats stands in a loop"
        reading.fault(at_fault[1].place, "cycle", message)
        cut.add((at_fault[0].id, at_fault[1].need.step))
        found |= {one.id for one, _ in ring}
    return found


def _sorted(block: BlockAt, here: dict[str, StepAt], ring: set[str]) -> list[StepAt]:
    """Steps behind what they need; those in rings as they stand."""
    found: list[StepAt] = []
    done: set[int] = set()
    for first in block.steps:
        waiting = [first]
        while waiting:
            step = waiting[-1]
            if id(step) in done:
                waiting.pop()
                continue
            open_ones = [
                here[at.need.step]
                for at in step.needs
                if at.need.step in here and id(here[at.need.step]) not in done and step.id not in ring
            ]
            if open_ones:
                waiting.append(open_ones[0])
            else:
                done.add(id(step))
                found.append(waiting.pop())
    return found
