"""Files that programs of the owner run or take orders from, wherever they lie in a workspace.

Who writes one has something done outside any sandbox the next time that the owner uses git, a build tool or an editor
there. So a run that has read what nobody trusts asks before it writes one.
"""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import Refused, SullaError
from sulla.core.jsontypes import FrozenJson
from sulla.tools.base import ToolContext
from sulla.tools.paths import inside
from sulla.tools.program_links import led_to
from sulla.tools.program_names import NameTable

PROGRAM_FILES: Final = {
    "git, or another version control": ".gitmodules .gitattributes head commondir lefthook*.json",
    "a build tool": (
        "*file *.gyp *.gypi makefile.* gnumakefile *.mk *.cmake cmakelists.txt cmake*presets.json meson.build "
        "meson*options* configure configure.ac configure.in *.am build build.bazel *.bzl workspace workspace.* "
        "module.bazel sconstruct sconscript wscript *.smk build.rs build.zig* build.xml build.pl build.py *.sbt "
        "*.gradle *.gradle.kts gradle-wrapper.* gradlew* mvnw* pom.xml *.gemspec *.podspec rust-toolchain* go.mod "
        "go.work go.sum magefile*.go package.swift directory.*.props *.targets *.props *.csproj *.vbproj *.fsproj "
        "*.vcxproj *.sln nuget.config global.json composer.json mix.exs rebar.config kbuild kconfig buck jamroot "
        "jamfile dangerfile* *.gn build.ninja android.bp *.cabal cabal.project* setup.hs dune dune-project "
        "project.clj deps.edn xmake.lua premake*.lua conanfile.* vcpkg.json dub.json dub.sdl *.nimble *.nix "
        "devbox.json *.lockb pkgbuild apkbuild build.sc build.mill *.slnx *.pbxproj *.xcconfig "
        "nextflow.config *_build.py *-build.py buildfile build.jl make.jl guix.scm manifest.scm channels.scm "
        "_targets.r pre_gen_project.* post_gen_project.* pre_prompt.* activate.r myocamlbuild.ml data_readers.clj "
        "profiles.clj build.clj shakefile.hs build.hs robofile.php castor.php compile_flags.txt package@swift*.swift "
        "nakefile.nim deploy.php ecs.php ivy.xml ivysettings*.xml"
    ),
    "a package manager": (
        "*file.lock cargo.lock yarn.lock bun.lock deno.lock poetry.lock uv.lock pdm.lock pixi.lock pylock*.lock "
        "requirements*.lock *-requirements.lock composer.lock symfony.lock flake.lock mix.lock devenv.lock "
        "rebar.lock gleam.lock pubspec.lock shard.lock gopkg.lock glide.lock *.yaml.lock *.yml.lock *.json.lock "
        "*.toml.lock cabal.lock esy.lock dune.lock opam.lock conan*.lock vcpkg*.lock spack.lock conda*.lock "
        "environment*.lock renv.lock packrat.lock luarocks.lock paket.lock nuget.lock package*.lock npm*.lock "
        "pnpm*.lock *.bazel.lock buf.lock chart.lock galaxy.lock collections.lock terraform*.lock terragrunt*.lock "
        "devbox.lock mise.lock aqua.lock pkgx.lock west.lock gradle*.lock *gradle.lock scarb.lock forc.lock "
        "move.lock foundry.lock soldeer.lock nargo.lock dependencies.lock nimble.lock project.lock vendir.lock "
        "plugins.lock skills.lock mcp.lock npins.lock lazy-lock.json head.lock index.lock config.lock dvc.lock"
    ),
    "Python": (
        "setup.py noxfile.py sitecustomize.py usercustomize.py *.pth dodo.py tasks.py fabfile.py manage.py "
        "requirements*.txt requirements*.in constraints*.txt config.ru gunicorn*.py pavement.py pylintrc* "
        "entry_points.txt locustfile.py wsgi.py asgi.py jupyter_*.py *-requirements.txt local_settings.py *conf.py "
        "ipython_config.py celeryconfig.py versioneer.py *-gdb.py"
    ),
    "Node or another JavaScript": (
        "package.json package-lock.json npm-shrinkwrap.json pnpmfile.* deno.json* gruntfile.* gulpfile.* "
        "*.config.js *.config.json *.conf.js tsconfig*.json jsconfig*.json *file.js *file.rb gems.rb user.clj "
        "ember-cli-build.js truffle-config.js jest.setup.* jest.global* vitest.setup.* webpack.*.js rollup.*.js "
        "nx.json project.json turbo.json lerna.json rush.json nodemon*.json angular.json *.conf.json *-config.json "
        "*_config.json *settings.json testem.* gatsby-*.js *.workspace.js codegen.ts typedoc.js ormconfig.* "
        "app.json now.json bower.json"
    ),
    "a test runner": (
        "conftest.py test*.py *_test.py cucumber.js *test.java spec_helper.rb rails_helper.rb *_spec.rb "
        "phpunit.xml* *_test.go *.test.js *.test.jsx *.test.tsx *.spec.js *.spec.jsx *.spec.tsx test.py tests.py "
        "*_test.rb test_*.rb *_test.exs *_test.dart *.bats *.t rector.php psalm.xml test-*.js *-test.js *_test.js "
        "test.js *test.php runtests.jl setuptests.js wallaby.js test*.txt test*.rst"
    ),
    "a build server": "renovate.json cloudbuild*.json",
    "a container or machine builder": (
        "dockerfile.* docker-bake.* *.tf *.tfvars *.tf.json serverless.* cdk.json vercel.json wrangler.* firebase.json"
    ),
    "an editor": (
        "*.code-workspace *.sublime-project *.sublime-settings *.sublime-build _vimrc *.vim init.lua *.el "
        "startup.m startup.jl *.iml devcontainer.json launch.json finish.m"
    ),
    "another agent": (
        "mcp*.json claude*.md agent.md agents*.md gemini*.md qwen*.md crush.* warp.md skill.md conventions.md "
        "opencode.json* *pilot-instructions.md *.mdc *.prompt.md *.instructions.md instructions.md tools.md "
        "memory.md code?.md replit.md *.chatmode.md *.agent.md soul.md heartbeat.md bootstrap.md"
    ),
    "the system, or who opens it,": (
        "*.sh *.bash *.zsh *.fish *.ksh *.csh *.ps1 *.psm1 *.psd1 *.bat *.cmd *.com *.exe *.scr *.msi *.reg *.vbs "
        "*.vbe *.wsf *.hta *.lnk *.url *.command *.tool *.workflow *.scpt *.applescript *.plist *.desktop "
        "*.service *.timer *.socket *.mount *.appimage *.deb *.rpm *.pkg *.dmg crontab *.crontab *.cron "
        "autorun.inf _netrc *.run *.nu *.path *.spec artisan *.webloc *.fileloc *.inetloc *.terminal "
        "*.mobileconfig *.jar *.jnlp *.jse *.wsh *.sct *.scf *.pif *.cpl *.msc *.chm *.docm *.dotm *.xlsm *.xltm "
        "*.xlam *.xll *.pptm *.iqy *.so *.dylib *.dll"
    ),
    "a program whose settings it holds": (
        "*.toml *.ini *.cfg *.conf *.cnf *.yml *.yaml *.json5 *.jsonc *.properties *.hcl *.neon"
    ),
}
"""Who runs or obeys which files: names in small letters, `*` for any letters, `?` for one."""

