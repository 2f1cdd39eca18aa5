"""What may be imported to start: a command line that prints its help, and a daemon that waits for its first message."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.house.source import ROOT

SERVER = {"starlette", "uvicorn", "websockets", "pydantic", "orjson", "sqlite3", "asyncio", "importlib.metadata"}
PLAIN = {"dataclasses", "inspect", "pathlib", "json"}
"""What most modules need and the help does not."""
HEAVY = {
    "fastapi",
    *("anthropic", "ollama", "openai", "httpx", "httpx2", "aiohttp", "tiktoken", "mcp_types"),
    *("prompt_toolkit", "rich", "jinja2", "langgraph", "prometheus_client", "pygments", "opentelemetry"),
    *("sulla.gateway.contract_docs.openapi", "sulla.gateway.contract_docs.asyncapi", "sulla.playbooks.file.schema"),
    *("sulla.playbooks.file.read", "sulla.playbooks.file.check", "sulla.playbooks.expression.expression"),
    *("sulla.notify.dispatcher", "sulla.memory.entities.graph", "sulla.memory.vectors.index"),
    *("sulla.playbooks.run.node", "sulla.playbooks.machine.machine", "sulla.speech.turn_taking.buffer"),
    *(f"sulla.gateway.dialects.{one}.dialect" for one in ("openai", "hub", "snippbot", "abi", "mcp", "agui")),
}
UNASKED = {
    *(
        "sulla.gateway.feed.speaker",
        "sulla.daemon.doctor.probes",
        "sulla.daemon.doctor.within",
        "sulla.terminal.framed",
    ),
    "gzip",
    *("sulla.mcp.supervisor", "sulla.mcp.trust", "sulla.mcp.process", "sulla.safety.service", "sulla.finding.service"),
    *("sulla.heartbeat.agenda", "sulla.heartbeat.node"),
    *(f"sulla.daemon.console.{one}" for one in ("copies", "flows", "log_reading")),
}
"""What of our own, and for it, a daemon loads when somebody asks for what it does."""
BEHIND = {"sulla.playbooks.stored_runs", "sulla.daemon.models.rehearsal"}
"""What it loads when it is ready."""
SELDOM = {"click", "uvicorn.main", "multiprocessing", "html.entities", "socketserver", "tomllib._parser", "stringprep"}
SELDOM |= {"zipfile", "csv"}
"""What libraries of the daemon import for what it seldom or never does with them."""

_LIFE = "from sulla.cli.main import OWN, module_of\nmodule_of(OWN['up'])\nimport runpy, sys\n"
_LIFE += "runpy.run_module('tests.house.idle_daemon', run_name='__main__', alter_sys=True)"
"""A daemon's life, as `sulla up` begins it."""


def _imported_by(line: str) -> set[str]:
    return _printed_by("-c", f"{line}\nimport sys\nprint(*sys.modules)")


def _loaded_in_the_life_of(home: Path, model: str, until: str) -> set[str]:
    return _printed_by("-c", _LIFE, str(home), model, until)


def _printed_by(*arguments: str) -> set[str]:
    """The modules that a program prints, and their packages."""
    return _with_packages(_output_of(*arguments))


def _with_packages(printed: str) -> set[str]:
    return {part for name in printed.split() for part in (name, name.split(".")[0])}


