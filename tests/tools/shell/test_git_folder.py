"""A command that somebody may have asked for whom nobody trusts works in git repositories: what comes of it outside."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sulla.host.system import SystemClock
from sulla.tools.output import Output
from sulla.tools.program_files import PROGRAMS
from sulla.tools.shell.git_folder import MOST_FOLDERS, MOST_LINKED, GitFolders, clear
from sulla.tools.shell.process import DEFAULT_PATH, ProcessEnd, run_program
from sulla.tools.shell.sandbox import GIT_FOLDERS, Shell
from sulla.tools.shell.seals import seals_of

BWRAP = shutil.which("bwrap")
pytestmark = pytest.mark.skipif(BWRAP is None, reason="bubblewrap is not installed here")

PATH = f"{Path(BWRAP or '').parent}:{DEFAULT_PATH}"
NAMED = ("-c", "user.name=a", "-c", "user.email=a@b.example")
GIT = f"git {' '.join(NAMED)}"
PARTED = (
    f"git checkout -qb more && echo b > b && git add b && {GIT} commit -qm b && git checkout -q main && "
    f"echo c > c && git add c && {GIT} commit -qm c"
)
CLASHING = re.sub(r"(> |git add )[bc]", r"\1a", PARTED)


@dataclass
class Repository:
    """One with a commit, as a person has it who works there without a sandbox."""

    path: Path
    shell: Shell

    @property
    def git_folder(self) -> Path:
        return self.path / ".git"

    @property
    def private(self) -> list[Path]:
        """What is left of private folders."""
        place = self.path.parent / "home" / GIT_FOLDERS
        return list(place.iterdir()) if place.exists() else []

    def git(self, *words: str) -> str:
        """What git prints to the person."""
        done = subprocess.run(["git", *NAMED, *words], cwd=self.path, check=True, capture_output=True, text=True)
        return done.stdout

    def commit(self, name: str, text: str = "text\n") -> None:
        """The person commits a file."""
        (self.path / name).write_text(text)
        self.git("add", name)
        self.git("commit", "-qm", f"the person's {name}")

    async def run(self, command: str, timeout_s: float = 20.0) -> tuple[ProcessEnd, str]:
        """A tainted command, and what it prints."""
        output = Output()
        program = await self.shell.program(command, self.path, tainted=True)
        ended = await run_program(program, output.feed, SystemClock(), timeout_s)
        return ended, output.show("")


@pytest.fixture
async def repository(tmp_path: Path) -> Repository:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    shell = Shell(PATH, home=tmp_path / "home")
    await shell.open(workspace, SystemClock())
    assert shell.sealed, shell.trouble
    made = Repository(workspace, shell)
    made.git("init", "-q", "-b", "main")
    made.commit("a")
    return made


@pytest.mark.parametrize(
    ("command", "looked_at", "expected"),
    [
        (f"echo b > b && git add b && {GIT} commit -qm second", ["log", "--format=%s"], "second\nthe person's a\n"),
        (f"echo b > b && git add b && {GIT} commit -qm second", ["status", "--porcelain"], ""),
        ("echo b > b && git add b", ["status", "--porcelain"], "A  b\n"),
        ("git checkout -qb more", ["branch", "--show-current"], "more\n"),
        ("git checkout -q --detach", ["branch", "--show-current"], ""),
        ("git branch more && git pack-refs --all && git branch -q -d more", ["branch"], "* main\n"),
        ("git branch more && git gc -q; true", ["branch", "--format=%(refname)"], "refs/heads/main\nrefs/heads/more\n"),
        (f"echo b >> a && {GIT} stash -q", ["stash", "list"], "stash@{0}: WIP on main: "),
        (f"echo b >> a && {GIT} stash -q && git stash pop -q", ["status", "--porcelain"], " M a\n"),
        (
            f"{PARTED} && {GIT} merge -q more -m merged",
            ["log", "--first-parent", "--format=%s"],
            "merged\nc\nthe person's a\n",
        ),
        (
            f"{CLASHING}; {GIT} merge -q more; true",
            ["status"],
            "All conflicts fixed but you are still merging|You have unmerged paths.",
        ),
        (f"{PARTED} && {GIT} rebase -q more", ["log", "--format=%s"], "c\nb\nthe person's a\n"),
    ],
)
async def test_what_a_tainted_command_does_with_git_is_there_outside(
    command: str, looked_at: list[str], expected: str, repository: Repository
) -> None:
    ended, said = await repository.run(command)
    assert (ended.status, ended.not_kept) == (0, ""), said
    found = repository.git(*looked_at)
    assert found == expected or (expected and any(part in found for part in expected.split("|"))), found
    repository.git("fsck", "--strict")
    assert not repository.private


BY_HAND = """
import hashlib, struct, subprocess, sys
blob = bytes.fromhex(subprocess.check_output(["git", "hash-object", "-w", "evil"], text=True))
path = sys.argv[1].encode()
entry = bytes(24) + struct.pack(">I", 0o100755) + bytes(12) + blob + struct.pack(">H", len(path)) + path
made = b"DIRC" + struct.pack(">II", 2, 1) + entry + bytes(8 - len(entry) % 8)
open(".git/index", "wb").write(made + hashlib.sha1(made).digest())
"""
"""Makes an index with one file, at any path."""
EVIL = "printf '#!/bin/sh\\ntouch pwned\\n' > evil && chmod +x evil && "
INDEX = f"python3 -c {shlex.quote(BY_HAND)}"
CONFIG = "printf '[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = ./evil\\n\\thooksPath = .\\n' > "


@pytest.mark.parametrize(
    "command",
    [
        f"mkdir git2 && cp -r .git/refs .git/objects git2 && {CONFIG} git2/config; echo ../git2 > .git/commondir",
        f"{CONFIG} .git/config.worktree",
        "echo ../evilgit > .git/gitdir",
        "rm -rf .git/hooks; mkdir -p .git/hooks && cp evil .git/hooks/post-index-change",
        "mkdir .git/rebase-merge && echo 'exec ./evil' > .git/rebase-merge/git-rebase-todo",
        "echo ../../evil > .git/objects/info/alternates",
        "mkdir -p .git/info && echo '* filter=evil' > .git/info/attributes",
        "mkdir -p .git/worktrees/x .git/modules/x",
        f"{CONFIG} .git/config",
        "git config core.fsmonitor ./evil",
        "ln -s /etc/passwd .git/ORIG_HEAD",
        "ln -sfn ../../../../outside .git/logs/HEAD",
        "ln -sfn ../../../../outside .git/refs/heads/more",
        "mkfifo .git/MERGE_MSG",
        "rm .git/HEAD; mkdir .git/HEAD",
        "echo 'ref: refs/../../config' | cat - evil > .git/HEAD",
        "rm .git/HEAD .git/index",
        "truncate -s 65M .git/index",
        "truncate -s 0 .git/index",
        "mv .git gone",
        f"{INDEX} .git/hooks/post-index-change",
        f"{INDEX} ../outside",
        f"{INDEX} .GIT/x",
        (
            "git init -q new && cp evil new && git -C new config core.fsmonitor ./evil && "
            f"{GIT} -C new commit -q --allow-empty -m x && git add new"
        ),
    ],
)
async def test_nothing_that_git_obeys_comes_of_a_tainted_command(command: str, repository: Repository) -> None:
    (repository.git_folder / "hooks").rename(repository.path.parent / "hooks")  # as a template may have it
    (repository.git_folder / "info").rename(repository.path.parent / "info")
    before = {path: path.read_bytes() for path in obeyed(repository.git_folder)}
    await repository.run(EVIL + command)
    assert {path: path.read_bytes() for path in obeyed(repository.git_folder)} == before
    repository.git("status")
    repository.git("checkout", ".")
    repository.git("commit", "-q", "--allow-empty", "-m", "more")
    assert repository.git("log", "--format=%s") == "more\nthe person's a\n"
    assert not (repository.path / "pwned").exists()
    assert not (repository.path.parent / "outside").exists()
    assert not repository.private


def obeyed(folder: Path) -> Iterator[Path]:
    """All plain files of a git folder but for what a commit changes."""
    ours = ("objects/??/*", "refs/heads/*", "logs/**/*", "index", "HEAD", "COMMIT_EDITMSG", "ORIG_HEAD")
    apart = {path for pattern in ours for path in folder.glob(pattern)}
    return (path for path in folder.rglob("*") if path.is_file() and path not in apart)


async def during(repository: Repository, command: str, person: Callable[[], object]) -> tuple[ProcessEnd, str]:
    """What a command comes to that waits in its midst (`$WAIT`) until a person has done something in the repository."""
    begun, go = repository.path / "begun", repository.path / "go"
    for pipe in (begun, go):
        os.mkfifo(pipe)
    work = asyncio.create_task(repository.run(command.replace("$WAIT", "echo > begun; cat go")))
    await asyncio.to_thread(begun.read_text)
    try:
        person()
    finally:
        await asyncio.to_thread(go.write_text, "go")
    return await work


async def test_what_a_person_commits_meanwhile_stands_and_the_result_says_so(repository: Repository) -> None:
    command = f"$WAIT; echo c > c && git add c && {GIT} commit -qm c"
    ended, said = await during(repository, command, lambda: repository.commit("b"))
    assert ended.status == 0, said
    assert "somebody else has changed index while the command ran" in ended.not_kept
    assert repository.git("log", "--format=%s") == "c\nthe person's b\nthe person's a\n"
    assert repository.git("ls-files") == "a\nb\n"
    repository.git("fsck", "--strict")


async def test_where_a_person_has_gone_to_another_branch_that_stands(repository: Repository) -> None:
    ended, _ = await during(
        repository, "$WAIT; git checkout -qb theirs", lambda: repository.git("checkout", "-qb", "mine")
    )
    assert "somebody else has changed HEAD while the command ran" in ended.not_kept
    assert repository.git("branch", "--show-current") == "mine\n"


async def test_that_git_looks_meanwhile_whether_files_are_as_they_were_is_no_change(repository: Repository) -> None:
    def look() -> None:
        before = (repository.git_folder / "index").stat().st_ino
        os.utime(repository.path / "a", (1, 1))
        repository.git("update-index", "--refresh")
        assert (repository.git_folder / "index").stat().st_ino != before

    ended, _ = await during(repository, "$WAIT; echo b > b; git add b", look)
    assert (ended.not_kept, repository.git("ls-files")) == ("", "a\nb\n")


async def test_while_the_persons_git_is_at_work_nothing_is_taken_back(repository: Repository) -> None:
    ended, _ = await during(repository, "$WAIT; echo b > b; git add b", (repository.git_folder / "index.lock").touch)
    assert "git is at work there (index.lock): nothing was taken back" in ended.not_kept
    assert {path.name for path in repository.git_folder.glob("*.lock")} == {"index.lock"}
    assert repository.git("ls-files") == "a\n"


def add_submodule(repository: Repository, name: str) -> None:
    """The person has a repository in the repository."""
    repository.git("init", "-q", name)
    repository.git("-C", name, "commit", "-q", "--allow-empty", "-m", "x")
    repository.git("add", name)


@pytest.mark.parametrize(("module", "populated"), [("sub", True), ("in/sub", True), ("in/sub", False)])
async def test_a_git_folder_in_the_place_of_a_submodule_is_put_aside(
    module: str, populated: bool, repository: Repository
) -> None:
    """Git goes into submodules by itself, and obeys the settings there."""
    add_submodule(repository, module)
    if not populated:
        shutil.rmtree(repository.path / module / ".git")
    evil = f"git init -q {module} && cp evil {module} && git -C {module} config core.fsmonitor ./evil"
    ended, said = await repository.run(f"{EVIL}mv {module.partition('/')[0]} away; {evil}")
    assert "git would obey it" in ended.not_kept, said
    repository.git("status")
    assert not list(repository.path.rglob("pwned"))


async def test_the_git_folder_of_a_submodule_stays_where_nothing_else_is_put_there(repository: Repository) -> None:
    add_submodule(repository, "sub")
    ended, said = await repository.run(f"{GIT} -C sub commit -q --allow-empty -m y && git add sub")
    assert (ended.status, ended.not_kept) == (0, ""), said
    assert repository.git("-C", "sub", "log", "--format=%s") == "y\nx\n"


async def test_a_rebase_that_has_stopped_moves_nothing_outside(repository: Repository) -> None:
    ended, _ = await repository.run(f"{CLASHING}; {GIT} rebase -q more")
    assert "not kept: REBASE_HEAD, rebase-merge" in ended.not_kept
    assert "HEAD and the index stay as they were" in ended.not_kept
    assert repository.git("branch", "--show-current") == "main\n"
    repository.git("reset", "-q", "--hard")
    assert repository.git("status") == "On branch main\nnothing to commit, working tree clean\n"


async def test_what_a_command_did_that_was_killed_is_there_and_the_repository_is_sound(repository: Repository) -> None:
    ended, _ = await repository.run(
        f"echo b > b && git add b && {GIT} commit -qm b; while true; do echo x >> a; {GIT} commit -qam x; done", 2.0
    )
    assert ended.timed_out
    repository.git("fsck", "--strict")
    assert "b\nthe person's a\n" in repository.git("log", "--format=%s")
    assert not repository.private


async def test_when_a_daemon_was_killed_the_repository_is_sound_and_the_next_one_clears_up(
    repository: Repository,
) -> None:
    work = f"while true; do echo x >> a; {GIT} commit -qam x; echo done; done"
    script = (
        "import asyncio, pathlib, sys\n"
        "from sulla.host.system import SystemClock\n"
        "from sulla.tools.shell.process import run_program\n"
        "from sulla.tools.shell.sandbox import Shell\n"
        "async def main(path, home, workspace, command):\n"
        "    shell = Shell(path, home=pathlib.Path(home))\n"
        "    await shell.open(pathlib.Path(workspace), SystemClock())\n"
        "    program = await shell.program(command, pathlib.Path(workspace), tainted=True)\n"
        "    await run_program(program, lambda said: print(said, flush=True), SystemClock(), 60)\n"
        "asyncio.run(main(*sys.argv[1:]))\n"
    )
    home = repository.path.parent / "home"
    words = (PATH, str(home), str(repository.path), work)
    daemon = await asyncio.create_subprocess_exec(sys.executable, "-c", script, *words, stdout=subprocess.PIPE)
    assert daemon.stdout is not None
    while b"done" not in (line := await daemon.stdout.readline()):
        assert line, "it ended"
    daemon.send_signal(signal.SIGKILL)
    await daemon.wait()
    assert repository.private
    assert "x\nthe person's a\n" in repository.git("log", "--format=%s")
    repository.git("fsck", "--strict")
    repository.commit("b")
    await repository.shell.open(repository.path, SystemClock())
    assert not repository.private


async def test_a_private_folder_is_removed_however_deep_and_closed_what_a_command_has_made_in_it(
    repository: Repository,
) -> None:
    deep = "import os\nos.chdir('.git')\nfor _ in range(3000):\n os.mkdir('d'); os.chdir('d')\nos.chmod('.', 0)"
    ended, said = await repository.run(f"python3 -c {shlex.quote(deep)}; ln -s .. .git/up; touch .git/a{{1..1500}}")
    assert ended.status == 0, said
    assert "not kept: " in ended.not_kept
    assert not repository.private
    assert repository.git("status", "--porcelain") == ""


def test_a_private_folder_is_removed_also_if_its_command_is_never_run(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path / "workspace"], check=True)
    folders = GitFolders(tmp_path / "home")
    folders.in_place(seals_of(str(tmp_path / "workspace"), PROGRAMS))
    assert list(Path(folders.path).iterdir())
    del folders
    assert not list((tmp_path / "home").iterdir())


async def test_a_command_has_no_open_file_but_its_own(repository: Repository) -> None:
    ended, said = await repository.run("cd /proc/self/fd && for at in *; do readlink $at; done | grep -v ^pipe:")
    assert str(repository.path.parent) not in said.replace(str(repository.path), ""), said
    assert ended.status in (0, 1)


@pytest.mark.parametrize("name", ["sub/.git", "bare.git"])
async def test_other_git_folders_of_the_workspace(name: str, repository: Repository) -> None:
    """One that is called `.git` can be committed in wherever it lies; a bare repository is read-only."""
    bare = name == "bare.git"
    repository.git("init", "-q", "-b", "main", *(["--bare", name] if bare else ["sub"]))
    folder = repository.path / name
    command = f"{GIT} --git-dir={name} commit-tree -m x $(git --git-dir={name} write-tree) > id"
    ended, said = await repository.run(f"{command} && git --git-dir={name} update-ref refs/heads/main $(cat id)")
    assert (ended.status == 0) is not bare, said
    assert (folder / "refs/heads/main").exists() is not bare


def test_more_git_folders_than_there_may_be_stay_read_only(tmp_path: Path) -> None:
    for number in range(MOST_FOLDERS + 1):
        subprocess.run(["git", "init", "-q", tmp_path / f"workspace/{number}"], check=True)
    assert len(private(tmp_path)) == MOST_FOLDERS


@pytest.mark.parametrize(("linked", "expected"), [(MOST_LINKED, 1), (MOST_LINKED + 1, 0)])
def test_a_git_folder_of_many_linked_objects_is_read_only_as_a_whole(
    linked: int, expected: int, tmp_path: Path
) -> None:
    subprocess.run(["git", "init", "-q", tmp_path / "workspace"], check=True)
    (first := tmp_path / "first").touch()
    for number in range(linked):
        (tmp_path / f"workspace/.git/objects/pack/{number}").hardlink_to(first)
    assert len(private(tmp_path)) == expected


@pytest.mark.parametrize("setting", ["core.splitIndex=true", "index.sparse=true"])
def test_a_repository_whose_index_holds_a_part_alone_is_read_only(setting: str, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    subprocess.run(["git", "init", "-q", workspace], check=True)
    for name in ("in/a", "out/b"):
        (workspace / name).parent.mkdir()
        (workspace / name).touch()
    git = ["git", *NAMED, "-c", setting, "-C", str(workspace)]
    for words in (["add", "."], ["commit", "-qm", "x"], ["sparse-checkout", "set", "--cone", "in"]):
        subprocess.run([*git, *words], check=True)
    assert not private(tmp_path)


def private(folder: Path) -> list[str]:
    """The git folders of a workspace that a command gets private ones for."""
    folders = GitFolders(folder / "home")
    mounted = folders.in_place(seals_of(str(folder / "workspace"), PROGRAMS))
    folders.take_back()
    clear(folder / "home")
    return [seal.path for seal in mounted if seal.source]