PROGRAM_FOLDERS: Final = {
    "git, or another version control": "*.git .git* git~* .hg* .svn .jj .husky",
    "Python": "venv *.dist-info *.egg-info",
    "a build tool": "debian _plugins",
    "a test runner": "__tests__ __mocks__ test spec features cypress testthat",
    "the system, or who opens it,": "launchagents launchdaemons",
    "a program that looks for it": ".*",
}
"""Who obeys what lies in folders of which names, and files that are called so. What begins with a dot is there for a
program."""

SOURCE_FOLDERS: Final = {
    "Python": "profile_default site-packages dist-packages",
    "Node or another JavaScript": "node_modules",
    "a build tool": "*_plugins buildsrc build-logic magefiles initializers",
}
"""Who loads the source that lies in folders of which names, whatever it is called."""

PROGRAM_PATHS: Final = {
    "Python": "requirements/*.txt requirements/*.in constraints/*.txt alembic/env.py migrations/env.py",
    "a build tool": "project/*.scala tests/*.rs hook/*.dart",
}
"""Who runs or obeys which files of which folders."""

PYTHON_TOOLS: Final = (
    "pip build wheel setuptools pkg_resources distutils virtualenv pipx poetry pdm hatch hatchling flit flit_core uv "
    "twine  mypy pyright ruff black isort flake8 pylint pyflakes pycodestyle pydocstyle autopep8 yapf bandit vulture "
    "radon  pytest nose coverage hypothesis tox nox pre_commit invoke fabric sphinx mkdocs pdoc pydoc_markdown cython "
    "jupyter jupyterlab notebook ipython ipykernel ipykernel_launcher nbconvert papermill streamlit gradio flask "
    "django  uvicorn gunicorn hypercorn celery alembic scrapy airflow dbt mlflow ansible conda debugpy"
)
"""What is run by ``python -m``, beside Python's own modules: a module or package that is called so is taken for it by
whoever runs it in that folder."""

