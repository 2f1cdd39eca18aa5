"""What commands write for those who have read what nobody trusts, until it is in the workspace."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from sulla.core.errors import NotFound, Refused
from sulla.core.ids import ThreadId
from sulla.host.system import SystemClock
from sulla.tools.output import Output
from sulla.tools.program_files import ProgramFiles
from sulla.tools.shell import changes
from sulla.tools.shell import held as held_module
from sulla.tools.shell.held import HeldChanges
from sulla.tools.shell.layer import Layers
from sulla.tools.shell.process import run_program
from sulla.tools.shell.sandbox import Shell

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here")

GIT = "git -c user.name=a -c user.email=a@b.example"
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
            told = await self.held.land(layer, THREAD)
        return ended.status, output.show(""), told

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
        "cat old.txt; echo new > old.txt; rm -r gone; mkdir -p deep/er; echo x > deep/er/x; chmod 640 deep/er/x; "
        "ln -s old.txt link; mv kept.txt moved.txt"
    )
    assert await desk.run(command) == (0, "as it was", "")
    assert (old.read_text(), gone.parent.exists(), kept.exists()) == ("new\n", False, False)
    assert (desk.workspace / "moved.txt").read_text() == "as it was"
    assert (desk.workspace / "deep/er/x").stat().st_mode & 0o777 == 0o640
    assert (desk.workspace / "link").readlink() == Path("old.txt")
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
    ],
)
async def test_what_programs_run_is_as_it_was_until_a_person_has_allowed_it(command: str, desk: Desk) -> None:
    for name in ("Makefile", ".vscode/a", "mine/a", "sub/deep/package.json", "docs/a.md"):
        desk.write(name)
    desk.by_person("git init -q")
    before = {path: path.read_bytes() for path in desk.workspace.rglob("*") if path.is_file()}
    status, _, told = await desk.run(command)
    assert status == 0
    assert told.startswith("Not in the workspace: ")
    assert {path: path.read_bytes() for path in before} == before
    assert desk.workspace.joinpath("Makefile").stat().st_mode & 0o111 == 0
    assert not (desk.workspace / "docs/HEAD").exists()
    assert not [*desk.workspace.glob(".vscode/tasks.json"), *desk.workspace.glob("mine/added")]
    assert desk.held.question(THREAD, set_id(told)).startswith("Put into the workspace what a command has changed? ")


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
    ],
)
async def test_what_a_link_or_gits_settings_lead_to_is_held_back_also_if_it_is_not_there_yet(
    lead: str, named: str, desk: Desk
) -> None:
    desk.by_person(lead)
    file = desk.workspace / named
    before = file.read_bytes() if file.exists() else None
    status, _, told = await desk.run(f"mkdir -p {Path(named).parent} && echo evil >> {named}")
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
    assert (desk.workspace / "b.txt").read_text() == "b\n"
    assert ".git/ with " in told
    assert await desk.held.keep(THREAD, set_id(told))
    assert desk.by_person("git log --format=%s") == "second\nfirst\n"
    assert list(desk.folders.iterdir()) == []


async def test_nothing_leaves_its_place_before_it_is_at_its_new_one(desk: Desk) -> None:
    notes = desk.write("notes.txt")
    _, _, told = await desk.run("mv notes.txt conftest.py")
    assert notes.read_text() == "as it was"
    assert "conftest.py (a test runner may run or obey it outside the sandbox); notes.txt (it was removed" in told
    await desk.held.keep(THREAD, set_id(told))
    assert not notes.exists()
    assert (desk.workspace / "conftest.py").read_text() == "as it was"


async def test_what_somebody_else_has_changed_meanwhile_is_not_written_over(desk: Desk) -> None:
    notes, gone = desk.write("notes.txt"), desk.write("gone.txt")

    def person() -> None:
        notes.write_text("a person's")
        gone.write_text("a person's")
        desk.write("new.txt", "a person's")

    _, _, told = await desk.run("echo ours > notes.txt; rm gone.txt; echo ours > new.txt; echo ours > free.txt", person)
    assert [file.read_text() for file in (notes, gone, desk.workspace / "new.txt")] == ["a person's"] * 3
    assert (desk.workspace / "free.txt").read_text() == "ours\n"
    assert "gone.txt, new.txt, notes.txt (somebody else changed it while the command ran)" in told


async def test_a_folder_that_becomes_a_link_meanwhile_leads_nowhere(desk: Desk, tmp_path: Path) -> None:
    desk.write("sub/a.txt")
    (tmp_path / "outside").mkdir()

    def replaced() -> None:
        shutil.rmtree(desk.workspace / "sub")
        (desk.workspace / "sub").symlink_to(tmp_path / "outside")

    _, _, told = await desk.run("echo evil > sub/b.txt", replaced)
    assert list((tmp_path / "outside").iterdir()) == []
    assert "sub/b.txt (" in told


async def test_what_python_has_compiled_and_what_is_no_file_stays_behind(desk: Desk) -> None:
    desk.write("one.py", "")
    _, _, told = await desk.run("python3 -c 'import one'; ls -d __pycache__; mkfifo pipe; rm one.py")
    assert told == "Not in the workspace: pipe (it is no file, folder or link that anybody can read)"
    assert list(desk.workspace.iterdir()) == []
    assert list(desk.folders.iterdir()) == []


async def test_what_is_held_back_does_not_change_with_a_file_that_has_landed(desk: Desk) -> None:
    _, _, told = await desk.run("echo shown > a.txt; ln a.txt Makefile")
    with (desk.workspace / "a.txt").open("a") as file:
        file.write("not shown\n")
    await desk.held.keep(THREAD, set_id(told))
    assert (desk.workspace / "Makefile").read_text() == "shown\n"


async def test_of_more_changes_than_anybody_looks_through_none_is_in_the_workspace(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MOST_CHANGES", 5)
    status, text, told = await desk.run("echo said; touch a b c d e f")
    assert (status, text) == (0, "said\n")
    assert told.startswith("Nothing of what it changed is in the workspace: the command changed more than 5 files")
    assert list(desk.workspace.iterdir()) == []


async def test_a_person_sees_what_would_change(desk: Desk) -> None:
    desk.write("Makefile", "all:\n\techo a\n")
    _, _, told = await desk.run(
        "echo '\techo evil' >> Makefile; printf '\\033[31m' > .envrc; head -c 9 /dev/zero > x.so"
    )
    question = desk.held.question(THREAD, set_id(told))
    assert "+++ Makefile" in question
    assert "+\techo evil" in question
    assert "+++ .envrc" in question
    assert "+\\x1b[31m" in question
    assert "x.so (the system, or who opens it, may run" in question


async def test_of_many_changes_not_all_are_shown_and_that_is_said(desk: Desk) -> None:
    _, _, told = await desk.run("for i in $(seq 100); do seq $((i * 10)) > test_$i.py; done")
    assert "and 80 more" in told
    question = desk.held.question(THREAD, set_id(told))
    assert "[… more changes than are shown here" in question
    assert len(question) < 2 * held_module.MOST_SHOWN


async def test_held_changes_are_of_one_conversation_and_are_given_up_with_it(desk: Desk) -> None:
    _, _, told = await desk.run("touch Makefile")
    assert desk.held.question(ThreadId("thr_2"), set_id(told)) == ""
    with pytest.raises(NotFound, match="held back: nothing"):
        await desk.held.keep(ThreadId("thr_2"), set_id(told))
    await desk.held.forget(THREAD)
    with pytest.raises(NotFound, match="run the command again"):
        await desk.held.keep(THREAD, set_id(told))
    assert list(desk.folders.iterdir()) == []


async def test_only_so_many_commands_have_changes_held_back(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_module, "MOST_SETS", 2)
    told = [(await desk.run(f"echo {number} > Makefile"))[2] for number in range(3)]
    assert [bool(desk.held.question(THREAD, set_id(one))) for one in told] == [False, True, True]
    assert len(list(desk.folders.iterdir())) == 2


async def test_a_later_start_gives_up_what_an_earlier_daemon_has_left(desk: Desk) -> None:
    await desk.run("touch Makefile; mkdir -m 0 shut; d=d; for i in $(seq 40); do mkdir $d; cd $d; done")
    assert len(list(desk.folders.iterdir())) == 1
    await Shell(layers=desk.layers).open(desk.workspace, SystemClock())
    assert list(desk.folders.iterdir()) == []


@pytest.mark.parametrize("deep", [100, 3_000])
async def test_folders_that_lie_too_deep_stay_behind_and_do_no_harm(desk: Desk, deep: int) -> None:
    code = f"import os; [(os.mkdir('d'), os.chdir('d')) for _ in range({deep})]"
    status, _, told = await desk.run(f'python3 -c "{code}"; touch a.txt')
    assert status == 0
    assert "it is no file, folder or link that anybody can read" in told
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


async def test_names_may_hold_anything(tmp_path: Path) -> None:
    (folder := tmp_path / "a, b:c\\d 'e").mkdir()
    desk = Desk(folder)
    _, _, told = await desk.run("touch 'x\ny' \"$(printf '\\xff.txt')\"; mkdir .z; touch '.z/x\ny'")
    assert sorted(os.fsencode(path.name) for path in desk.workspace.iterdir()) == [b"x\ny", b"\xff.txt"]
    assert ".z/ with 2 changes" in told
