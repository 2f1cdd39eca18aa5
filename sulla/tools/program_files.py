"""Files that programs of the owner run or take orders from, wherever they lie in a workspace.

Who writes one has something done outside any sandbox the next time that the owner uses git, a build tool or an editor
there. So a run that has read what nobody trusts asks before it writes one.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase, translate
from functools import lru_cache
from pathlib import Path
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import Refused, SullaError
from sulla.core.jsontypes import FrozenJson
from sulla.tools.base import ToolContext
from sulla.tools.paths import inside
from sulla.tools.program_links import led_to

PROGRAM_FILES: Final = {
    "git, or another version control": ".gitmodules .gitattributes head commondir lefthook*.y*ml",
    "a build tool": (
        "*file *.gyp *.gypi "
        "makefile.* gnumakefile *.mk *.cmake cmakelists.txt cmake*presets.json meson.build meson*options* "
        "taskfile*.y*ml configure configure.ac configure.in *.am build build.bazel *.bzl workspace workspace.* "
        "module.bazel sconstruct sconscript wscript *.smk build.rs build.zig* build.xml build.pl build.py *.sbt "
        "*.gradle *.gradle.kts gradle.properties gradle-wrapper.* gradlew* mvnw* pom.xml *.gemspec *.podspec "
        "cargo.toml rust-toolchain* go.mod go.work go.sum magefile*.go package.swift directory.*.props *.targets "
        "*.props *.csproj *.vbproj *.fsproj *.vcxproj *.sln nuget.config global.json composer.json mix.exs "
        "rebar.config kbuild kconfig buck jamroot jamfile dangerfile* *.gn build.ninja android.bp pants*.toml "
        "*.cabal cabal.project* stack.yaml setup.hs dune dune-project project.clj deps.edn xmake.lua "
        "premake*.lua conanfile.* vcpkg.json shard.yml pubspec.y*ml dub.json dub.sdl *.nimble *.nix devbox.json "
        "mise*.toml *.lock *.lockb pkgbuild apkbuild build.sc build.mill *.slnx *.pbxproj *.xcconfig nextflow.config "
        "dvc.yaml"
    ),
    "Python": (
        "pyproject.toml setup.py setup.cfg tox.ini noxfile.py mypy.ini pytest.ini sitecustomize.py "
        "usercustomize.py *.pth dodo.py tasks.py fabfile.py manage.py requirements*.txt requirements*.in "
        "constraints*.txt environment*.y*ml pdm.toml poetry.toml uv.toml hatch.toml pixi.toml pip.conf pip.ini "
        "conf.py mkdocs*.y*ml config.ru gunicorn*.py celeryconfig.py pavement.py pylintrc* entry_points.txt "
        "locustfile.py wsgi.py asgi.py jupyter_*.py *-requirements.txt "
        "local_settings.py behave.ini uwsgi.ini"
    ),
    "Node or another JavaScript": (
        "package.json package-lock.json npm-shrinkwrap.json pnpm-*.yaml pnpmfile.* bunfig.toml deno.json* "
        "gruntfile.* gulpfile.* *.config.js *.config.cjs *.config.mjs *.config.ts *.config.cts *.config.mts "
        "*.config.json *.conf.js *.conf.cjs *.conf.mjs *.conf.ts gatsby-*.?s* tsconfig*.json jsconfig*.json "
        "*file.js *file.mjs *file.cjs *file.ts *file.rb gems.rb user.clj ember-cli-build.js truffle-config.js "
        "jest.setup.* jest.global* vitest.setup.* webpack.*.js rollup.*.js "
        "nx.json project.json turbo.json lerna.json rush.json nodemon*.json angular.json *.workspace.ts"
    ),
    "a test runner": (
        "conftest.py test*.py *_test.py cucumber.js *test.java spec_helper.rb rails_helper.rb *_spec.rb phpunit.xml* "
        "*_test.go *.test.js "
        "*.test.ts *.test.jsx *.test.tsx *.test.mjs *.test.cjs *.spec.js *.spec.ts *.spec.jsx *.spec.tsx *.spec.mjs "
        "*.spec.cjs test.py tests.py *_test.rb test_*.rb *_test.exs *_test.dart *.bats "
        "test-*.?s test-*.?js *-test.?s *-test.?js *_test.?s *_test.?js test.?s test.?js *.t rector.php "
        "phpstan.neon psalm.xml"
    ),
    "a build server": (
        "action.y*ml _config.y*ml renovate.json azure-pipelines*.y*ml bitbucket-pipelines.y*ml appveyor.y*ml "
        "cloudbuild*.y*ml buildspec*.y*ml codemagic.y*ml"
    ),
    "a container or machine builder": (
        "dockerfile.* compose*.y*ml docker-compose*.y*ml docker-bake.* *.tf *.tfvars *.tf.json *.hcl pulumi*.y*ml "
        "serverless.* skaffold.y*ml helmfile*.y*ml kustomization.y*ml chart.yaml ansible.cfg cdk.json "
        "samconfig.toml netlify.toml vercel.json fly.toml wrangler.* firebase.json devenv.y*ml"
    ),
    "an editor": (
        "*.code-workspace *.sublime-project *.sublime-settings *.sublime-build _vimrc *.vim init.lua *.el startup.m "
        "startup.jl *.iml devcontainer.json launch.json"
    ),
    "another agent": (
        "mcp*.json claude*.md agent.md agents*.md gemini*.md qwen*.md crush.* warp.md skill.md conventions.md "
        "opencode.json* *pilot-instructions.md *.mdc *.prompt.md *.instructions.md instructions.md tools.md "
        "memory.md code?.md replit.md *.chatmode.md *.agent.md soul.md "
        "heartbeat.md bootstrap.md"
    ),
    "the system, or who opens it,": (
        "*.sh *.bash *.zsh *.fish *.ksh *.csh *.ps1 *.psm1 *.psd1 *.bat *.cmd *.com *.exe *.scr *.msi *.reg *.vbs "
        "*.vbe *.wsf *.hta *.lnk *.url *.command *.tool *.workflow *.scpt *.applescript *.plist *.desktop "
        "*.service *.timer *.socket *.mount *.appimage *.deb *.rpm *.pkg *.dmg crontab *.crontab *.cron "
        "autorun.inf desktop.ini _netrc *.run *.nu *.path *.spec artisan *.webloc *.fileloc *.inetloc *.terminal "
        "*.mobileconfig *.jar *.jnlp *.jse *.wsh *.sct *.scf *.pif *.cpl *.msc *.chm *.docm *.dotm *.xlsm *.xltm "
        "*.xlam *.xll *.pptm *.iqy *.so *.dylib *.dll supervisord.conf"
    ),
}
"""Who runs or obeys which files: names in small letters, `*` for any letters, `?` for one."""

PROGRAM_FOLDERS: Final = {
    "git, or another version control": "*.git .git* git~* .hg* .svn .jj .husky",
    "Python": "venv *.dist-info *.egg-info",
    "a build tool": "debian _plugins",
    "a test runner": "__tests__ __mocks__ test spec features cypress",
    "the system, or who opens it,": "launchagents launchdaemons",
    "a program that looks for it": ".*",
}
"""Who obeys what lies in folders of which names, and files that are called so. What begins with a dot is there for a
program."""

HARMLESS: Final = ". .. .sulla .*_cache .*ignore .gitkeep .keep .ds_store .coverage .ipynb_checkpoints .tmp .trash"
"""What begins with a dot and nobody runs: caches, lists of what is left out, and this daemon's own folder."""


