"""Playbooks for deaths: each shows a kind of step, and comes to the same however it gets there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CHAIN = """
name: chain
inputs: {what: {type: string, default: x}}
outputs: {said: "${{ steps.b.output }}", read: "${{ steps.p.output }}"}
steps:
  - id: a
    tool: note_safe
    with: {what: "first ${{ inputs.what }}"}
  - id: p
    tool: look_up
    with: {what: "${{ steps.a.output }}"}
  - id: b
    tool: note_once
    with: {what: "${{ steps.p.output }}"}
"""

TOOL_THAT_WAITS = """
name: toolwaits
outputs: {said: "${{ steps.ask.output }}"}
steps:
  - {id: ask, tool: ask_person, with: {what: Which one?}}
  - {id: b, tool: note_once, with: {what: "${{ steps.ask.output }}"}}
"""

AGENTS = """
name: agents
outputs: {facts: "${{ steps.look.output.facts }}", text: "${{ steps.write.output }}"}
steps:
  - id: look
    agent: ''
    prompt: (look) Find facts
    output: {type: object, properties: {facts: {type: array}}, required: [facts]}
  - id: write
    agent: ''
    prompt: (write) Write about ${{ steps.look.output.facts }}
  - {id: end, tool: note_once, with: {what: "${{ steps.write.output }}"}}
"""

ROUTED = """
name: routed
outputs: {way: "${{ steps.kind.output }}", sure: "${{ steps.sure.output }}"}
steps:
  - id: kind
    router: (kind) What is it?
    routes: {other: anything else, sales: wants to buy}
  - id: sell
    needs: [kind.sales]
    tool: note_once
    with: {what: sold}
  - id: leave
    needs: [kind.other]
    tool: note_once
    with: {what: left}
  - id: sure
    needs: [kind.other]
    condition: {ask: (sure) Is it so?}
  - id: so
    needs: [sure.yes]
    tool: note_once
    with: {what: sure}
"""

BRANCHES = """
name: branches
outputs: {l: "${{ steps.l2.output }}", r: "${{ steps.r.output }}", m: "${{ steps.m2.output }}"}
steps:
  - id: both
    parallel:
      branches:
        left:
          - {id: l, tool: note_once, with: {what: left}}
          - {id: l2, tool: note_safe, with: {what: left again}}
        middle:
          - {id: m, human: May it?}
          - {id: m2, tool: note_once, with: {what: middle}}
        right:
          - {id: r, agent: '', prompt: (r) Do it}
  - {id: end, tool: note_once, with: {what: "${{ steps.r.output }}"}}
"""

LOOP = """
name: looped
outputs: {all: "${{ steps.each.output }}"}
steps:
  - id: each
    loop:
      for_each: [a, b]
      at_once: 2
      steps:
        - {id: ok, human: "Shall ${{ item }} be?"}
        - {id: note, tool: note_once, with: {what: "${{ item }}"}}
  - id: until
    loop:
      count: 3
      steps:
        - {id: n, tool: note_once, with: {what: "pass ${{ loop.index }}"}}
        - {id: out, when: "${{ loop.index == 1 }}", break: true}
"""

INNER = """
name: inner
inputs: {what: {type: string}}
outputs: {said: "${{ steps.i2.output }}"}
steps:
  - {id: i1, human: "In ${{ inputs.what }}?"}
  - {id: i2, tool: note_once, with: {what: "inner ${{ inputs.what }}"}}
  - {id: i3, respond: "Within ${{ inputs.what }}."}
"""

OUTER = """
name: outer
outputs: {got: "${{ steps.sub.output.said }}"}
steps:
  - {id: sub, playbook: inner, with: {what: deep}}
  - {id: end, tool: note_once, with: {what: "${{ steps.sub.output.said }}"}}
"""

OVER = """
name: over
steps:
  - {id: first, tool: note_once, with: {what: begun}}
  - {id: hand, transfer: chain, with: {what: over}}
"""

WAITING = """
name: waiting
steps:
  - {id: long, wait: 30d}
  - {id: then, tool: note_once, with: {what: later}}
"""

PEOPLE = """
name: people
outputs: {which: "${{ steps.which.output }}", many: "${{ steps.many.output }}"}
steps:
  - {id: ok, human: Shall I?, expires: 3d}
  - {id: which, human: Which?, choices: [red, blue]}
  - {id: blue, needs: [which.blue], tool: note_once, with: {what: blue}}
  - {id: many, needs: [blue], human: How many?, input: {type: integer}}
"""

TALK = """
name: talk
outputs: {said: "${{ steps.ask.output }}"}
steps:
  - {id: ask, prompt: (ask) What do you think?}
  - {id: tell, respond: "It thinks: ${{ steps.ask.output }}"}
  - {id: end, tool: note_once, with: {what: "${{ steps.ask.output }}"}}
