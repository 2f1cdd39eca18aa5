"""A playbook's drawing has every step and every need, and nothing that stands in it breaks out of its box."""

from __future__ import annotations

from sulla.playbooks.drawing import mermaid
from sulla.playbooks.file.check import check_playbook
from tests.playbooks.corpus import GOOD, KNOWN


def drawn(text: str) -> str:
    definition = check_playbook(text).definition
    assert definition is not None
    return mermaid(definition)


def test_steps_are_boxes_needs_are_arrows_and_ways_stand_on_them() -> None:
    text = """
name: p
steps:
  - {id: kind, router: What?, routes: {sales: x, other: y}}
  - {id: research, needs: [kind.sales], agent: researcher, prompt: Look}
  - {id: ok, human: Send?}
  - {id: send, title: Send it, tool: send_email}
  - {id: mend, needs: [{send: failure}], respond: Sorry}
  - {id: end, needs: [{send: always}, kind.other], merge: first}
"""
    assert drawn(text) == (
        "flowchart TD\n"
        '  s_kind{"kind<br/>router"}\n'
        '  s_research["research<br/>agent researcher"]\n'
        '  s_ok[/"ok<br/>human"/]\n'
        '  s_send["Send it<br/>tool send_email"]\n'
        '  s_mend("mend<br/>respond")\n'
        '  s_end(("end<br/>merge first"))\n'
        '  s_kind -->|"sales"| s_research\n'
        "  s_research --> s_ok\n"
        '  s_ok -->|"yes"| s_send\n'
        '  s_send -.->|"failure"| s_mend\n'
        '  s_send -.->|"always"| s_end\n'
        '  s_kind -->|"other"| s_end\n'
    )


def test_loops_and_branches_are_frames() -> None:
    text = """
name: p
steps:
  - id: both
    parallel:
      branches:
        one: [{id: a, wait: 3s}]
        two: [{id: b, wait: 3s}, {id: c, wait: 3s}]
  - id: l
    loop: {for_each: "${{ ['x'] }}", as: row, steps: [{id: d, wait: 3s}]}
"""
    found = drawn(text)
    assert found.count("subgraph") == found.count("  end\n") == 4
    assert (
        '    subgraph s_both_2e_two["two"]\n      s_b(["b<br/>wait"])\n      s_c(["c<br/>wait"])\n      s_b --> s_c\n'
        in found
    )
    assert "  subgraph s_l[\"l: for each row of ${{ ['x'] }}\"]\n" in found
    assert "  s_both --> s_l\n" in found


def test_what_people_write_stays_in_its_box() -> None:
    found = drawn("name: p\nsteps:\n  - {id: end, title: 'a \"b\" <script> & c', wait: 3s}\n")
    assert found == 'flowchart TD\n  s_end(["a #quot;b#quot; #lt;script#gt; #amp; c<br/>wait"])\n'


def test_every_good_playbook_can_be_drawn() -> None:
    for what, text in GOOD.items():
        definition = check_playbook(text, KNOWN).definition
        assert definition is not None
        found = mermaid(definition)
        assert found.count("subgraph") == found.count(" end\n"), what
        assert all(f"s_{step.id}" in found for step in definition.steps), what