PLAIN_ENDINGS: Final = (
    # Texts and tables
    "txt text md markdown rst adoc tex bib csv tsv json jsonl ndjson geojson xml yaml yml html htm xhtml css scss sass "
    "less svg diff patch log out err srt vtt po pot eml ics vcf rtf pdf doc docx odt ods odp xls xlsx ppt pptx epub "
    # Data, pictures, sound, archives
    "db sqlite sqlite3 parquet feather arrow npy npz h5 dat data bin png jpg jpeg gif webp avif bmp tif tiff ico heic "
    "mp3 wav ogg flac opus m4a mp4 mkv webm mov avi ttf otf woff woff2 zip tar gz tgz bz2 xz zst 7z bak tmp orig map "
    "gpx kml drawio mmd puml "
    # Source, and what compilers make of it
    "py pyi pyx js mjs cjs jsx ts mts cts tsx vue svelte astro c h cc cpp cxx hh hpp hxx m mm rs go java kt scala "
    "groovy swift cs fs fsi vb rb erb php pl pm lua r jl hs elm clj cljs ex erl dart nim zig v ml mli sql graphql "
    "proto ipynb glsl wgsl asm s f90 pas ada lisp scm tcl sol o obj a lib class wasm"
)
"""How names end of files that are text, data or source: programs run source only where it is called so elsewhere."""

