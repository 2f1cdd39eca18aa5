"""What of a repository's history a command has changed, for people: git's own records are nothing that they can read.

Git is asked in the sandbox, by the caller: what it says may be the words of whoever wrote the commits. Pure.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Final

from sulla.core.dataclass import dataclass

MOST_COMMITS: Final = 8
"""Commits of which is said what they change; how many there are is said in any case."""
MOST_STAT: Final = 10
"""Files that are named of each; how many there are is said in any case."""
_QUIET: Final = (
    "git --no-pager --no-optional-locks -c core.fsmonitor=false -c core.hooksPath=/dev/null -c color.ui=false"
)
_TEXT: Final = "--no-ext-diff --no-textconv"
_FORMAT: Final = "--format='commit %h by %an: %s'"
REFS: Final = f"{_QUIET} for-each-ref --format='%(objectname) %(refname)'; echo \"$({_QUIET} rev-parse HEAD) HEAD\""
"""The command line that tells the branches and tags of the repository that it runs in."""
INDEX: Final = f"{_QUIET} ls-files --stage -z | sha256sum"
"""The command line that tells, as a digest, what is staged in the repository that it runs in, and nothing of when its
files were looked at: git writes that anew with each `git status`."""


@dataclass(frozen=True, slots=True)
class RefsChange:
    """How branches and tags have changed."""

    lines: tuple[str, ...]
    """For people, one for each."""
    commits: str
    """The new commits, as `git log` takes them; empty if there are none."""


def compared(before: str, after: str) -> RefsChange:
    """What has changed between two answers to `REFS`. Pure.

    Args:
        before: of the repository as it is.
        after: as the command has left it.
    """
    old, new = _refs(before), _refs(after)
    lines = [f"{name} is removed, it was {old[name][:12]}" for name in old.keys() - new.keys()]
    lines += [f"{name} is new: {new[name][:12]}" for name in new.keys() - old.keys()]
    lines += [
        f"{name} moves from {old[name][:12]} to {new[name][:12]}"
        for name in old.keys() & new.keys()
        if old[name] != new[name]
    ]
    tips = sorted(set(new.values()) - set(old.values()))
    known = " ".join(f"^{commit}" for commit in sorted(set(old.values())))
    return RefsChange(tuple(sorted(lines)), f"{' '.join(tips)} {known}" if tips else "")


def commits_log(commits: str) -> str:
    """The command line that tells how many commits there are, then the newest of them with what each changes."""
    shown = f"--max-count={MOST_COMMITS} --stat=100,80,{MOST_STAT} {_FORMAT}"
    return f"{_QUIET} rev-list --count {commits}; {_QUIET} log {_TEXT} {shown} {commits}"


def commits_names(commits: str) -> str:
    """The command line that tells what commits change, a name to a line; of a merge what none of its parents has so."""
    return f"{_QUIET} -c core.quotePath=true log -c --no-renames --name-only --format= {commits} | sort -u"


def commits_diff(commits: str, paths: Sequence[str]) -> str:
    """The command line that tells how commits change some files, in lines."""
    chosen = " ".join(shlex.quote(f":(top,literal){path}") for path in paths)
    return f"{_QUIET} log -c -p {_TEXT} --no-renames --unified=1 {_FORMAT} {commits} -- {chosen}"


def _refs(said: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for line in said.splitlines():
        commit, _, name = line.partition(" ")
        # Nothing else may come onto a command line.
        if name and len(commit) in (40, 64) and all(char in "0123456789abcdef" for char in commit):
            found[name] = commit
    return found
