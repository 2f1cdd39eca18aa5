"""Settings with which no daemon could start: found as they are read, once, with the place."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sulla.daemon.settings.config import examine_settings

_WRONG = (
    ("daemon", "zone", "Nowhere/X", "there is no time zone 'Nowhere/X'"),
    ("model", "name", "gpt-5", "no provider in the model name 'gpt-5'"),
    ("model", "fallback", "gpt-5", "no provider in the model name 'gpt-5'"),
    ("model", "ollama_host", "http://bad host:xx", "expected host, host:port or a URL"),
    ("gateway", "host", "0.0.0.0", "gateway.host is '0.0.0.0'"),
    ("store", "url", "foo://x", "expected sqlite:///path"),
    ("work", "engine", "dbos", "nobody else can use this home's store"),
    ("work", "role", "worker", "nobody else can use this home's store"),
    ("heartbeat", "active_hours", "banana", "active hours: got 'banana'"),
    ("heartbeat", "cron", "banana", "cron: got 'banana'"),
    ("heartbeat", "zone", "Nowhere/X", "there is no time zone 'Nowhere/X'"),
    ("heartbeat", "model", "gpt-5", "no provider in the model name 'gpt-5'"),
)


@pytest.mark.parametrize(("section", "key", "value", "said"), _WRONG)
def test_what_no_daemon_could_start_with_is_one_fault_with_its_line(
    tmp_path: Path, section: str, key: str, value: str, said: str
) -> None:
    (tmp_path / "sulla.toml").write_text(f"\n[{section}]\n{key} = '{value}'\n")
    found = examine_settings({}, {}, tmp_path)
    assert len(found.faults) == 1
    assert found.faults[0].startswith(f"{tmp_path / 'sulla.toml'}:3: {section}.{key}")
    assert said in found.faults[0]
    assert getattr(getattr(found.settings, section), key) != value  # and nobody else stumbles over it
    assert not found.sources


def test_all_of_them_are_found_at_once_and_the_rest_counts(tmp_path: Path) -> None:
    (tmp_path / "sulla.toml").write_text("[model]\nname = 'gpt-5'\nfallback = 'x'\nreply_tokens = 77\n")
    found = examine_settings({"SULLA_DAEMON__ZONE": "X"}, {}, tmp_path)
    assert [fault.partition(" ")[0].rpartition("/")[2] for fault in found.faults] == [
        "sulla.toml:2:",
        "sulla.toml:3:",
        "SULLA_DAEMON__ZONE:",
    ]
    assert found.settings.model.reply_tokens == 77


def test_what_two_settings_say_together_is_a_fault_with_the_place_of_one(tmp_path: Path) -> None:
    (tmp_path / "sulla.toml").write_text("\n[notify]\njoin_min = 7\n[[notify.channels]]\nname = 'y'\nsecret = 'nope'\n")
    found = examine_settings({}, {}, tmp_path)
    (fault,) = found.faults
    assert fault.startswith(f"{tmp_path / 'sulla.toml'}:4: notify.channels: 'y' names the secret 'nope', and [")


_BEATS = "[heartbeat]\nenabled = true\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (_BEATS + "agent = 'nobody'\n", "3: heartbeat.agent: no agent 'nobody' (known: sulla, reader"),
        (
            _BEATS + "period_s = 60\njitter_s = 60\n",
            "4: heartbeat.jitter_s: got 60 seconds, expected less than every 60",
        ),
        (
            _BEATS + "[heartbeat.schedules.late]\nagent = 'nobody'\n",
            "heartbeat.schedules.late.agent: no agent 'nobody' (known: sulla, reader",
        ),
        (
            _BEATS + "[heartbeat.schedules.late]\nperiod_s = 60\njitter_s = 90\n",
            "heartbeat.schedules.late.jitter_s: got 90 seconds, expected less than every 60",
        ),
        ("[journal]\nenabled = false\ntraining = true\n", "3: journal.training is true and journal.enabled is false"),
        ("[web]\nsearch = 'brave'\n", "2: web.search is 'brave', which needs web.brave_api_key"),
        ("[web]\nsearch = 'searxng'\n", "2: web.search is 'searxng', which needs web.searxng_url"),
        (
            "[model]\nnative_tools = {openai = [{type = 'web_search'}]}\nopenai_form = 'chat'\n",
            'model.native_tools.openai works with model.openai_form = "responses" alone',
        ),
    ],
)
def test_what_up_would_refuse_is_found_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "agents" / "reader").mkdir(parents=True)
    (tmp_path / "agents" / "reader" / "agent.toml").write_text("description = 'reads'\n")
    (tmp_path / "sulla.toml").write_text(text)
    (fault,) = examine_settings({}, {}, tmp_path).faults
    assert fault.startswith(f"{tmp_path / 'sulla.toml'}:")
    assert said in fault


def test_beats_that_can_be_are_no_fault(tmp_path: Path) -> None:
    (tmp_path / "agents" / "reader").mkdir(parents=True)
    (tmp_path / "agents" / "reader" / "agent.toml").write_text("description = 'reads'\n")
    late = "[heartbeat.schedules.late]\nagent = 'reader'\nperiod_s = 60\n"
    (tmp_path / "sulla.toml").write_text(_BEATS + "agent = 'reader'\njitter_s = 59\n" + late)
    assert examine_settings({}, {}, tmp_path).faults == ()
    (tmp_path / "sulla.toml").write_text("[heartbeat]\nagent = 'nobody'\njitter_s = 99999\n")
    assert examine_settings({}, {}, tmp_path).faults == (), "nobody beats"


@pytest.mark.parametrize(("url", "library"), [("postgresql://u@h/d", "psycopg"), ("redis://h", "redis")])
def test_a_store_whose_library_is_missing_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, library: str
) -> None:
    (tmp_path / "sulla.toml").write_text(f"[store]\nurl = '{url}'\n")
    assert examine_settings({}, {}, tmp_path).faults == ()
    monkeypatch.setitem(sys.modules, library, None)
    (fault,) = examine_settings({}, {}, tmp_path).faults
    assert fault.startswith(f"{tmp_path / 'sulla.toml'}:2: store.url: SULLA_STORE or store.url asks for")
    assert f"which needs the library '{library}'" in fault


def test_an_address_beyond_this_machine_is_right_once_it_is_said_to_be_meant(tmp_path: Path) -> None:
    (tmp_path / "sulla.toml").write_text("[gateway]\nhost = '0.0.0.0'\nexpose = true\n")
    assert examine_settings({}, {}, tmp_path).faults == ()


_SHARED = "POSTGRES_URL", "postgresql://u@127.0.0.1/d"
_REDIS = "REDIS_URL", "redis://127.0.0.1"
_CLUSTERS = (
    ({_SHARED[0]: _SHARED[1]}, "role = 'gateway'", "set work.engine to 'dbos' too"),
    ({_REDIS[0]: _REDIS[1]}, "engine = 'dbos'", "needs a PostgreSQL beside this store: set work.database_url"),
)


@pytest.mark.parametrize(("environ", "line", "said"), _CLUSTERS)
def test_what_a_cluster_lacks_is_said_with_what_to_do(
    tmp_path: Path, environ: dict[str, str], line: str, said: str
) -> None:
    (tmp_path / "sulla.toml").write_text(f"[work]\n{line}\n")
    (fault,) = examine_settings(environ, {}, tmp_path).faults
    assert said in fault


def test_dbos_without_its_library_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sulla.daemon.settings.usable.find_spec", lambda name: None if name == "dbos" else object())
    (tmp_path / "sulla.toml").write_text("[work]\nengine = 'dbos'\n")
    (fault,) = examine_settings(dict([_SHARED]), {}, tmp_path).faults
    assert fault.endswith("needs the library 'dbos': pip install 'sulla-agent[cluster]'")


@pytest.mark.parametrize("role", ["all", "gateway", "worker"])
def test_a_cluster_with_all_that_it_needs_has_no_fault(tmp_path: Path, role: str) -> None:
    text = f"[work]\nengine = 'dbos'\nrole = '{role}'\ndatabase_url = 'postgresql://u@127.0.0.1/d'\n"
    (tmp_path / "sulla.toml").write_text(text)
    assert not examine_settings(dict([_REDIS]), {}, tmp_path).faults


_URLS = [
    ("SULLA_STORE", "store.url", "postgresql"),
    ("SULLA_STORE", "store.url", "redis"),
    ("SULLA_STORE", "store.url", "unix"),
    ("POSTGRES_URL", "store.postgres_url", "postgresql"),
    ("REDIS_URL", "store.redis_url", "rediss"),
    ("SULLA_WORK__DATABASE_URL", "work.database_url", "postgresql"),
    ("ANTHROPIC_BASE_URL", "model.anthropic_base_url", "http"),
    ("OPENAI_BASE_URL", "model.openai_base_url", "http"),
    ("OLLAMA_HOST", "model.ollama_host", "http"),
    ("SULLA_WEB__SEARXNG_URL", "web.searxng_url", "http"),
    ("SULLA_TELEMETRY__OTLP_ENDPOINT", "telemetry.otlp_endpoint", "http"),
]


@pytest.mark.parametrize("sign", "@/?#")
@pytest.mark.parametrize(("variable", "name", "scheme"), _URLS)
def test_a_password_whose_signs_are_not_encoded_is_a_fault_and_is_not_shown(
    tmp_path: Path, variable: str, name: str, scheme: str, sign: str
) -> None:
    url = f"{scheme}://me:12{sign}S3cretTail@host:1/0"
    (fault,) = examine_settings({variable: url}, {}, tmp_path).faults
    assert fault.startswith(f"{variable}: {name}: the user or the password in the URL has {sign!r} in it")
    assert f"write that as %{ord(sign):02X}" in fault
    assert "S3cretTail" not in fault


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("redis://me:S3cretTail@host", "asks for 'redis': expected postgresql://"),
        ("S3cretTail", "is not the URL of a server: expected postgresql://"),
    ],
)
def test_work_is_shared_by_a_postgresql(tmp_path: Path, url: str, said: str) -> None:
    (fault,) = examine_settings({"SULLA_WORK__DATABASE_URL": url}, {}, tmp_path).faults
    assert fault.startswith("SULLA_WORK__DATABASE_URL: work.database_url")
    assert said in fault
    assert "S3cretTail" not in fault
