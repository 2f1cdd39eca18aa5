"""What stands between a model's wishes and the world: the policy's collaborators, wired."""

from __future__ import annotations

from sulla.agent.approvals.open_questions import OpenQuestions
from sulla.agent.approvals.permissions import Permissions
from sulla.agent.calls.file_marks import FileMarks
from sulla.agent.calls.guard import CallGuard
from sulla.agent.calls.shared_marks import SharedMarks
from sulla.core.dataclass import dataclass
from sulla.daemon.settings.config import Settings
from sulla.host.place import Place
from sulla.store.base import Store
from sulla.threads.store import ThreadStore
from sulla.tools.program_files import ProgramFiles

MARKS = "tainted.jsonl"
"""The file of the home that says which files of the workspace are not to be trusted."""


@dataclass(frozen=True, slots=True)
class Guarding:
    """What was built for it."""

    guard: CallGuard
    rules: Permissions
    marks: FileMarks


def make_guarding(settings: Settings, store: Store, threads: ThreadStore, place: Place) -> Guarding:
    """Nothing is read yet.

    Args:
        settings: how long answers are waited for and are good, and where the home is.
        store: where rules are kept.
        threads: where people are asked.
        place: what the daemon stands on.
    """
    rules = Permissions(store, place.clock, settings.limits.always_s)
    home, _, _ = place.owner.partition(":")  # behind it stands which start of it this is
    shared = SharedMarks(settings.workspace, home)
    marks = FileMarks(settings.home / MARKS, ProgramFiles(settings.shell.program_files), shared)
    asked = OpenQuestions(threads, place.clock)
    return Guarding(CallGuard(rules, place.redactor, marks, settings.limits.approval_s, asked), rules, marks)