HARMLESS: Final = ". .. .sulla .*_cache .*ignore .gitkeep .keep .ds_store .coverage .ipynb_checkpoints .tmp .trash"
"""What begins with a dot and nobody runs: caches, lists of what is left out, and this daemon's own folder."""
LANDINGS: Final = (".sulla", "layer-")
"""Where a daemon keeps what it is about to put into a workspace, or could not put back: a folder, and how those in it
begin."""


PLAIN_ENDINGS: Final = (
    # Texts and tables
    "txt text md markdown rst adoc tex bib csv tsv json jsonl ndjson geojson xml html htm xhtml css scss sass "
    "less svg diff patch log out err srt vtt po pot eml ics vcf rtf pdf doc docx odt ods odp xls xlsx ppt pptx epub "
    # Data, pictures, sound, archives
    "db sqlite sqlite3 parquet feather arrow npy npz h5 dat data bin png jpg jpeg gif webp avif bmp tif tiff ico heic "
    "mp3 wav ogg flac opus m4a mp4 mkv webm mov avi ttf otf woff woff2 zip tar gz tgz bz2 xz zst 7z bak tmp orig map "
    "gpx kml drawio mmd puml "
    # What says that somebody is at work: who locks whom is no program's order. Those of package managers stand above.
    "lock claim"
)
"""How names end of files that are text or data."""

SOURCE_ENDINGS: Final = (
    # With what compilers make of it
    "py pyi pyx js mjs cjs jsx ts mts cts tsx vue svelte astro c h cc cpp cxx hh hpp hxx m mm rs go java kt scala "
    "groovy swift cs fs fsi vb rb erb php pl pm lua r jl hs elm clj cljs ex erl dart nim zig v ml mli sql graphql "
    "proto ipynb glsl wgsl asm s f90 pas ada lisp scm tcl sol o obj a lib"
)
"""How names end of files that are source: programs run it only where it is called so elsewhere."""

PLAIN_NAMES: Final = (
    "readme license licence copying notice authors contributors maintainers changelog changes history news todo "
    "version thanks install"
)
"""Pages that projects have, whose names have no ending."""


