"""Clients are told how the tasks of a project stand."""

from __future__ import annotations

from pathlib import Path

from sulla.projects.projects import Projects
from sulla.projects.service import HomeProjects

TEXT = """# Garden

- [x] Clear (id: clear)
- [ ] Dig (id: dig; after: clear) (in progress)
  - [ ] Buy a spade
- [ ] Fence (id: fence) (failed: no wood)
- [ ] Sow (blocked: frost)
"""


async def test_a_task_is_told_with_its_state_and_its_place_in_a_plan(tmp_path: Path) -> None:
    projects = Projects(tmp_path)
    projects.create("garden", TEXT)
    found = await HomeProjects(projects).get_project("garden")
    assert [(task.text, task.state, task.id, task.depends_on, task.depth) for task in found.tasks] == [
        ("Clear", "completed", "clear", (), 0),
        ("Dig", "in_progress", "dig", ("clear",), 0),
        ("Buy a spade", "pending", "", (), 1),
        ("Fence", "failed", "fence", (), 0),
        ("Sow", "blocked", "", (), 0),
    ]