"""

CHECKED = """
name: checked
outputs: {said: "${{ steps.b.output }}"}
steps:
  - {id: b, tool: note_once, check: orchestrator, with: {what: careful}}
"""

REVIEWED = """
name: reviewed
outputs: {said: "${{ steps.write.output }}"}
steps:
  - id: write
    agent: ''
    prompt: (write) Write it
    before: (before) Is it wise?
    after: (after) Is it good?
  - {id: end, tool: note_once, with: {what: "${{ steps.write.output }}"}}
"""

APPROVED = """
name: approved
outputs: {said: "${{ steps.b.output }}"}
steps:
  - {id: b, tool: send_out, with: {what: letter}}
  - {id: c, tool: note_once, with: {what: "${{ steps.b.output }}"}}
"""

SENDER = """
name: sender
outputs: {said: "${{ steps.s.output }}"}
steps:
  - {id: s, tool: send_out, with: {what: within}}
"""

APPROVED_DEEP = """
name: deep
outputs: {each: "${{ steps.each.output }}", sub: "${{ steps.sub.output.said }}", r: "${{ steps.r.output }}"}
steps:
  - id: each
    loop:
      for_each: [a, b]
      steps:
        - {id: b, tool: send_out, with: {what: "letter ${{ item }}"}}
  - id: both
    parallel:
      branches:
        left:
          - {id: l, tool: note_safe, with: {what: left}}
        right:
          - {id: r, tool: send_out, with: {what: right}}
  - {id: sub, playbook: sender}
"""

FIRST = """
name: first
outputs: {said: "${{ steps.end.output }}"}
steps:
  - {id: quick, needs: [], tool: note_once, with: {what: quick}}
  - {id: slow, needs: [], human: Ever?}
  - {id: one, needs: [quick, slow], merge: first}
  - {id: end, tool: note_once, with: {what: end}}
"""

PATIENT = """
name: patient
steps:
  - {id: long, wait: 90d}
finally:
  - {id: tidied, tool: note_once, with: {what: "tidied, ${{ run.status }}"}}
"""

LEFT = """
name: left
outputs: {first: "${{ steps.one.route }}"}
steps:
  - {id: sub, needs: [], playbook: patient}
  - {id: day, needs: [], wait: 1d}
  - {id: one, needs: [sub, day], merge: first}
  - {id: end, tool: note_once, with: {what: end}}
"""

SINGLE = """
name: single
inputs: {what: {type: string}}
outputs: {said: "${{ steps.s2.output }}"}
concurrency: {key: "${{ inputs.what | length }}"}
steps:
  - {id: s1, human: "Alone with ${{ inputs.what }}?"}
  - {id: s2, tool: note_once, with: {what: "alone ${{ inputs.what }}"}}
"""

IN_TURN = """
name: inturn
outputs: {all: "${{ steps.each.output }}"}
steps:
  - id: each
    loop:
      for_each: [a, b]
      at_once: 2
      steps:
        - {id: sub, playbook: single, with: {what: "${{ item }}"}}
"""

CLOSING = """
name: closing
steps:
  - {id: first, tool: note_once, with: {what: begun}}
  - {id: no, fail: nothing comes of it}
on_error:
  - {id: alarm, tool: note_once, with: {what: "alarm: ${{ run.error.message }}"}}
finally:
  - {id: tidy, needs: [], tool: note_once, with: {what: tidy}}
  - {id: ok, needs: [], human: Is it tidy?}
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A playbook, and what is around it."""

    id: str
    text: str
    others: tuple[str, ...] = ()
    """Playbooks that it needs."""
    at_once: int = 1
    """How many steps of it are at work side by side, at the most."""
    attended: bool = True
    """Whether a person began it; else calls that go outward are asked about."""

    @property
    def name(self) -> str:
        return name_of(self.text)


def name_of(text: str) -> str:
    """What a playbook is called."""
    return text.split("name:", 1)[1].split(maxsplit=1)[0]


CASES: Final = (
    Case("tools", CHAIN),
    Case("a-tool-that-waits", TOOL_THAT_WAITS),
    Case("agents", AGENTS),
    Case("router-and-condition", ROUTED, at_once=2),
    Case("branches", BRANCHES, at_once=2),
    Case("loops", LOOP, at_once=2),
    Case("playbook-within", OUTER, (INNER,)),
    Case("transfer", OVER, (CHAIN,)),
    Case("wait", WAITING),
    Case("people", PEOPLE),
    Case("prompt-and-respond", TALK),
    Case("checked-call", CHECKED),
    Case("before-and-after", REVIEWED),
    Case("approved-call", APPROVED, attended=False),
    Case("approved-calls-within", APPROVED_DEEP, (SENDER,), attended=False),
    Case("merge-first", FIRST),
    Case("at-the-end", CLOSING),
    Case("left-playbook", LEFT, (PATIENT,)),
    Case("in-turn", IN_TURN, (SINGLE,), at_once=2),
)
