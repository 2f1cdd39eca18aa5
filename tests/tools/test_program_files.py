"""Which files a tainted run asks about before it writes them, and that it cannot write them otherwise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sulla.core.errors import Refused
from sulla.core.jsontypes import JsonObject
from sulla.core.words import Author
from sulla.tools.base import Done, Tool
from sulla.tools.builtin.every import builtin_tools
from sulla.tools.program_files import PROGRAMS, ProgramFiles
from tests.tools.contexts import context_in

ASKED = (
    *(".git/config", ".git/hooks/pre-commit", ".git", "sub/.git/info/attributes", "bare.git/config", "bare/HEAD"),
    *(".envrc", ".vscode/tasks.json", ".idea/workspace.xml", "Makefile", "makefile", "GNUmakefile", "package.json"),
    *("a/b/conftest.py", "pyproject.toml", "setup.py", ".github/workflows/ci.yml", ".gitlab-ci.yml"),
    *(".claude/settings.json", ".mcp.json", "CLAUDE.md", "AGENTS.md", ".bashrc", ".profile", ".zshrc", ".npmrc"),
    *("justfile", "Dockerfile", "dev.Dockerfile", "compose.yaml", "docker-compose.override.yml", ".editorconfig"),
    *(".pre-commit-config.yaml", "vite.config.ts", ".config/git/config", ".ssh/authorized_keys", "x.code-workspace"),
    # As file systems take them that do not tell capital letters, or leave out what cannot be seen.
    *(".GIT/config", ".Git/HOOKS/x", ".g\u200cit/config", "\uff2dakefile", "MAKEFILE", ".git./config", "paCKage.json"),
    *("Makefile::$DATA", "git~1/hooks/pre-commit"),
)
TOOLS = (
    ".pdbrc .Rprofile .irbrc .ghci .gdbinit .lldbinit .direnv/bin/x .pylintrc mypy.ini .coveragerc .rspec "
    ".rubocop.yml .mocharc.js .swcrc karma.conf.js gatsby-node.js .stylelintrc.js .php-cs-fixer.php phpunit.xml "
    "test_plan.py spec/spec_helper.rb configure autogen.sh BUILD BUILD.bazel WORKSPACE SConstruct wscript "
    "Snakefile dodo.py tasks.py fabfile.py Setup.hs stack.yaml dune build.zig project.clj deps.edn "
    "project/plugins.sbt xmake.lua conanfile.py Podfile Fastfile Guardfile Dangerfile magefile.go manage.py "
    "Makefile.PL Build.PL Makefile.am gradle/wrapper/gradle-wrapper.properties requirements.txt environment.yml "
    "Pipfile pdm.toml poetry.toml uv.toml hatch.toml pixi.toml pip.conf .pypirc .netrc pnpmfile.cjs .pnp.cjs "
    "nx.json turbo.json nodemon.json devbox.json devenv.nix ansible.cfg main.tf .terraformrc Pulumi.yaml "
    "serverless.yml skaffold.yaml opencode.json .kiro/steering/rules.md .junie/guidelines.md .amazonq/x .trae/x "
    ".augment/x .goosehints .rules CONVENTIONS.md plan.desktop plan.service crontab autorun.inf plan.lnk plan.ps1 "
    "plan.cmd plan.bat plan.command .jj/repo/config.toml .hgrc uv.lock package-lock.json tsconfig.json "
    "a/venv/bin/x PKGBUILD debian/rules build.mill plan.slnx plan.xcodeproj/project.pbxproj nextflow.config startup.m "
    "tests.py plan_test.rb plan_test.exs plan.bats buildspec.yml codemagic.yaml x.el SOUL.md HEARTBEAT.md plan.xlsm "
    "plan.mobileconfig plan.jar plan.inetloc plan.jse evil.dist-info/METADATA x.egg-info/entry_points.txt pylintrc "
    "pylintrc.toml test-setup.js gunicorn.conf.py celeryconfig.py uwsgi.ini latexmkrc book.toml lefthook.toml "
    "Dangerfile.js pavement.py ember-cli-build.js truffle-config.js build.ninja BUILD.gn Kbuild BUCK Android.bp "
    "pants.toml aclocal.m4 all.do x.rake tools/bazel config.nims t/one.t __tests__/a.js features/environment.py "
    "jest.setup.js _plugins/a.rb behave.ini rector.php phpstan.neon psalm.xml githooks/post-merge myenv/bin/activate "
    "README:_test.py LICENSE:a.desktop .tmp:x/run testx.py json.py -Ix.py @a.c rakefile.rb knexfile.js locustfile.py "
    "wsgi.py dev-requirements.txt action.yml _config.yml MEMORY.md .cache/x.json "
    "json/__init__.py src/json/__main__.py pip.py pytest.py pip/__init__.py Ruff/__main__.py conftest/__init__.py "
    "tasks/__init__.py requirements/base.txt a/requirements/dev.in lefthook.json jupyter_server_config.json "
    "gulpfile.js/index.js webpack.config.ts/index.ts env/lib/python3.11/site-packages/six.py node_modules/a/index.js "
    "_quarto.yml src-tauri/tauri.conf.json goreleaser.yaml group_vars/all.yml config/database.yml "
    "roles/x/tasks/main.yml "
    "typedoc.yaml launchSettings.json ng-config.json app.json5 x.jsonc logging.properties cloudbuild.json testem.js "
    "hatch_build.py pdm_build.py pelicanconf.py _targets.R deps/build.jl guix.scm project/X.scala "
    "buildSrc/src/main/java/X.java config/initializers/x.rb callback_plugins/x.py hooks/pre_gen_project.py x-test.mts "
    "Cargo.lock a/yarn.lock poetry.lock Gemfile.lock Podfile.lock pdm.lock bun.lock flake.lock composer.lock "
    "dev-requirements.lock stack.yaml.lock MODULE.bazel.lock conda-lock.yml Chart.lock .terraform.lock.hcl HEAD.lock "
    "orders.run server.pid app.json a/now.json bower.json ivy.xml ivysettings-local.xml Main.class a/x.wasm "
    "gatsby-node.cjs x.config.cts knexfile.mts tests/testthat/setup.R src/AppTest.php"
).split()
"""What usual tools read or run, one of each."""
FREE = (
    *(
        "notes.md",
        "src/main.py",
        "git/config.json",
        "gitlog.md",
        "data.json",
        "docs/config.md",
        "make.txt",
        "heads.csv",
    ),
    *(
        "build/notes.md",
        "workspace/plan.txt",
        "configure/a.csv",
        "profile.md",
        "file.txt",
        "a.b.md",
    ),
    *(
        ".gitignore",
        ".ruff_cache/x.json",
        ".pytest_cache/v/cache.json",
        ".sulla/outputs/x.txt",
        "page.html",
        "img/logo.svg",
    ),
    *("src/app/__init__.py", "src/app/__main__.py", "json/data.csv", "pip/notes.md", "requirements/plan.md"),
    *(
        "node_modules/a/README.md",
        "x/site-packages/a/notes.txt",
        "buildSrc/README.md",
        "locales/en.json",
        "feed.xml",
        "project/plan.md",
        "src/hooks/useTable.ts",
        "src/plugins/table.py",
        "chart.js/a.md",
    ),
    *("deploy.lock", "a/orders.lock", "order-17.claim"),
    *("src/build_index.py", "app.py", "migrations/0002_more.py", "src/components/Profile.tsx", "src/config.rs"),
)


@pytest.mark.parametrize("path", [*ASKED, *TOOLS])
def test_what_a_program_runs_is_asked_about_by_name(path: str) -> None:
    question = PROGRAMS.question(path.split("/"))
    assert question.startswith(f"write {path} in the workspace? ")
    assert "the conversation holds text from outside" in question


@pytest.mark.parametrize("path", FREE)
def test_other_files_are_not(path: str) -> None:
    assert PROGRAMS.question(path.split("/")) == ""


@pytest.mark.parametrize("name", ["build", "workspace", "configure", "a.service", "profile"])
def test_a_folder_that_is_called_as_a_file_is_nobody_s(name: str) -> None:
    assert PROGRAMS.reader((name,))
    assert PROGRAMS.reader((name,), folder=True) == ""


def test_a_person_can_add_names_and_paths() -> None:
    mine = ProgramFiles(("Deploy.sh", "ops/*.yaml", "./jobs/", ""))
    assert all(mine.reader(path.split("/")) for path in ("x/deploy.sh", "a/ops/one.yaml", "jobs/deep/in", "Makefile"))
    assert not any(mine.reader(path.split("/")) for path in ("ops/one.md", "one.csv"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".git/hooks").mkdir(parents=True)
    (tmp_path / "x").mkdir()
    (tmp_path / "way").symlink_to(".git")
    (tmp_path / "notes.txt").symlink_to(".git/config")
    (tmp_path / ".git/config").write_text("old\n")
    return tmp_path


WRITERS = tuple(tool for tool in builtin_tools() if tool.files in ("path", "told") and tool.effect != "pure")
ARGS: JsonObject = {"content": "new", "old_text": "old", "new_text": "new"}


def args_of(tool: Tool, path: str) -> JsonObject:
    properties = tool.schema["properties"]
    assert isinstance(properties, dict)
    return {"path": path} | {name: value for name, value in ARGS.items() if name in properties}


@pytest.mark.parametrize("tool", WRITERS, ids=lambda tool: tool.name)
@pytest.mark.parametrize("path", [".git/config", "./x/../.git/config", "way/config", "notes.txt", "{root}/.git/config"])
async def test_every_tool_that_writes_asks_wherever_the_path_leads(tool: Tool, path: str, root: Path) -> None:
    given, clean = args_of(tool, path.format(root=root)), context_in(root)
    tainted = replace(clean, by=Author.TAINTED_AGENT)
    assert tool.asks is not None
    question = tool.asks(given, tainted)
    assert question.startswith("write .git/config in the workspace?")
    with pytest.raises(Refused, match=r"nobody has allowed to write '\.git/config'"):
        await tool.run(given, tainted)
    assert (root / ".git/config").read_text() == "old\n"
    assert isinstance(await tool.run(given, replace(tainted, approved=question)), Done)
    assert (root / ".git/config").read_text().strip() == "new"


@pytest.mark.parametrize("tool", WRITERS, ids=lambda tool: tool.name)
@pytest.mark.parametrize(
    ("links", "settings", "path"),
    [
        ({".envrc": "env.txt"}, "", "env.txt"),
        ({".vscode": "conf"}, "", "conf/deep/tasks.json"),
        ({}, "[core]\n\thooksPath = hooks\n", "hooks/pre-commit.py"),
        ({}, '[include]\n\tpath = "../more.txt"\n', "more.txt"),
    ],
)
async def test_what_a_link_or_gits_settings_lead_to_is_asked_about_too(
    tool: Tool, links: dict[str, str], settings: str, path: str, root: Path
) -> None:
    for name, target in links.items():
        (root / name).symlink_to(target)
    (root / ".git/config").write_text(settings)
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text("old\n")
    given, tainted = args_of(tool, path), replace(context_in(root), by=Author.TAINTED_AGENT)
    assert tool.asks is not None
    question = tool.asks(given, tainted)
    said = f"write {path} in the workspace? A program that a link or git's settings lead there may run it"
    assert question.startswith(said)
    with pytest.raises(Refused, match="nobody has allowed"):
        await tool.run(given, tainted)
    assert isinstance(await tool.run(given, replace(tainted, approved=question)), Done)
    assert tool.asks(args_of(tool, "other.txt"), tainted) == ""


@pytest.mark.parametrize("tool", WRITERS, ids=lambda tool: tool.name)
async def test_a_clean_run_writes_them_without_a_question(tool: Tool, root: Path) -> None:
    given, clean = args_of(tool, ".git/config"), context_in(root)
    assert tool.asks is not None
    assert tool.asks(given, clean) == ""
    assert isinstance(await tool.run(given, clean), Done)
    assert (root / ".git/config").read_text().strip() == "new"


@pytest.mark.parametrize("tool", WRITERS, ids=lambda tool: tool.name)
@pytest.mark.parametrize("path", ["notes.txt", "way/config", "{root}/notes.txt"])
def test_a_clean_run_asks_where_a_plain_name_leads_to_one_of_them(tool: Tool, path: str, root: Path) -> None:
    assert tool.asks is not None
    given = args_of(tool, path.format(root=root))
    asked = tool.asks(given, context_in(root))
    assert asked.startswith(f"write .git/config in the workspace? {given['path']} leads there, and git, or another")
    (root / "plain.md").symlink_to("x/other.md")
    (root / "AGENTS.md").symlink_to("CLAUDE.md")
    for name in ("plain.md", "AGENTS.md", "x/other.md"):
        assert tool.asks(args_of(tool, name), context_in(root)) == ""


@pytest.mark.parametrize("tool", WRITERS, ids=lambda tool: tool.name)
async def test_a_link_that_is_put_there_after_the_question_leads_nowhere(tool: Tool, root: Path) -> None:
    (root / "out").mkdir()
    given, tainted = args_of(tool, "out/config.txt"), replace(context_in(root), by=Author.TAINTED_AGENT)
    assert tool.asks is not None
    assert tool.asks(given, tainted) == ""
    (root / "out").rmdir()
    (root / "out").symlink_to(".git")
    with pytest.raises(Refused, match="nobody has allowed"):
        await tool.run(given, tainted)
    assert (root / ".git/config").read_text() == "old\n"


def test_there_are_two_that_write() -> None:
    assert {tool.name for tool in WRITERS} == {"write_file", "edit_file"}
