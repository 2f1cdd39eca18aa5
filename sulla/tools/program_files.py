"""Files that programs of the owner run or take orders from, wherever they lie in a workspace.

Who writes one has something done outside any sandbox the next time that the owner uses git, a build tool or an editor
there. So a run that has read what nobody trusts asks before it writes one.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Sequence
from fnmatch import fnmatchcase, translate
from functools import lru_cache
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import Refused, SullaError
from sulla.core.jsontypes import FrozenJson
from sulla.tools.base import ToolContext
from sulla.tools.paths import inside

PROGRAM_FILES: Final = {
    "git, or another version control": (
        ".git *.git .gitmodules .gitattributes .gitconfig .githooks .husky .hg .svn head commondir "
        ".pre-commit-config.y*ml .pre-commit-hooks.y*ml lefthook*.y*ml .lefthook*.y*ml"
    ),
    "a shell, or what it starts": (
        ".envrc .env .env.* .bashrc .bash_* .profile .login .logout .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc "
        ".cshrc .tcshrc .inputrc .xinitrc .xprofile .xsession .tool-versions mise.toml .mise* .config .local .ssh "
        ".gnupg launchagents .tmux.conf .screenrc"
    ),
    "an editor": (
        ".vscode .idea .fleet .zed .editorconfig .vim .vimrc .nvim* .exrc .emacs .emacs.d .dir-locals*.el "
        "*.code-workspace *.sublime-project .devcontainer .devcontainer.json"
    ),
    "a build tool": (
        "makefile gnumakefile *.mk justfile .justfile taskfile*.y*ml cmakelists.txt cmakepresets.json meson.build "
        "rakefile gemfile *.gemspec cargo.toml .cargo build.rs rust-toolchain* go.work go.mod pom.xml .mvn mvnw* "
        "gradlew* gradle.properties *.gradle *.gradle.kts build.sbt workspace.bazel module.bazel .bazelrc flake.nix "
        "shell.nix default.nix package.swift directory.build.* composer.json mix.exs procfile tiltfile earthfile"
    ),
    "Python": (
        "pyproject.toml setup.py setup.cfg conftest.py tox.ini noxfile.py pytest.ini sitecustomize.py "
        "usercustomize.py *.pth .venv venv"
    ),
    "Node or another JavaScript": (
        "package.json .npmrc .yarnrc* .yarn .pnpmfile.* pnpm-workspace.yaml bunfig.toml deno.json* gruntfile.* "
        "gulpfile.* *.config.js *.config.?js *.config.ts *.config.?ts .eslintrc* .babelrc* .prettierrc*"
    ),
    "a build server": (
        ".github .gitlab .gitlab-ci.y*ml .circleci .travis.y*ml jenkinsfile azure-pipelines*.y*ml "
        "bitbucket-pipelines.yml .drone.y*ml .woodpecker* .buildkite .appveyor.y*ml appveyor.y*ml .forgejo .gitea"
    ),
    "a container or machine builder": (
        "dockerfile dockerfile.* *.dockerfile containerfile compose*.y*ml docker-compose*.y*ml vagrantfile"
    ),
    "another agent": (
        ".claude .agents .mcp.json mcp.json claude*.md agent.md agents*.md gemini.md skill.md .cursor .cursorrules "
        ".windsurf* .clinerules* .roo* .aider* .code? .gemini .continue"
    ),
}
"""Who runs or obeys which files or folders: names in small letters, `*` for any letters, `?` for one."""

_PATTERNS: Final = tuple("|".join(map(translate, names.split())) for names in PROGRAM_FILES.values())
"""For each of those who run files, the names as one regular expression."""
_WHO: Final = tuple(PROGRAM_FILES)
_NOBODY: Final = len(_WHO)


@dataclass(frozen=True, slots=True)
class ProgramFiles:
    """Which files ask before a tainted run writes them. It lives as long as the tools that write.

    Args:
        also: what a person added: names or paths, as in `PROGRAM_FILES`; a path fits wherever it begins.
    """

    also: tuple[str, ...] = ()

    def reader(self, parts: Sequence[str]) -> str:
        """Who runs or obeys a file, e.g. ``a build tool``; empty for nobody.

        Args:
            parts: where it is below the workspace, links resolved.
        """
        if (first := min(map(_place_of, parts), default=_NOBODY)) < _NOBODY:
            return _WHO[first]
        names = [_plain(part) for part in parts] if self.also else []
        return "a program of yours" if any(_lies_in(names, path.split("/")) for path in self.also) else ""

    def question(self, parts: Sequence[str]) -> str:
        """What a person is asked before a tainted run writes a file; empty for nothing. Arguments as in `reader`."""
        if not (who := self.reader(parts)):
            return ""
        return (
            f"write {'/'.join(parts)} in the workspace? {who[0].upper()}{who[1:]} may run it or take orders from it, "
            "outside the sandbox, and the conversation holds text from outside that may have asked for this"
        )

    def asks(self, args: FrozenJson, context: ToolContext) -> str:
        """Keeps `Tool.asks` for a tool that writes the file `path` of the workspace."""
        path = args.get("path")
        if not context.tainted or not isinstance(path, str):
            return ""
        try:
            place = inside(context.workspace, path)
            return self.question(place.relative_to(os.path.realpath(context.workspace)).parts)
        except SullaError:
            return ""  # the tool will say the same, and `check` looks again

    def check(self, parts: Sequence[str], context: ToolContext) -> None:
        """Look again when the file is open to be written: a link may have been put in its way since the question.

        Raises:
            Refused: nobody was asked about this file.
        """
        if context.tainted and (asked := self.question(parts)) and asked not in context.approved.split("\n"):
            raise Refused(
                f"nobody has allowed to write {'/'.join(parts)!r}, where this path leads now; name that file itself, "
                "and a person is asked"
            )


PROGRAMS: Final = ProgramFiles()
"""Those of the table alone."""


@lru_cache(maxsize=16_384)
def _place_of(part: str) -> int:
    """Who in the table runs or obeys what is called so; `_NOBODY` for none. A workspace has the same names again and
    again, and each command of a tainted run asks for all of them."""
    name = _plain(part)
    return next((place for place, pattern in enumerate(_PATTERNS) if re.match(pattern, name)), _NOBODY)


def _lies_in(names: Sequence[str], path: Sequence[str]) -> bool:
    wanted = [_plain(part) for part in path if part not in ("", ".")]
    spans = (names[at : at + len(wanted)] for at in range(len(names) - len(wanted) + 1))
    return bool(wanted) and any(all(map(fnmatchcase, span, wanted)) for span in spans)


def _plain(name: str) -> str:
    """A name as file systems compare it that take small and capital letters for the same, or leave out what is not
    seen."""
    seen = "".join(char for char in unicodedata.normalize("NFKC", name) if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", seen.casefold()).rstrip(" .")
