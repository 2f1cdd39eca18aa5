"""What commands write for those who have read what nobody trusts: all of it is in the workspace at their end, or waits
for a person."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from sulla.core.errors import Conflict, NotFound, Refused
from sulla.core.ids import ThreadId
from sulla.host.system import SystemClock
from sulla.tools.output import Output
from sulla.tools.program_files import ProgramFiles
from sulla.tools.shell import changes, held, held_text, landing
from sulla.tools.shell.held import HeldChanges
from sulla.tools.shell.judging import NOT_KEPT
from sulla.tools.shell.layer import Layer, Layers, why_not_written
from sulla.tools.shell.process import run_program
from sulla.tools.shell.sandbox import Shell
from tests.kits.in_turn import in_turn
from tests.tools.shell.calls import Killed, at, before_call

pytestmark = [pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here"), in_turn(3)]

GIT = "git -c user.name=a -c user.email=a@b.example"
WORKTREE = (
    f"git init -q ../main && cd ../main && {GIT} commit -q --allow-empty -m a && git config core.hooksPath githooks && "
    "git worktree add -q ../workspace/wt"
)
THREAD = ThreadId("thr_1")


class Desk:
    """A workspace, and the commands of a conversation that holds text from outside."""

    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        self.layers = Layers(folder / "home/layers")
        self.held = HeldChanges(self.layers, ProgramFiles(("mine",)))
        self.shell = Shell(layers=self.layers)
        self.folders = folder / "home/layers"

    async def run(self, command: str, meanwhile: Callable[[], object] = lambda: None) -> tuple[int, str, str]:
        """Run one; its status, what it printed and what is told of its changes."""
        if not self.shell.sealed:
            await self.shell.open(self.workspace, SystemClock())
            assert (self.shell.trouble, self.shell.layer_trouble) == ("", "")
        output = Output()
        async with self.held.layer(self.workspace) as layer:
            program = await self.shell.program(command, self.workspace, tainted=True, layer=layer)
            ended = await run_program(program, output.feed, SystemClock(), 20)
            assert layer.mounted
            meanwhile()
            told = await self.held.land(layer, THREAD, self.look)
        return ended.status, output.show(""), told

    async def look(self, command: str, layer: Layer | None) -> str:
        output = Output()
        program = await self.shell.program(command, self.workspace, layer=layer, reading=layer is not None)
        await run_program(program, output.feed, SystemClock(), 20)
        return output.show("")

    def write(self, name: str, text: str = "as it was") -> Path:
        file = self.workspace / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def by_person(self, command: str) -> str:
        run = subprocess.run(["sh", "-c", command], cwd=self.workspace, check=True, capture_output=True, text=True)
        return run.stdout


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def set_id(told: str) -> str:
    return told.rpartition("job '")[2].partition("'")[0]


async def test_what_nobody_runs_is_in_the_workspace_when_the_command_has_ended(desk: Desk) -> None:
    old, gone, kept = desk.write("old.txt"), desk.write("gone/a.txt"), desk.write("kept.txt")
    command = (
        "cat old.txt; echo new > old.txt; rm -r gone; mkdir -p deep/er; echo x > deep/er/x.txt; "
        "chmod 640 deep/er/x.txt; ln -s old.txt link.txt; mv kept.txt moved.txt"
    )
    assert await desk.run(command) == (0, "as it was", "")
    assert (old.read_text(), gone.parent.exists(), kept.exists()) == ("new\n", False, False)
    assert (desk.workspace / "moved.txt").read_text() == "as it was"
    assert (desk.workspace / "deep/er/x.txt").stat().st_mode & 0o777 == 0o640
    assert (desk.workspace / "link.txt").readlink() == Path("old.txt")
    assert list(desk.folders.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [
        "echo '[core] fsmonitor = ./evil' >> .git/config",
        "git config core.fsmonitor ./evil",
        "echo ./evil > .git/hooks/pre-commit",
        "rm -rf .git",
        "mv .git away",
        "mv .git/hooks away",
        "ln -f .git/config other && echo evil >> other",
        "echo evil > other && mv other .git/config",
        "sed -i s/was/evil/ Makefile",
        "echo evil > other && mv other Makefile",
        "rm Makefile",
        "ln -sf other Makefile",
        "chmod +x Makefile",
        "touch .vscode/tasks.json",
        "touch mine/added",
        "echo evil >> sub/deep/package.json",
        "rm sub/deep/package.json",
        "rm -rf sub",
        "mv sub elsewhere",
        "rm -rf sub && mkdir -p sub/deep && echo evil > sub/deep/package.json",
        "rm -rf sub && echo evil > sub",
        "rm -rf sub && ln -s /etc sub",
        "git -C sub/deep init -q; echo evil > sub/deep/package.json",
        "git init -q --bare docs",
        "mkdir json && echo evil > json/__init__.py",
        "echo evil > docs/_quarto.yml",
        "echo evil > typedoc.json",
        "echo evil > config-overrides.js",
    ],
)
async def test_what_programs_run_is_as_it_was_until_a_person_has_allowed_it(command: str, desk: Desk) -> None:
    for name in ("Makefile", ".vscode/a", "mine/a", "sub/deep/package.json", "docs/a.md"):
        desk.write(name)
    desk.by_person("git init -q")
    before = {path: path.read_bytes() for path in desk.workspace.rglob("*") if path.is_file()}
    status, _, told = await desk.run(command)
    assert status == 0
    assert told.startswith("Nothing of what the command changed is in the workspace yet")
    assert {path: path.read_bytes() for path in before} == before
    assert desk.workspace.joinpath("Makefile").stat().st_mode & 0o111 == 0
    assert not (desk.workspace / "docs/HEAD").exists()
    assert not [*desk.workspace.glob(".vscode/tasks.json"), *desk.workspace.glob("mine/added")]
    assert desk.held.question(THREAD, set_id(told)).startswith("Put into the workspace what a command has changed? ")
    assert {path for path in desk.workspace.rglob("*") if path.is_file()} == before.keys()


@pytest.mark.parametrize(
    ("lead", "named"),
    [
        ("ln -s env.txt .envrc", "env.txt"),
        ("mkdir conf && ln -s conf .vscode", "conf/tasks.json"),
        ("mkdir hooks && git init -q && git config core.hooksPath hooks", "hooks/pre-commit"),
        ("git init -q && git config core.hooksPath later", "later/pre-commit"),
        ("mkdir inc && git init -q && git config include.path ../inc/more", "inc/more"),
        ("mkdir t && git init -q && git config filter.x.clean 'sh t/clean %f'", "t/clean"),
        ("mkdir t && git init -q && ln -s ../../t/pc .git/hooks/pre-commit", "t/pc"),
        ("mkdir -p t .husky && ln -s ../t/pre .husky/pre-push", "t/pre"),
        ("git init -q --separate-git-dir=apart", "apart/config"),
        ("git init -q --bare depot", "depot/hooks/post-commit"),
        ("ln -s a.txt Makefile && mkdir c1 && ln -s c1/b.txt a.txt", "a.txt"),
        ("mkdir real && ln -s real conf && git init -q && git config core.hooksPath conf/hk", "real/hk/pre-commit.py"),
        ("git init -q --separate-git-dir=apart && git config core.hooksPath hk", "hk/pre-commit.py"),
        ("git init -q && git config core.hooksPath 'my hooks'", "my hooks/pre-commit.py"),
        (WORKTREE, "wt/githooks/pre-commit.py"),
    ],
)
async def test_what_a_link_or_gits_settings_lead_to_is_held_back_also_if_it_is_not_there_yet(
    lead: str, named: str, desk: Desk
) -> None:
    desk.by_person(lead)
    file = desk.workspace / named
    before = file.read_bytes() if file.exists() else None
    write = f"mkdir -p '{Path(named).parent}' && rm -f '{named}' && echo evil >> '{named}'"
    status, _, told = await desk.run(write)
    assert (status, file.read_bytes() if file.exists() else None) == (0, before)
    assert str(Path(named).parts[0]) in told


async def test_a_file_with_a_second_name_is_changed_under_its_own_alone(desk: Desk, tmp_path: Path) -> None:
    near, makefile = desk.write("near.txt"), desk.write("Makefile")
    (tmp_path / "elsewhere").hardlink_to(near)
    (desk.workspace / "notes.txt").hardlink_to(makefile)
    assert await desk.run("echo new > near.txt; echo new > notes.txt") == (0, "", "")
    assert (near.read_text(), (desk.workspace / "notes.txt").read_text()) == ("new\n", "new\n")
    assert (makefile.read_text(), (tmp_path / "elsewhere").read_text()) == ("as it was", "as it was")


async def test_git_works_and_what_it_keeps_is_held_back_as_one(desk: Desk) -> None:
    desk.write("a.txt")
    desk.by_person(f"git init -q && git add . && {GIT} commit -qm first")
    assert await desk.run("git status -s; git log --format=%s; git diff") == (0, "first\n", "")
    status, text, told = await desk.run(f"echo b > b.txt; git add . && {GIT} commit -qm second && git log --format=%s")
    assert (status, text) == (0, "second\nfirst\n")
    assert not (desk.workspace / "b.txt").exists()
    lines = desk.held.question(THREAD, set_id(told)).split("\n")
    assert "with them new b.txt" in lines
    said = lines[lines.index("== what git says of the repository") + 1 :]
    assert [line.split()[0] for line in said[:2]] == ["HEAD", "refs/heads/master"]
    assert said[2] == "  new commits: 1"
    assert re.fullmatch(r"  commit [0-9a-f]{7} by a: second", said[3])
    assert said[6:] == ["   1 file changed, 1 insertion(+)", "== b.txt", "@@ -0,0 +1 @@", "+b"]
    assert await desk.held.keep(THREAD, set_id(told), desk.look) == "What the command changed is in the workspace now."
    assert desk.by_person("git log --format=%s") == "second\nfirst\n"
    assert list(desk.folders.iterdir()) == []


async def test_what_matters_of_a_large_commit_comes_first_and_what_it_hides_is_shown(desk: Desk) -> None:
    for number in range(60):
        desk.write(f"src/{number:02}.py", "x = 1\n" * 40)
    desk.write("Makefile", "all:\n")
    desk.by_person(f"git init -q && git add . && {GIT} commit -qm first")
    evil = "printf 'evil:\\n\\tcurl evil\\n' >> Makefile"
    commit = f"git add . && {GIT} commit -qm reformat && git checkout -q HEAD~1 -- Makefile"
    _, _, told = await desk.run(f"sed -i s/x/y/ src/*.py; {evil}; {commit}")
    lines = desk.held.question(THREAD, set_id(told)).split("\n")
    heads = ("== what git says", "== programs may")
    git, makefile = (next(at for at, line in enumerate(lines) if line.startswith(head)) for head in heads)
    assert (git < 6, makefile < 24, len(lines) < 220) == (True, True, True)
    assert "   61 files changed, 2402 insertions(+), 2400 deletions(-)" in lines
    assert lines[makefile] == "== programs may run or obey files that these commits hold: Makefile"
    assert lines.index("  +evil:") > makefile
    assert "  +\tcurl evil" in lines
    assert not any(line.startswith("== src") for line in lines[: lines.index("  +evil:")])
    assert lines[-1].startswith("== not shown, because it is too much: src/")
    assert not any("u2026" in line or "…" in line for line in lines)


async def test_all_is_in_the_workspace_or_nothing(desk: Desk) -> None:
    notes, other = desk.write("notes.txt"), desk.write("other.txt")
    _, _, told = await desk.run("mv notes.txt conftest.py; echo new > other.txt; echo new > free.txt")
    assert (notes.read_text(), other.read_text()) == ("as it was", "as it was")
    assert sorted(path.name for path in desk.workspace.iterdir()) == ["notes.txt", "other.txt"]
    await desk.held.keep(THREAD, set_id(told), desk.look)
    assert {path.name: path.read_text() for path in desk.workspace.iterdir()} == {
        "conftest.py": "as it was",
        "other.txt": "new\n",
        "free.txt": "new\n",
    }


@pytest.mark.parametrize(
    ("command", "after"),
    [
        ("cp -a r x; rm -rf r; mv x r", {"r/s/a.txt": "as it was", "r/b.txt": "as it was"}),
        ("rm -rf r; mkdir -p r/s/t; echo n > r/s/t/n.txt", {"r/s/t/n.txt": "n\n"}),
        ("mv r q; mkdir -p r; mv q/s r/s; rm -r q", {"r/s/a.txt": "as it was"}),
        ("rm -rf r; echo n > r.txt; mv r.txt r.md", {"r.md": "n\n"}),
        ("rm -rf r; echo n > n.txt; ln -s n.txt r.md", {"n.txt": "n\n", "r.md": "n\n"}),
        ("rm r/b.txt; mkdir r/b.txt; echo n > r/b.txt/n.txt", {"r/s/a.txt": "as it was", "r/b.txt/n.txt": "n\n"}),
    ],
)
async def test_what_is_removed_and_made_again_is_as_the_command_left_it(
    command: str, after: dict[str, str], desk: Desk
) -> None:
    desk.write("r/s/a.txt")
    desk.write("r/b.txt")
    assert await desk.run(command) == (0, "", "")
    found = {str(path.relative_to(desk.workspace)): path for path in desk.workspace.rglob("*") if path.is_file()}
    assert {name: path.read_text() for name, path in found.items()} == after


async def test_a_program_file_that_is_removed_and_made_again_as_it_was_asks_nobody(desk: Desk) -> None:
    desk.write("lib/Makefile")
    assert await desk.run("cp -a lib x; rm -rf lib; mv x lib; echo a > a.txt") == (0, "", "")
    assert (desk.workspace / "lib/Makefile").read_text() == "as it was"
    assert (desk.workspace / "a.txt").exists()


async def test_the_rights_of_a_folder_of_before_stay_and_it_can_be_written_into(desk: Desk) -> None:
    desk.write("docs/x.md")
    (desk.workspace / "shut").mkdir(mode=0o555)
    _, _, told = await desk.run("chmod 755 shut && mv docs/x.md shut/x.md && chmod 700 docs && mkdir -m 750 new")
    assert told.endswith("these are as they were: docs, shut")
    assert (desk.workspace / "shut/x.md").read_text() == "as it was"
    modes = [(desk.workspace / name).stat().st_mode & 0o777 for name in ("shut", "docs", "new")]
    assert modes == [0o555, 0o755, 0o750]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("chmod 666 d/key.txt", "as it was"),
        ("chmod 000 d/key.txt", "as it was"),
        ("chmod 777 d", "as it was"),
        ("chmod 000 d", "as it was"),
        ("echo new > d/key.txt; chmod 644 d/key.txt", "new\n"),
        ("echo new > other; mv other d/key.txt; chmod 644 d/key.txt", "new\n"),
        ("rm d/key.txt; echo new > d/key.txt; chmod 666 d/key.txt", "new\n"),
        ("cp -a d e; rm -rf d; mv e d; chmod 777 d; chmod 666 d/key.txt", "as it was"),
    ],
)
async def test_who_may_read_and_write_what_was_there_before_stays_and_the_result_says_so(
    command: str, text: str, desk: Desk
) -> None:
    (key := desk.write("d/key.txt")).chmod(0o600)
    key.parent.chmod(0o700)
    _, _, told = await desk.run(command)
    assert (key.read_text(), "these are as they were: d" in told) == (text, True)
    assert (key.stat().st_mode & 0o777, key.parent.stat().st_mode & 0o777) == (0o600, 0o700)


async def test_only_who_may_read_a_file_of_before_may_run_it_then(desk: Desk) -> None:
    (script := desk.write("tool.py")).chmod(0o640)
    await desk.run("chmod 777 tool.py")
    assert script.stat().st_mode & 0o777 == 0o750


async def test_the_rights_of_what_was_there_before_stay_where_a_person_allows_the_rest(desk: Desk) -> None:
    (key := desk.write("key.txt")).chmod(0o600)
    desk.write("Makefile")
    _, _, told = await desk.run("chmod 666 key.txt; echo evil > Makefile")
    assert "key.txt" not in desk.held.question(THREAD, set_id(told))
    assert "these are as they were: key.txt" in await desk.held.keep(THREAD, set_id(told), desk.look)
    assert ((desk.workspace / "Makefile").read_text(), key.stat().st_mode & 0o777) == ("evil\n", 0o600)


async def test_two_commands_that_end_at_once_do_not_mix(desk: Desk) -> None:
    for number in range(40):
        desk.write(f"f{number}.txt")
    await desk.run("true")
    both = asyncio.gather(
        *(desk.run(f"for i in $(seq 0 39); do echo {word} > f$i.txt; done") for word in ("one", "two"))
    )
    told = [one[2] for one in await both]
    held_back = [one for one in told if one]
    found = {file.read_text() for file in desk.workspace.iterdir()}
    assert found in ({"one\n"}, {"two\n"})
    assert len(held_back) < 2
    assert all("somebody else has changed" in one for one in held_back)


async def test_what_somebody_else_has_changed_meanwhile_is_not_written_over(desk: Desk) -> None:
    names = ("notes.txt", "gone.txt", "sub/deep/d.txt", "sub/deep/new.txt", "new.txt")
    files = [desk.write(name) for name in names[:3]]

    def person() -> None:
        for name in names:
            desk.write(name, "a person's")

    _, _, told = await desk.run("echo ours > notes.txt; rm -r gone.txt sub; echo ours > new.txt; touch b.txt", person)
    assert [(desk.workspace / name).read_text() for name in names] == ["a person's"] * len(names)
    question = desk.held.question(THREAD, set_id(told))
    assert "changed notes.txt: somebody else changed it meanwhile" in question
    assert "removed sub: somebody else changed it meanwhile" in question
    assert len(files) == 3


async def test_what_somebody_has_removed_meanwhile_does_not_come_back_unasked(desk: Desk) -> None:
    names = ("a.txt", "sub/b.txt", "moved.txt", "made.txt")
    for name in names:
        desk.write(name)

    def person() -> None:
        (desk.workspace / "a.txt").unlink()
        shutil.rmtree(desk.workspace / "sub")

    command = "echo more >> a.txt; sed -i s/as/is/ sub/b.txt; mv moved.txt m.txt; echo new > made.txt"
    _, _, told = await desk.run(command, person)
    assert sorted(path.name for path in desk.workspace.iterdir()) == ["made.txt", "moved.txt"]
    assert "somebody else has changed a.txt, sub/b.txt meanwhile" in told
    assert "new a.txt: somebody else changed it meanwhile" in desk.held.question(THREAD, set_id(told))


def _brings(desk: Desk) -> None:
    (desk.workspace / "other").rename(desk.workspace / "new")


def _swaps(desk: Desk) -> None:
    (desk.workspace / "lib").rename(desk.workspace / "lib.bak")
    (desk.workspace / "other").rename(desk.workspace / "lib")


def _swaps_all(desk: Desk) -> None:
    backup = desk.workspace.with_name("backup")
    shutil.copytree(desk.workspace, backup)
    (backup / "lib/notes.txt").write_text("a person's")
    desk.workspace.rename(desk.workspace.with_name("away"))
    backup.rename(desk.workspace)


RENAMES = pytest.mark.parametrize(
    ("command", "person"),
    [
        ("mkdir new; echo agent > new/notes.txt", _brings),
        ("echo agent >> lib/notes.txt", _swaps),
        ("rm lib/notes.txt", _swaps),
        ("rm -rf lib; mkdir lib; echo agent > lib/x.txt", _swaps),
        ("echo agent >> lib/notes.txt", _swaps_all),
    ],
)


def _with_folders(desk: Desk) -> None:
    desk.write("lib/notes.txt")
    desk.write("other/notes.txt", "a person's")


@RENAMES
async def test_what_a_person_brings_there_by_renaming_a_folder_is_not_written_over(
    desk: Desk, command: str, person: Callable[[Desk], None]
) -> None:
    _with_folders(desk)
    _, _, told = await desk.run(command, lambda: person(desk))
    assert "somebody else has changed" in told
    assert "a person's" in [file.read_text() for file in desk.workspace.rglob("notes.txt")]


@RENAMES
@pytest.mark.parametrize("restart", [False, True])
async def test_what_a_person_brings_there_by_renaming_a_folder_before_the_yes_is_not_written_over(
    desk: Desk, command: str, person: Callable[[Desk], None], restart: bool
) -> None:
    _with_folders(desk)
    _, _, told = await desk.run(f"{command}; echo all: > Makefile")
    person(desk)
    held = HeldChanges(desk.layers, ProgramFiles()) if restart else desk.held
    await held.open()
    with pytest.raises(Conflict, match="somebody has changed"):
        await held.keep(THREAD, set_id(told), desk.look)
    assert "a person's" in [file.read_text() for file in desk.workspace.rglob("notes.txt")]
    assert not (desk.workspace / "Makefile").exists()


async def test_folders_that_another_command_has_made_are_no_persons(desk: Desk) -> None:
    both = [desk.run(f"mkdir -p out/deep; echo {name} > out/deep/{name}.txt") for name in ("one", "two")]
    assert [told for _, _, told in await asyncio.gather(*both)] == ["", ""]
    assert sorted(file.name for file in desk.workspace.rglob("*.txt")) == ["one.txt", "two.txt"]


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize(
    ("command", "lands"),
    [
        ("git init -q inner; git -C inner config include.path ../../data/g.txt", False),
        ("ln -s data .claude", False),
        ("ln -s a.txt .vimrc", True),
        ("echo all: > Makefile", True),
    ],
)
async def test_what_held_changes_lead_to_stays_as_it_was_until_the_yes(
    desk: Desk, command: str, lands: bool, restart: bool
) -> None:
    desk.write("a.txt")
    desk.write("data/g.txt", "")
    _, _, told = await desk.run(command)
    desk.write("data/g.txt", "[core] fsmonitor = ./evil")
    held = HeldChanges(desk.layers, ProgramFiles()) if restart else desk.held
    await held.open()
    if lands:
        assert "is in the workspace now" in await held.keep(THREAD, set_id(told), desk.look)
        return
    with pytest.raises(Conflict, match=r"somebody has changed data/g.txt since, and links or settings of git"):
        await held.keep(THREAD, set_id(told), desk.look)


async def test_what_a_daemon_keeps_in_the_workspace_is_changed_by_no_command_unasked(desk: Desk) -> None:
    desk.write(".sulla/layer-x/old/1", "a person's")
    _, _, told = await desk.run("rm -r .sulla/layer-x/old")
    assert "programs may run or obey" in told
    _, _, told = await desk.run("rm -r .sulla")
    assert "programs may run or obey" in told


async def test_what_somebody_changes_before_the_yes_is_not_written_over_and_nothing_else_is_put_there(
    desk: Desk,
) -> None:
    desk.write("Makefile")
    _, _, told = await desk.run("echo ours > Makefile; echo ours > a.txt")
    desk.write("Makefile", "a person's")
    with pytest.raises(Conflict, match="somebody has changed Makefile since; run the command again"):
        await desk.held.keep(THREAD, set_id(told), desk.look)
    assert {path.name: path.read_text() for path in desk.workspace.iterdir()} == {"Makefile": "a person's"}
    assert list(desk.folders.iterdir()) == []


@pytest.mark.parametrize(
    ("by_person", "lands"),
    [("touch a.txt; git status", True), ("git add mine.txt", False), ("git rm -q --cached a.txt", False)],
)
@pytest.mark.parametrize("restart", [False, True])
async def test_a_persons_git_may_look_before_the_yes_and_what_they_stage_is_not_lost(
    by_person: str, lands: bool, restart: bool, desk: Desk
) -> None:
    desk.write("a.txt")
    desk.by_person(f"git init -q && git add . && {GIT} commit -qm first")
    desk.write("mine.txt")
    _, _, told = await desk.run(f"echo more >> b.txt; git add b.txt; {GIT} commit -qm second")
    before = (desk.workspace / ".git/index").lstat().st_ctime_ns
    desk.by_person(by_person)
    assert (desk.workspace / ".git/index").lstat().st_ctime_ns > before
    later = HeldChanges(desk.layers, ProgramFiles()) if restart else desk.held
    if restart:
        await later.open()
    if lands:
        await later.keep(THREAD, set_id(told), desk.look)
        assert desk.by_person("git log --format=%s") == "second\nfirst\n"
        assert desk.by_person("git status --short") == "?? mine.txt\n"
        return
    staged = desk.by_person("git status --short")
    with pytest.raises(Conflict, match=r"somebody has changed \.git/index since"):
        await later.keep(THREAD, set_id(told), desk.look)
    assert desk.by_person("git status --short") == staged


async def test_a_folder_that_becomes_a_link_meanwhile_leads_nowhere(desk: Desk, tmp_path: Path) -> None:
    desk.write("sub/a.txt")
    (tmp_path / "outside").mkdir()

    def replaced() -> None:
        shutil.rmtree(desk.workspace / "sub")
        (desk.workspace / "sub").symlink_to(tmp_path / "outside")

    _, _, told = await desk.run("echo evil > sub/b.txt", replaced)
    assert list((tmp_path / "outside").iterdir()) == []
    assert "somebody else has changed sub meanwhile" in told


async def test_what_python_has_compiled_and_what_is_no_file_stays_behind(desk: Desk) -> None:
    desk.write("one.py", "")
    _, _, told = await desk.run("PYTHONPYCACHEPREFIX= python3 -c 'import one'; ls -d __pycache__; mkfifo pipe")
    assert told == f"Not in the workspace: pipe ({NOT_KEPT})"
    assert sorted(path.name for path in desk.workspace.rglob("*")) == ["__pycache__", "one.py"]
    assert list(desk.folders.iterdir()) == []


async def test_who_renames_a_folder_is_told_how_to_move_it(desk: Desk) -> None:
    desk.write("old/a.txt")
    desk.by_person(f"git init -q && git add . && {GIT} commit -qm first")
    _, said, _ = await desk.run("git mv old new")
    assert "mv, then git add -A in the place of git mv" in desk.shell.hint("git mv old new", said)
    status, _, told = await desk.run(f"mv old new && git add -A && {GIT} commit -qm moved")
    assert status == 0
    await desk.held.keep(THREAD, set_id(told), desk.look)
    assert desk.by_person("git show --stat --format=%s | head -3") == "moved\n\n {old => new}/a.txt | 0\n"


async def test_two_names_of_one_file_are_two_files_in_the_workspace(desk: Desk) -> None:
    _, _, told = await desk.run("echo shown > a.txt; ln a.txt b.txt")
    assert told == ""
    assert [(desk.workspace / name).stat().st_nlink for name in ("a.txt", "b.txt")] == [1, 1]


async def test_of_more_changes_than_anybody_looks_through_none_is_in_the_workspace(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MOST_CHANGES", 5)
    status, text, told = await desk.run("echo said; touch a.txt b.txt c.txt d.txt e.txt f.txt")
    assert (status, text) == (0, "said\n")
    assert told.startswith("What the command changed is not in the workspace: the command changed more than 5 files")
    assert list(desk.workspace.iterdir()) == []


async def test_a_person_sees_what_would_change(desk: Desk) -> None:
    desk.write("Makefile", "all:\n\techo a\n")
    desk.write("old.txt", "a\n")
    command = (
        "echo '\techo evil' >> Makefile; printf '\\033[31mx\\n== b.sh\\n' > .envrc; head -c 9 /dev/zero > x.so; "
        "echo x > run.sh; chmod +x run.sh; rm old.txt; echo b > b.txt"
    )
    _, _, told = await desk.run(command)
    assert desk.held.question(THREAD, set_id(told)).split("\n")[1:] == [
        "new .envrc: a program that looks for it may run or obey it outside the sandbox",
        "changed Makefile: a build tool may run or obey it outside the sandbox",
        "new, can be run: run.sh: the system, or who opens it, may run or obey it outside the sandbox",
        "new x.so: the system, or who opens it, may run or obey it outside the sandbox",
        "with them new b.txt, removed old.txt",
        "== .envrc",
        "@@ -0,0 +1,2 @@",
        "+\\\\x1b[31mx",
        "+== b.sh",
        "== Makefile",
        "@@ -2 +2,2 @@",
        " \techo a",
        "+\techo evil",
        "== run.sh",
        "@@ -0,0 +1 @@",
        "+x",
        "== x.so: 9 bytes that are no text, or too long to be shown",
        "== b.txt",
        "@@ -0,0 +1 @@",
        "+b",
        "== old.txt",
        "@@ -1 +0,0 @@",
        "-a",
    ]


async def test_what_is_too_much_to_be_shown_is_named(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_text, "MOST_SHOWN", 100)
    _, _, told = await desk.run("seq 100 > one.sh; echo two > two.sh; seq 100 > three.txt")
    lines = desk.held.question(THREAD, set_id(told)).split("\n")
    assert lines[4:8] == ["== two.sh", "@@ -0,0 +1 @@", "+two", "== not shown, because it is too much: one.sh"]
    assert lines[8:10] == ["== three.txt", "@@ -0,0 +1,100 @@"]


async def test_more_than_a_person_can_look_at_is_not_held_back(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "MOST_ASKED", 3)
    _, _, told = await desk.run("touch a.sh b.sh c.sh d.sh e.txt")
    assert "programs may run or obey 4 of its files, and a person is asked about 3 at most: a.sh, b.sh, c.sh" in told
    assert list(desk.workspace.iterdir()) == []
    assert list(desk.folders.iterdir()) == []


ROTATED = "mv s1 x; mv s2 s1; mv x s2; rm -r gone; rm f; mkdir f; echo n > f/n.txt; mv d.txt e.txt"


@pytest.mark.parametrize("killed_at", [0, 20, 40, 60])
async def test_a_daemon_that_is_killed_while_it_puts_changes_there_goes_on_with_it(
    killed_at: int, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        desk.write(f"s1/{number}.txt", f"one {number}")
        desk.write(f"s2/{number}.txt", f"two {number}")
    for name in ("gone/a.txt", "f", "d.txt"):
        desk.write(name)
    whole = landing.put

    def killed(layer: Layer, found: Sequence[changes.Change]) -> Mapping[str, int]:
        with before_call(at(killed_at, Killed())):
            return whole(layer, found)

    monkeypatch.setattr("sulla.tools.shell.held.put", killed)
    monkeypatch.setattr(desk.layers, "remove", lambda layer: None)  # nor does it remove anything then
    with contextlib.suppress(Killed):
        await desk.run(ROTATED)
    monkeypatch.undo()
    await HeldChanges(desk.layers, ProgramFiles()).open()
    found = {str(path.relative_to(desk.workspace)): path for path in desk.workspace.rglob("*") if path.is_file()}
    moved = {f"s{a}/{n}.txt": f"{b} {n}" for n in range(3) for a, b in ((1, "two"), (2, "one"))}
    assert {name: path.read_text() for name, path in found.items()} == moved | {"f/n.txt": "n\n", "e.txt": "as it was"}
    assert list(desk.folders.iterdir()) == []


@pytest.mark.parametrize(
    ("target", "lands"),
    [("a.txt", True), ("../a.txt", True), ("../../home/token", False), ("/etc/passwd", False), ("x/../../..", False)],
)
async def test_a_link_that_leads_out_of_the_workspace_is_asked_about(target: str, lands: bool, desk: Desk) -> None:
    desk.write("a.txt")
    desk.write("docs/b.txt")
    _, _, told = await desk.run(f"ln -s {target} docs/link.txt")
    assert os.path.lexists(desk.workspace / "docs/link.txt") is lands
    assert ("links lead out of the workspace: docs/link.txt" in told) is not lands


@pytest.mark.parametrize(
    ("command", "lands"),
    [
        ("ln -s ../Makefile notes/todo.md", False),
        ("ln -s Makefile step.txt && ln -s ../step.txt notes/todo.md", False),
        ("ln -s ../way/Makefile notes/todo.md", False),
        ("ln -s ../way/../Makefile notes/todo.md", False),
        ("ln -s ../.github/later.md notes/todo.md", False),
        ("ln -s ../.github notes/todo", False),
        ("ln -s obeyed.txt todo.md", False),
        ("ln -s ../a.txt notes/todo.md", True),
        ("ln -s . here.md", True),
        ("mkdir build && ln -s ../build notes/b2.md", True),
        ("ln -s nowhere notes/new.md", True),
        ("ln -s ../Justfile notes/new.md", False),
        ("ln -s ../tool notes/tool.md", False),
    ],
)
async def test_a_plain_name_that_leads_to_a_program_file_is_asked_about(command: str, lands: bool, desk: Desk) -> None:
    desk.write("a.txt")
    desk.write("notes/b.md")
    desk.write("Makefile")
    desk.write(".github/x.yml")
    desk.write("obeyed.txt")
    desk.write("tool")
    desk.by_person("ln -s . way; ln -s obeyed.txt GNUmakefile")
    _, _, told = await desk.run(command)
    link = desk.workspace / command.rsplit(maxsplit=1)[-1]
    assert (os.path.lexists(link), "programs may run or obey" in told) == (lands, not lands)


@pytest.mark.parametrize("by_command", [True, False])
async def test_a_link_is_put_there_only_while_it_leads_to_what_it_led_to(desk: Desk, by_command: bool) -> None:
    desk.write("build.txt")
    _, _, told = await desk.run("ln -s build.txt GNUmakefile")
    if by_command:
        assert (await desk.run("echo evil > build.txt"))[2] == ""
    else:
        desk.write("build.txt", "evil")
    with pytest.raises(Conflict, match="run the command again"):
        await desk.held.keep(THREAD, set_id(told), desk.look)
    assert not (desk.workspace / "GNUmakefile").exists()


async def test_what_a_held_link_leads_to_is_looked_at_after_a_restart_too(desk: Desk) -> None:
    desk.write("build.txt")
    _, _, told = await desk.run("ln -s build.txt GNUmakefile")
    later = HeldChanges(desk.layers, ProgramFiles())
    await later.open()
    desk.write("build.txt", "evil")
    with pytest.raises(Conflict, match=r"somebody has changed build.txt since"):
        await later.keep(THREAD, set_id(told), desk.look)
    assert not (desk.workspace / "GNUmakefile").exists()


async def test_what_leads_git_elsewhere_is_none_of_its_records(desk: Desk, tmp_path: Path) -> None:
    desk.by_person(f"git init -q && {GIT} commit -q --allow-empty -m first")
    _, _, told = await desk.run(
        f"ln -sf {tmp_path}/outside .git/COMMIT_EDITMSG; echo ../x > .git/objects/info/alternates"
    )
    question = desk.held.question(THREAD, set_id(told))
    assert "changed link .git/COMMIT_EDITMSG: git" in question
    assert "new .git/objects/info/alternates: git" in question


async def test_held_changes_are_of_one_conversation_and_are_given_up_with_it(desk: Desk) -> None:
    _, _, told = await desk.run("touch Makefile")
    assert desk.held.question(ThreadId("thr_2"), set_id(told)) == ""
    with pytest.raises(NotFound, match="held back: nothing"):
        await desk.held.keep(ThreadId("thr_2"), set_id(told), desk.look)
    await desk.held.forget(THREAD)
    with pytest.raises(NotFound, match="and run the command again"):
        await desk.held.keep(THREAD, set_id(told), desk.look)
    assert list(desk.folders.iterdir()) == []


async def test_of_one_conversation_only_so_many_are_held_back_and_that_is_said(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held, "MOST_SETS", 2)
    told = [(await desk.run(f"echo {number} > Makefile"))[2] for number in range(3)]
    assert [bool(desk.held.question(THREAD, set_id(one.partition(". Given")[0]))) for one in told] == [
        False,
        True,
        True,
    ]
    assert told[2].endswith(f". Given up for it: {set_id(told[0])}")
    assert len(desk.held.waiting(THREAD)) == len(list(desk.folders.iterdir())) == 2


async def test_what_is_held_back_outlives_the_daemon_and_nothing_else_does(desk: Desk) -> None:
    _, _, told = await desk.run("touch Makefile; mkdir -m 0 shut")
    question = desk.held.question(THREAD, set_id(told))
    desk.layers.make(str(desk.workspace))  # of a command that was at work when the daemon was killed
    later = HeldChanges(desk.layers, ProgramFiles())
    await later.open()
    assert len(list(desk.folders.iterdir())) == 1
    assert later.question(THREAD, set_id(told)) == question
    await later.keep(THREAD, set_id(told), desk.look)
    assert sorted(path.name for path in desk.workspace.iterdir()) == ["Makefile", "shut"]
    assert list(desk.folders.iterdir()) == []


@pytest.mark.parametrize("deep", [100, 3_000])
async def test_folders_that_lie_too_deep_stay_behind_and_do_no_harm(desk: Desk, deep: int) -> None:
    code = f"import os; [(os.mkdir('d'), os.chdir('d')) for _ in range({deep})]"
    status, _, told = await desk.run(f'python3 -c "{code}"; touch a.txt')
    assert status == 0
    assert NOT_KEPT in told
    assert (desk.workspace / "a.txt").exists()
    await desk.held.forget(THREAD)
    assert list(desk.folders.iterdir()) == []


async def test_a_command_sees_neither_the_layer_nor_what_lies_below_it(desk: Desk) -> None:
    status, text, _ = await desk.run(
        f"ls -A {desk.folders} {desk.workspace.parent}; cat /proc/self/mounts | grep overlay"
    )
    assert status == 0
    assert str(desk.folders) not in text.replace(f"'{desk.folders}'", "")
    assert "lowerdir=lower,upperdir=upper,workdir=work" in text


def test_there_is_no_layer_over_a_workspace_that_holds_it(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="holds the daemon's own folder"):
        Layers(tmp_path / "home/layers").make(os.fspath(tmp_path))


@pytest.mark.parametrize("command", ["chmod 755 old.py", "echo '#!/bin/sh' > new.md && chmod 755 new.md"])
async def test_that_a_file_can_be_run_is_nothing_to_ask_about_whether_it_is_new_or_not(
    command: str, desk: Desk
) -> None:
    desk.write("old.py").chmod(0o644)
    assert await desk.run(command) == (0, "", "")
    assert (desk.workspace / command.rpartition(" ")[2]).stat().st_mode & 0o777 == 0o755


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts")
def test_there_is_no_layer_over_a_workspace_within_which_something_is_mounted(tmp_path: Path) -> None:
    (place := tmp_path / "w/a b").mkdir(parents=True)
    (tmp_path / "w-other").mkdir()
    code = (
        "import pathlib, sys; from sulla.tools.shell.layer import *\n"
        "for name in ('w-other', 'w'):\n"
        "    try: print(Layers(pathlib.Path(sys.argv[1], 'layers')).make(f'{sys.argv[1]}/{name}').workspace)\n"
        "    except Refused as error: print(error.message)"
    )
    mount = 'mount -t tmpfs tmpfs "$1" && mount -t tmpfs tmpfs "$2" && shift 2 && exec "$@"'
    inside = ("sh", "-c", mount, "sh", place, tmp_path / "w-other", sys.executable, "-c", code, tmp_path)
    said = subprocess.run(("unshare", "-m", *inside), capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == [
        f"{tmp_path}/w-other",
        f"{place} is mounted within the workspace, so no layer can be put over it: unmount it",
    ]


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (
            errno.ENOSPC,
            "No space left on device in /data/layers: make room on that disk. What is held back of commands",
        ),
        (errno.EDQUOT, "Disk quota exceeded in /data/layers: make room on that disk."),
        (errno.EROFS, "Read-only file system in /data/layers"),
    ],
)
def test_what_cannot_be_written_is_said_with_its_folder_and_what_to_do(number: int, said: str) -> None:
    assert why_not_written(OSError(number, ""), Path("/data/layers")).startswith(said)


async def test_names_may_hold_anything(tmp_path: Path) -> None:
    (folder := tmp_path / "a, b:c\\d 'e").mkdir()
    desk = Desk(folder)
    assert (await desk.run("touch 'x\ny.txt' \"$(printf '\\xff.txt')\""))[2] == ""
    assert sorted(os.fsencode(path.name) for path in desk.workspace.iterdir()) == [b"x\ny.txt", b"\xff.txt"]
    _, _, told = await desk.run("mkdir .z; touch '.z/x\ny'")
    assert "new '.z/x\\\\ny': " in desk.held.question(THREAD, set_id(told))