PLAIN_NAMES: Final = (
    "readme license licence copying notice authors contributors maintainers changelog changes history news todo "
    "version thanks install"
)
"""Pages that projects have, whose names have no ending."""


class _Names:
    """A table of names, made once: plain ones and endings are looked up, the others are one regular expression for each
    letter that they begin with.

    Args:
        table: who, and the names; the first who fits is told.
    """

    def __init__(self, table: Mapping[str, str]) -> None:
        plain, endings, others = dict[str, str](), dict[str, str](), dict[str, list[tuple[str, str]]]()
        for who, names in table.items():
            for name in names.split():
                if not _WILD.search(name):
                    plain.setdefault(name, who)
                elif name.startswith("*"):
                    endings.setdefault(name[1:], who)
                else:
                    others.setdefault(name[0], []).append((who, translate(name)))
        self._plain, self._endings = plain, endings
        self._odd = tuple(ending for ending in endings if not ending.startswith("."))
        self._others = {
            first: ([who for who, _ in ones], re.compile("|".join(f"({pattern})" for _, pattern in ones)))
            for first, ones in others.items()
        }

    def who(self, name: str) -> str:
        """Who runs or obeys what is called so; empty for nobody."""
        if (found := self._plain.get(name)) is not None:
            return found
        at = name.find(".")
        while at >= 0:
            if (found := self._endings.get(name[at:])) is not None:
                return found
            at = name.find(".", at + 1)
        if name.endswith(self._odd):
            return next(self._endings[ending] for ending in self._odd if name.endswith(ending))
        whose, pattern = self._others.get(name[:1], ((), _NONE))
        match = pattern.match(name)
        return whose[(match.lastindex or 1) - 1] if match is not None else ""


_WILD: Final = re.compile(r"[*?]")
_NONE: Final = re.compile(r"(?!)")
_FILES: Final = _Names(PROGRAM_FILES)
_FOLDERS: Final = _Names(PROGRAM_FOLDERS)
_HARMLESS: Final = _Names({"nobody": HARMLESS})
_PLAIN_ENDINGS: Final = frozenset(PLAIN_ENDINGS.split())
_PLAIN_NAMES: Final = frozenset(PLAIN_NAMES.split())


