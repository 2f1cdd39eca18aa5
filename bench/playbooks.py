"""A playbook of 500 steps checked: read, every expression, every order of steps, every argument; beside libyaml alone.

The limit is the least that has to be done to know where anything stands: the text split into YAML's events by libyaml.
Each round checks a text that was never seen before, so nothing is remembered from round to round. Processor time.
"""

from __future__ import annotations

import time
from itertools import count

import yaml

from bench.frame import Frame, Measure, Row
from sulla.playbooks.definition import Template
from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.file.check_known import KnownNames, KnownTool

NAME = "playbooks"

STEPS = 500
BAR_MS = 100.0
LIMIT = "libyaml's events alone"
_SCHEMA = {
    "type": "object",
    "properties": {"to": {"type": "string"}, "body": {"type": "string"}},
    "required": ["to"],
    "additionalProperties": False,
}
_KNOWN = KnownNames(tools={"send_email": KnownTool(_SCHEMA)}, agents={"researcher"})  # type: ignore[arg-type]  # it is JSON
_KINDS = """
    agent: researcher
    prompt: Find out about ${{ inputs.lead }} and ${{ steps.sBEFORE.output }}
    timeout: 10m
--
    tool: send_email
    with: {to: "${{ inputs.lead }}", body: "${{ steps.sBEFORE.output | truncate(NUMBER) }}"}
--
    when: ${{ steps.sBEFORE.output != 'no NUMBER' }}
    respond: Done with step NUMBER
--
    condition: ${{ inputs.count > NUMBER and steps.sBEFORE.status == 'completed' }}
--
    human: Go on after ${{ steps.sBEFORE.output }}?
    expires: 3d
""".split("--")


def run(frame: Frame) -> list[Row]:
    """The bars are 100 ms for the whole, and what it is of the limit is told."""
    unseen = count()

    def check() -> float:
        text = playbook(next(unseen))
        begin = time.process_time()
        checked = check_playbook(text, _KNOWN)
        took = (time.process_time() - begin) * 1000
        assert checked.definition is not None, checked.faults[:3]
        assert len(checked.definition.steps) == STEPS
        return took

    def events() -> float:
        loader = yaml.CLoader(playbook(next(unseen)))
        begin = time.process_time()
        while loader.get_event() is not None:
            pass
        return (time.process_time() - begin) * 1000

    contenders: dict[str, Measure] = {LIMIT: events, f"{STEPS} steps checked": check}
    samples = frame.compare(contenders, "ms", min(frame.rounds, 31))
    took = samples.median(f"{STEPS} steps checked")
    return [
        samples.row(LIMIT),
        samples.row(f"{STEPS} steps checked", LIMIT),
        Row("the same", took, "ms", took / BAR_MS, f"{BAR_MS:g} ms", 1.0, ok=took <= BAR_MS),
        *_expressions(),
    ]


def playbook(salt: int) -> str:
    """A text of `STEPS` steps of five kinds, other ones for each salt."""
    steps = [f"  - id: s{salt}_0\n    respond: Begin\n"]
    for n in range(1, STEPS):
        said = _KINDS[n % len(_KINDS)].replace("BEFORE", f"{salt}_{n - 1}").replace("NUMBER", f"{n}{salt % 1000:03}")
        steps.append(f"  - id: s{salt}_{n}{said}")
    return "name: long\ninputs: {lead: string, count: integer}\nsteps:\n" + "".join(steps)


def _expressions() -> list[Row]:
    """What an expression costs each time, once it was read."""
    scope = {"inputs": {"count": 3}, "steps": {"a": {"output": "text", "status": "completed"}}}
    rows = []
    for name, text in (
        ("a name looked up", "${{ steps.a.output }}"),
        ("a condition", "${{ inputs.count > 2 and steps.a.status == 'completed' }}"),
    ):
        template, times = Template(text), 2_000
        evaluate(template, scope)
        begin = time.process_time()
        for _ in range(times):
            evaluate(template, scope)
        rows.append(Row(name, (time.process_time() - begin) / times * 1_000_000, "µs"))
    return rows