_FILES: Final = NameTable(PROGRAM_FILES)
_FOLDERS: Final = NameTable(PROGRAM_FOLDERS)
_SOURCE_FOLDERS: Final = NameTable(SOURCE_FOLDERS)
_PATHS: Final = NameTable(PROGRAM_PATHS)
_HARMLESS: Final = NameTable({"nobody": HARMLESS})
_SOURCE_ENDINGS: Final = frozenset(SOURCE_ENDINGS.split())
_PLAIN_ENDINGS: Final = frozenset(PLAIN_ENDINGS.split()) | _SOURCE_ENDINGS
_PLAIN_NAMES: Final = frozenset(PLAIN_NAMES.split())
_NEWER_PYTHON: Final = "annotationlib compression _colorize _pyrepl pathlib profiling _interpreters"
"""Modules of Pythons that are newer than the oldest which the daemon runs on; the owner may have any."""
_IMPORTED: Final = sys.stdlib_module_names | frozenset(PYTHON_TOOLS.split()) | frozenset(_NEWER_PYTHON.split())
_SCRIPTS: Final = frozenset({"cjs", "mjs", "ts", "cts", "mts"})
"""What ``.js`` is called as well."""
_PACKAGE: Final = frozenset({"__init__.py", "__main__.py"})
"""The files of a folder by which it is a module of Python."""


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
        if _is_taken_for_pythons(*parts[-2:]):
            return "Python"
        if _is_plain(parts[-1]) or any(map(_is_harmless, parts)):
            return ""
        return "a program that knows what is called so"

    def known(self, parts: Sequence[str], *, folder: bool = False) -> str:
        """Who runs or obeys a file by the tables alone; empty for nobody.

        Args:
            parts: where it is below the workspace, links resolved.
            folder: whether it is a folder: then whoever obeys what lies in it.
        """
        if len(parts) > 1 and parts[0] == LANDINGS[0] and parts[1].startswith(LANDINGS[1]):
            return "Sulla"
        if not folder and parts and (who := _reader_of(parts[-1]) or _reader_at(*parts[-2:])):
            return who
        if who := next(filter(None, map(_reader_within, parts)), ""):
            return who
        is_source = not folder and bool(parts) and _is_source(parts[-1])
        if is_source and (who := next(filter(None, map(_loader_within, parts[:-1])), "")):
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
        if not isinstance(path, str):
            return ""
        top = os.path.realpath(context.workspace)
        try:
            parts = inside(context.workspace, path).relative_to(top).parts
        except SullaError:
            return ""  # the tool will say the same, and `check` looks again
        if context.tainted:
            return self._question(parts, context)
        named = Path(os.path.relpath(os.path.join(top, path), top)).parts  # noqa: PTH118 - links are not followed
        if named == parts or self.known(named) or not (who := self.known(parts)):
            return ""
        # Somebody may have put the link there for just that, long ago.
        return (
            f"write {'/'.join(parts)} in the workspace? {path} leads there, and {who} may run it or take orders from it"
        )

    def _question(self, parts: Sequence[str], context: ToolContext) -> str:
        """As `question`, also for a file that a program is led to under another name."""
        if asked := self.question(parts):
            return asked
        top = os.path.realpath(context.workspace)
        place = Path(top, *parts)
        who = led_to(top, self.known).reader(place)
        return _asked(parts, f"{who[0].upper()}{who[1:]}") if who else ""

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
    name = _plain(name)
    stem, _, ending = name.rpartition(".")
    return _FILES.who(name) or (_FILES.who(f"{stem}.js") if ending in _SCRIPTS else "")


@lru_cache(maxsize=16_384)
def _reader_at(folder: str, name: str = "") -> str:
    """Who runs or obeys a file of that name in a folder that is called so."""
    folder, name = _plain(folder), _plain(name)
    return _PATHS.who(f"{folder}/{name}") or (_reader_of(f"{folder}.py") if name in _PACKAGE else "")


@lru_cache(maxsize=16_384)
def _reader_within(name: str) -> str:
    """Who obeys what lies in a folder that is called so. A workspace has the same names again and again, and each
    command of a tainted run asks for all of them."""
    name = _plain(name)
    # A folder may stand for a file of source: ``gulpfile.js/index.js``.
    as_file = _reader_of(name) if name.endswith((".js", ".mjs", ".cjs", ".ts", ".py")) else ""
    return "" if _HARMLESS.who(name) else _FOLDERS.who(name) or as_file


@lru_cache(maxsize=16_384)
def _is_taken_for_pythons(folder: str, name: str = "") -> bool:
    """Whether Python takes a file of a folder for a module of its own, or for a tool that is installed."""
    name = _plain(name or folder)
    stem, _, ending = name.rpartition(".")
    return ending == "py" and (_plain(folder) if name in _PACKAGE else stem) in _IMPORTED


@lru_cache(maxsize=16_384)
def _loader_within(name: str) -> str:
    """Who loads the source that lies in a folder that is called so."""
    return _SOURCE_FOLDERS.who(_plain(name))


def _is_source(name: str) -> bool:
    return _plain(name).rpartition(".")[2] in _SOURCE_ENDINGS


@lru_cache(maxsize=16_384)
def _is_plain(name: str) -> bool:
    """Whether what is called so is text, data or source by its ending, or one of the pages that projects have."""
    if name.startswith(("-", "@")) or ":" in name:
        return False  # an option, a file of options, or to some file systems another name
    name = _plain(name)
    stem, dot, ending = name.rpartition(".")
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