@dataclass(frozen=True, slots=True)
class ProgramFiles:
    """Which files ask before a tainted run writes them. It lives as long as the tools that write.

    Args:
        also: what a person added: names or paths, as in `PROGRAM_FILES`; a path fits wherever it begins.
    """

    also: tuple[str, ...] = ()

    def reader(self, parts: Sequence[str], *, folder: bool = False) -> str:
        """Who runs or obeys a file, e.g. ``a build tool``; empty for nobody. A file that is called like nothing that is
        known to be text, data or source is obeyed by somebody: no table has the names of all programs' files.

        Args:
            parts: where it is below the workspace, links resolved.
            folder: whether it is a folder: then whoever obeys what lies in it.
        """
        if (who := self.known(parts, folder=folder)) or folder or not parts:
            return who
        if _is_plain(parts[-1]) or any(map(_is_harmless, parts)):
            return ""
        return "a program that knows what is called so"

    def known(self, parts: Sequence[str], *, folder: bool = False) -> str:
        """Who runs or obeys a file by the tables alone; empty for nobody.

        Args:
            parts: where it is below the workspace, links resolved.
            folder: whether it is a folder: then whoever obeys what lies in it.
        """
        if not folder and parts and (who := _reader_of(parts[-1])):
            return who
        if who := next(filter(None, map(_reader_within, parts)), ""):
            return who
        names = [_plain(part) for part in parts] if self.also else []
        return "a program of yours" if any(_lies_in(names, path.split("/")) for path in self.also) else ""

    def question(self, parts: Sequence[str]) -> str:
        """What a person is asked before a tainted run writes a file; empty for nothing. Arguments as in `reader`."""
        if not (who := self.reader(parts)):
            return ""
        return _asked(parts, f"{who[0].upper()}{who[1:]}")

    def asks(self, args: FrozenJson, context: ToolContext) -> str:
        """Keeps `Tool.asks` for a tool that writes the file `path` of the workspace."""
        path = args.get("path")
        if not context.tainted or not isinstance(path, str):
            return ""
        try:
            place = inside(context.workspace, path)
        except SullaError:
            return ""  # the tool will say the same, and `check` looks again
        return self._question(place.relative_to(os.path.realpath(context.workspace)).parts, context)

    def _question(self, parts: Sequence[str], context: ToolContext) -> str:
        """As `question`, also for a file that a program is led to under another name."""
        if asked := self.question(parts):
            return asked
        top = os.path.realpath(context.workspace)
        place = Path(top, *parts)
        if led_to(top, self.known).has(place):
            return _asked(parts, "A program that a link or git's settings lead there")
        return ""

    def check(self, parts: Sequence[str], context: ToolContext) -> None:
        """Look again when the file is open to be written: a link may have been put in its way since the question.

        Raises:
            Refused: nobody was asked about this file.
        """
        if context.tainted and (asked := self._question(parts, context)) and asked not in context.approved.split("\n"):
            raise Refused(
                f"nobody has allowed to write {'/'.join(parts)!r}, where this path leads now; name that file itself, "
                "and a person is asked"
            )


def _asked(parts: Sequence[str], who: str) -> str:
    return (
        f"write {'/'.join(parts)} in the workspace? {who} may run it or take orders from it, "
        "outside the sandbox, and the conversation holds text from outside that may have asked for this"
    )


PROGRAMS: Final = ProgramFiles()
"""Those of the table alone."""


@lru_cache(maxsize=16_384)
def _reader_of(name: str) -> str:
    """Who runs or obeys a file that is called so."""
    return _FILES.who(_plain(name))


@lru_cache(maxsize=16_384)
def _reader_within(name: str) -> str:
    """Who obeys what lies in a folder that is called so. A workspace has the same names again and again, and each
    command of a tainted run asks for all of them."""
    name = _plain(name)
    return "" if _HARMLESS.who(name) else _FOLDERS.who(name)


@lru_cache(maxsize=16_384)
def _is_plain(name: str) -> bool:
    """Whether what is called so is text, data or source by its ending, or one of the pages that projects have."""
    if name.startswith(("-", "@")) or ":" in name:
        return False  # an option, a file of options, or to some file systems another name
    name = _plain(name)
    stem, dot, ending = name.rpartition(".")
    if ending == "py" and stem in sys.stdlib_module_names:
        return False  # Python would take it for its own, wherever it is started
    return (ending in _PLAIN_ENDINGS) if dot and stem else name in _PLAIN_NAMES


@lru_cache(maxsize=16_384)
def _is_harmless(name: str) -> bool:
    return ":" not in name and bool(_HARMLESS.who(_plain(name)))


def _lies_in(names: Sequence[str], path: Sequence[str]) -> bool:
    wanted = [_plain(part) for part in path if part not in ("", ".")]
    spans = (names[at : at + len(wanted)] for at in range(len(names) - len(wanted) + 1))
    return bool(wanted) and any(all(map(fnmatchcase, span, wanted)) for span in spans)


def _plain(name: str) -> str:
    """A name as file systems compare it that take small and capital letters for the same, leave out what is not
    seen, or have streams behind a colon."""
    name = name.partition(":")[0] or name
    if name.isascii():
        return name.lower().rstrip(" .")
    seen = "".join(char for char in unicodedata.normalize("NFKC", name) if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", seen.casefold()).rstrip(" .")