def _output_of(*arguments: str) -> str:
    run = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was loaded in a daemon that nobody has said anything to."""

    at_ready: set[str]
    warm: set[str]
    """When it had loaded beside its loop what a first turn needs."""
    library: str
    """Of its model."""


@pytest.fixture(scope="module", params=[("anthropic:any", "anthropic"), ("ollama:any", "httpx")], ids="-".join)
def idle(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    """One daemon for both moments: each takes seconds to start afresh."""
    model, library = request.param
    home = str(tmp_path_factory.mktemp("idle"))
    at_ready, warm = map(_with_packages, _output_of("-c", _LIFE, home, model, "warm").splitlines())
    return Loaded(at_ready, warm, library)


def test_the_help_loads_no_server_and_no_model() -> None:
    help_of_the_whole = "from sulla.cli.main import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass"
    assert _imported_by(help_of_the_whole) & (SERVER | PLAIN | HEAVY) == set()


def test_a_question_loads_no_library_of_a_server_or_a_model() -> None:
    assert _imported_by("import sulla.cli.ask") & (SERVER | HEAVY) == {"asyncio", "websockets", "importlib.metadata"}


def test_a_command_loads_late_what_its_client_seldom_needs_and_it_is_all_there() -> None:
    asked = "from sulla.cli.main import main\ntry:\n    main(['ask', '--help'])\nexcept SystemExit:\n    pass"
    loaded = _imported_by(asked)
    assert "websockets" in loaded
    assert loaded & {"email", "zipfile", "ast", "dis", "tokenize", "_bz2", "_lzma", "_ssl", "_hashlib"} == set()
    assert loaded & {"datetime", "sulla.threads"} == set()
    assert {name for name in loaded if name.endswith(".capability")} <= {"sulla.host.capability"}
    used = "import ssl, sys\nassert ssl.create_default_context().check_hostname"
    used += "\nimport hashlib, hmac\nassert hmac.new(b'a', b'b', 'sha256').digest() and hashlib.sha1().hexdigest()"
    used += "\nimport importlib.metadata, urllib.request\nassert importlib.metadata.version('websockets')"
    used += "\nimport bz2, inspect, lzma\nassert inspect.signature(lambda a: a).parameters"
    used += "\nimport asyncio, copy, fnmatch, linecache, traceback, zlib"
    used += "\nassert all(one.decompress(one.compress(b'a')) == b'a' for one in (bz2, lzma, zlib))"
    used += "\nassert copy.deepcopy([1]) == [1] and fnmatch.fnmatch('a.py', '*.py')"
    used += "\nassert traceback.format_exception_only(ValueError('a')) == ['ValueError: a\\n']"
    used += "\nassert linecache.getlines('') == []"
    used += "\nimport gettext, locale, platform, shlex, textwrap"
    used += "\nassert platform.system() == platform.uname().system and platform.python_version() in sys.version"
    used += "\nassert gettext.gettext('a') == 'a' and gettext.NullTranslations().ngettext('a', 'b', 2) == 'b'"
    used += "\nassert locale.getencoding() and shlex.quote('a b') and textwrap.dedent(' a') == 'a'"
    used += "\nfrom asyncio import base_events"
    used += "\nassert base_events.sslproto.SSLProtocol is sys.modules['asyncio.sslproto'].SSLProtocol"
    used += "\nassert callable(base_events.staggered.staggered_race)"
    assert _imported_by(f"{asked}\n{used}\nassert 'http' in urllib.request.build_opener().handle_open") >= {
        "email",
        "http",
    }


def test_a_question_runs_nothing_of_modules_for_which_others_stand_in() -> None:
    chosen = (
        "from sulla.cli import late\nlate.for_all()\nfrom sulla.cli.main import OWN, module_of\nmodule_of(OWN['ask'])"
    )
    ran = "*(name for name, one in sys.modules.items() if '__file__' in vars(one))"
    loaded = _printed_by("-c", f"{chosen}\nimport argparse, sys\nargparse.ArgumentParser()\nprint({ran})")
    assert {"websockets.client", "argparse", "subprocess", "uuid"} <= loaded
    assert loaded & {"gettext", "locale", "platform", "shlex", "textwrap"} == set()


def test_a_question_compiles_no_expression_of_ours_before_it_needs_it() -> None:
    noted = "made.append(sys._getframe(1).f_globals['__name__']) or compiled(*given)"
    watched = f"import re, sys\nmade, compiled = [], re.compile\nre.compile = lambda *given: {noted}"
    compiling = _printed_by("-c", f"{watched}\nimport sulla.cli.ask\nprint(*made)")
    assert "websockets.headers" in compiling
    assert {name for name in compiling if name.startswith("sulla.")} <= {
        "sulla.core.redact"
    }  # asked of each log's line


def test_the_daemon_starts_without_any_heavy_library() -> None:
    assert _imported_by("import sulla.daemon.run") & HEAVY == set()


def test_a_daemon_that_is_ready_has_loaded_no_heavy_library(idle: Loaded) -> None:
    assert idle.at_ready & (HEAVY | UNASKED | BEHIND) == set()


def test_a_daemon_that_nobody_has_said_anything_to_has_loaded_no_heavy_library(tmp_path: Path) -> None:
    assert _loaded_in_the_life_of(tmp_path, "offline", "0") & (HEAVY | UNASKED | SELDOM) == set()


def test_a_daemon_loads_late_what_its_libraries_seldom_need_and_it_is_all_there() -> None:
    begun = "from sulla.cli.main import OWN, module_of\nmodule_of(OWN['up'])"
    loaded = _imported_by(begun)
    assert "uvicorn.server" in loaded
    assert loaded & SELDOM == set()
    used = "import difflib, html, logging.config, tomllib, uvicorn"
    used += "\nassert difflib.get_close_matches('aple', ['apple']) and html.unescape('&amp;') == '&'"
    used += "\nassert tomllib.loads('a = 1') == {'a': 1} and logging.config.dictConfig"
    used += "\nassert uvicorn.Config is uvicorn.config.Config"
    used += "\nimport importlib.metadata, platform, sys, textwrap"
    used += "\nassert importlib.metadata.entry_points(group='no.package.names.it') == ()"
    used += "\nassert importlib.metadata.entry_points(group='console_scripts', name='uvicorn')"
    used += "\nassert 'uvicorn' in importlib.metadata.entry_points(group='console_scripts').names"
    used += "\nassert platform.python_version() in sys.version and textwrap.dedent(' a') == 'a'"
    used += "\nassert callable(uvicorn.run) and uvicorn.__version__ and uvicorn.Server is uvicorn.server.Server"
    assert _imported_by(f"{begun}\n{used}") >= SELDOM - {"stringprep"}


def test_a_models_library_is_loaded_before_its_first_use(idle: Loaded) -> None:
    # Nobody says anything: the first turn shall find it there.
    assert idle.library in idle.warm


def test_a_models_library_is_loaded_at_its_first_use(tmp_path: Path) -> None:
    # Without a key nothing goes out: the turn fails. Also the proof that the test above can.
    assert "anthropic" in _loaded_in_the_life_of(tmp_path, "anthropic:any", "1")


def test_a_heavy_library_would_be_noticed() -> None:
    assert "rich" in _imported_by("import rich.progress")
