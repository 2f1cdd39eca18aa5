"""`./dev` builds the console where it can, once, and gets along without."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.house.test_setup import Clone

LEFT_OUT = "the console is left out: that takes Node.js 20.19 or newer with npm, and none was found"
NPM = """#!/bin/sh
echo "$*" >>"{asked}"
case "$*" in
    *build*) mkdir -p ../sulla/console/web && echo page >../sulla/console/web/index.html ;;
    *"$FAILS"*) [ -z "$FAILS" ] || exit 1 ;;
esac
"""


class Checkout:
    """A clone with a tiny console, and an npm that writes down what it is told."""

    def __init__(self, root: Path) -> None:
        self.clone = Clone(root)
        self.root = root
        (root / "console/src").mkdir(parents=True)
        (root / "console/package-lock.json").write_text("{}")
        (root / "console/src/main.ts").write_text("// here")
        (root / "docs/inside").mkdir(parents=True)
        (root / "docs/inside/asyncapi.json").write_text("{}")
        self.page = root / "sulla/console/web/index.html"
        self.asked = root / "npm-asked"
        self.programs = root / "programs"
        self.programs.mkdir()
        for name in (
            "sh",
            "sed",
            "cat",
            "cut",
            "grep",
            "cksum",
            "find",
            "sort",
            "mkdir",
            "dirname",
            "getconf",
            "mktemp",
            "rm",
        ):
            found = shutil.which(name)
            assert found is not None, name
            (self.programs / name).symlink_to(found)
        for name in ("ruff", "mypy", "lint-imports"):
            self._write(root / ".venv/bin" / name, "#!/bin/sh\n")

    def with_node(self, version: str = "20.19.0") -> None:
        """Have a Node of that version, and an npm."""
        older = "1" if tuple(map(int, version.split("."))) < (20, 19) else "0"
        self._write(self.programs / "node", f"#!/bin/sh\nexit {older}\n")
        self._write(self.programs / "npm", NPM.replace("{asked}", str(self.asked)))

    def dev(self, *words: str, fails: str = "") -> tuple[int, str, list[str]]:
        """Run `./dev`: its exit code, what it complained of, and what npm was told."""
        self.asked.write_text("")
        environ = {"PATH": str(self.programs), "HOME": str(self.root), "FAILS": fails}
        done = subprocess.run(
            [self.root / "dev", *words], env=environ, capture_output=True, text=True, check=False, timeout=50
        )
        return done.returncode, done.stderr + done.stdout, self.asked.read_text().splitlines()

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o700)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


BUILD = ["ci --loglevel=error --no-audit --no-fund", "run --silent build"]


def test_it_is_built_once_and_anew_when_something_has_changed(checkout: Checkout) -> None:
    checkout.with_node()
    assert checkout.dev("setup")[::2] == (0, BUILD)
    assert checkout.page.exists()
    assert checkout.dev("setup")[::2] == checkout.dev("run")[::2] == (0, [])
    for changed in ("console/src/main.ts", "console/package-lock.json", "docs/inside/asyncapi.json"):
        (checkout.root / changed).write_text("another")
        assert checkout.dev("run")[::2] == (0, BUILD), changed
    (checkout.root / "console/node_modules").mkdir()
    (checkout.root / "console/node_modules/some.js").write_text("")
    assert checkout.dev("setup")[::2] == (0, [])
    checkout.page.unlink()
    assert checkout.dev("setup")[::2] == (0, BUILD)


def test_without_node_one_line_says_what_is_left_out(checkout: Checkout) -> None:
    code, said, asked = checkout.dev("setup")
    assert (code, said.count(LEFT_OUT), asked) == (0, 1, [])
    checkout.with_node("20.18.9")
    code, said, asked = checkout.dev("run")
    assert (code, said.count(LEFT_OUT), asked) == (0, 1, [])
    assert "sulla up" in said


def test_where_there_is_no_console_nothing_is_said(checkout: Checkout) -> None:
    shutil.rmtree(checkout.root / "console")
    code, said, _ = checkout.dev("setup")
    assert (code, "console" in said) == (0, False)


def test_one_that_cannot_be_built_fails_the_setup_and_nothing_else(checkout: Checkout) -> None:
    checkout.with_node()
    code, said, asked = checkout.dev("setup", fails="ci")
    assert (code, asked) == (1, BUILD[:1])
    assert "could not be built" in said
    code, said, _ = checkout.dev("run", fails="ci")
    assert (code, "could not be built" in said, "sulla up" in said) == (0, True, True)


def test_a_check_runs_the_console_s_own_gates(checkout: Checkout) -> None:
    checkout.with_node()
    code, said, asked = checkout.dev("check")
    assert code == 0, said
    console = f"--prefix {checkout.root}/console"
    assert asked == [
        *BUILD,
        f"{console} run --silent lint",
        f"{console} run --silent typecheck",
        f"{console} test --silent",
    ]
    (checkout.root / "console" / "new.ts").write_text("")  # else they would not run again
    code, said, _ = checkout.dev("check", fails="typecheck")
    assert (code, said.splitlines()[-1]) == (1, "check: FAILED: console-types")


def test_what_was_built_is_in_the_package_though_it_is_not_in_the_repository() -> None:
    root = Path(__file__).parents[2]
    ignored = subprocess.run(
        ["git", "check-ignore", "sulla/console/web/index.html"], cwd=root, capture_output=True, text=True, check=False
    )
    assert ignored.stdout.strip() == "sulla/console/web/index.html"
    assert 'artifacts = ["sulla/console/web/**"]' in (root / "pyproject.toml").read_text()
