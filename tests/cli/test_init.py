"""`sulla init`: a home from nothing, and from what is there."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from sulla.cli.wizard import check_base_url
from sulla.core.errors import SettingsError
from sulla.daemon.settings.config import load_settings
from sulla.terminal.exits import Exit
from tests.cli.terminal import Terminal, at_a_terminal, terminal
from tests.cli.typed import Typed, typed
from tests.daemon.running import NOWHERE, PATIENCE_S, Place
from tests.daemon.serving import beside
from tests.kits.in_turn import in_turn
from tests.servers.anthropic_server import FakeAnthropic
from tests.servers.ollama_server import FakeOllama
from tests.servers.openai_server import FakeOpenAi
from tests.servers.script import Reply, Rule, Script

pytestmark = in_turn(3)

INIT = [sys.executable, "-m", "sulla", "init"]
SECRET = "hunter2-do-not-show"

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that does not exist yet, and an environment with nothing in it."""
    for name in [name for name in os.environ if name.startswith(("SULLA_", "ANTHROPIC_", "OPENAI_", "OLLAMA_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("OLLAMA_HOST", NOWHERE)
    monkeypatch.setenv("SULLA_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("sulla.models.ollama.probe.PROBE_S", 30.0)  # a busy machine is slow to answer
    return tmp_path / "home"


def _files(home: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in home.iterdir() if path.is_file()}


def _init(capsys: Capsys, *words: str) -> Typed:
    shown = typed(capsys, "init", *words)
    assert (shown.code, shown.err) == (Exit.OK, "")
    return shown


def test_a_new_home_is_private_and_loads_to_what_no_file_gives(home: Path, capsys: Capsys) -> None:
    shown = _init(capsys)
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert stat.S_IMODE((home / "sulla.toml").stat().st_mode) == 0o600
    assert stat.S_IMODE((home / "token").stat().st_mode) == 0o600
    assert (home / "workspace").is_dir()
    plain = load_settings({"OLLAMA_HOST": NOWHERE}, {}, home.parent / "none")
    assert load_settings({}, {}, home) == plain.model_copy(update={"home": home})
    assert f"made     {home / 'sulla.toml'}" in shown.out
    assert "No language model is configured" in shown.out


def test_it_ends_with_the_commands_to_go_on_with(home: Path, capsys: Capsys) -> None:
    assert [line.split("   ")[0] for line in _init(capsys).out.splitlines()[-3:]] == [
        "sulla up",
        'sulla ask "hello"',
        "sulla doctor",
    ]
    elsewhere = _init(capsys, "--home", str(home.parent / "a b")).out.splitlines()[-3:]
    assert elsewhere[0].startswith(f"sulla up --home '{home.parent / 'a b'}'")


def test_a_second_run_changes_nothing_and_says_so(home: Path, capsys: Capsys) -> None:
    _init(capsys)
    before = _files(home)
    shown = _init(capsys)
    assert _files(home) == before
    assert "nothing was changed" in shown.out
    report = json.loads(_init(capsys, "--json").out)
    assert (report["changed"], report["made"], len(report["kept"])) == (False, [], 4)


def test_force_keeps_the_old_settings_under_a_number(home: Path, capsys: Capsys) -> None:
    _init(capsys)
    (home / "sulla.toml").write_text("[gateway]\nport = 4711\n")
    report = json.loads(_init(capsys, "--force", "--json").out)
    assert report["backup"] == str(home / "sulla.toml.1")
    assert (home / "sulla.toml.1").read_text() == "[gateway]\nport = 4711\n"
    assert load_settings({}, {}, home).gateway.port == 8137


def test_settings_that_are_wrong_are_named_and_force_begins_anew(home: Path, capsys: Capsys) -> None:
    home.mkdir()
    (home / "sulla.toml").write_text("[gatway]\nport = 1\n")
    shown = typed(capsys, "init")
    assert (shown.code, shown.out) == (Exit.SETTINGS, "")
    assert "'gatway.port' is not a setting; did you mean 'port' under [gateway]?" in shown.err
    _init(capsys, "--force")
    assert load_settings({}, {}, home).gateway.port == 8137


def test_a_key_is_found_and_named_by_its_variable_and_never_written(
    home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    monkeypatch.setenv("SULLA_MODEL__OPENAI_API_KEY", SECRET)
    shown = _init(capsys)
    assert "ANTHROPIC_API_KEY is set; it is not written down" in shown.out
    assert "SULLA_MODEL__OPENAI_API_KEY is set" in shown.out
    assert load_settings({}, {}, home).model.name == "anthropic:claude-sonnet-5-5"
    assert all(SECRET.encode() not in data for data in _files(home).values())
    assert SECRET not in shown.out


def test_an_openai_key_alone_leaves_the_model_to_its_owner(
    home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    assert "set model.name to openai:<model>" in _init(capsys).out
    assert load_settings({}, {}, home).model.name == ""


def test_an_ollama_is_found_with_its_models(home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    with beside(lambda clock: FakeOllama(Script(()), clock, models=("small:1b", "big:70b"))) as fake:
        monkeypatch.setenv("OLLAMA_HOST", fake.url)
        shown = _init(capsys)
    assert "an Ollama answers; it has small:1b, big:70b" in shown.out
    assert "the model is ollama:small:1b" in shown.out
    assert load_settings({}, {}, home).model.name == "ollama:small:1b"


def test_where_services_are_is_kept_for_a_daemon_that_has_no_such_variables(
    home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "https://models.example/v1")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"https://me:{SECRET}@gate.example")
    shown = _init(capsys)
    assert "OPENAI_BASE_URL is kept as model.openai_base_url" in shown.out
    assert "OLLAMA_HOST is kept as model.ollama_host" in shown.out
    assert "ANTHROPIC_BASE_URL has a password in it and is not written down" in shown.out
    model = load_settings({}, {}, home).model
    assert (model.openai_base_url, model.ollama_host) == ("https://models.example/v1", NOWHERE)
    assert model.anthropic_base_url == ""
    assert SECRET not in shown.out


def test_json_has_all_of_it(home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    report = json.loads(_init(capsys, "--json").out)
    assert report["home"] == str(home)
    assert (report["changed"], report["backup"], report["ollama"]) == (True, None, None)
    assert (report["model"], report["keys"]) == ("anthropic:claude-sonnet-5-5", ["ANTHROPIC_API_KEY"])
    assert report["next"] == ["sulla up", 'sulla ask "hello"', "sulla doctor"]


def test_a_home_that_cannot_be_made_is_named(home: Path, capsys: Capsys) -> None:
    home.write_text("")
    shown = typed(capsys, "init")
    assert (shown.code, shown.out) == (Exit.SETTINGS, "")
    assert str(home) in shown.err


def test_a_daemon_starts_on_what_was_made(tmp_path: Path) -> None:
    place = Place(tmp_path / "home", SULLA_MODEL="offline")
    code, out, err = place.run("init")
    assert (code, err) == (Exit.OK, "")
    assert "sulla up" in out
    with place.up():
        code, out, err = place.ask("hello")
        assert (code, "offline stand-in" in out) == (Exit.OK, True)


# ------------------------------------------------------------------------------------------------------ on a terminal


def _answered(seen: Terminal, *answers: tuple[str, str]) -> None:
    """Answer each question, once its prompt is shown."""
    for prompt, answer in answers:
        seen.prompted(prompt)
        seen.type(answer)
    assert seen.process.wait(PATIENCE_S) == Exit.OK


REST = (("Folder for the files", "\n"), ("Your time zone", "\n"), ("model can answer? [Y/n]", "n\n"), ("[y/N]", "\n"))
"""What is asked behind the model, answered with nothing."""


@pytest.mark.parametrize(
    ("typed_in", "chosen"),
    [
        ("2\n", "ollama:big:70b"),
        ("\n", "ollama:small:1b"),
        ("9\nbig:70b\n", "ollama:big:70b"),
        ("anthropic:claude-x\n", "anthropic:claude-x"),
        ("\x04", "ollama:small:1b"),
    ],
)
def test_of_several_models_a_person_chooses(tmp_path: Path, typed_in: str, chosen: str) -> None:
    with beside(lambda clock: FakeOllama(Script(()), clock, models=("small:1b", "big:70b"))) as fake:
        place = Place(tmp_path / "home", OLLAMA_HOST=fake.url)
        with terminal(INIT, place.environ) as seen:
            seen.until("Which model should answer?")
            chosen_by = [("just press Enter", answer) for answer in typed_in.splitlines(keepends=True)]
            key = [("The key for anthropic", "\n")] if chosen.startswith("anthropic") else []
            _answered(seen, *chosen_by, *key, *REST)
            assert "  3. Anthropic (needs a key)" in seen.shown
    assert load_settings({}, {}, place.home).model.name == chosen


def test_nothing_is_asked_of_whoever_says_so(tmp_path: Path) -> None:
    with beside(lambda clock: FakeOllama(Script([Rule(Reply("x"))]), clock, models=("only:1b",))) as fake:
        place = Place(tmp_path / "home", OLLAMA_HOST=fake.url)
        code, shown = at_a_terminal([*INIT, "--yes"], "", place.environ)
    assert (code, "?" in shown) == (Exit.OK, False)
    assert load_settings({}, {}, place.home).model.name == "ollama:only:1b"


def test_the_terminal_is_not_asked_twice_for_what_a_person_does_not_know(tmp_path: Path) -> None:
    place = Place(tmp_path / "home", OPENAI_API_KEY=f"sk-{SECRET}")
    with terminal(INIT, place.environ) as seen:
        _answered(seen, ("nothing to decide later:", "\n"), *REST[:2], REST[3])
    assert seen.shown.count("Which of the service's models should answer?") == 1
    assert SECRET not in seen.shown
    assert load_settings({}, {}, place.home).model.name == ""


def test_a_key_that_is_pasted_is_not_shown_is_tried_and_is_kept_for_its_owner_alone(tmp_path: Path) -> None:
    key = "sk-ant-hunter2-do-not-show"
    with beside(lambda clock: FakeAnthropic(Script(()), clock, key=key, models=("claude-sonnet-5-5",))) as fake:
        place = Place(tmp_path / "home", ANTHROPIC_BASE_URL=fake.url)
        with terminal(INIT, place.environ) as seen:
            _answered(
                seen,
                ("4 if you just press Enter", "1\n"),
                ("The key for anthropic", "sk-proj-hunter2\n"),
                ("The key for anthropic", f"\x1b[200~{key}\x1b[201~\n"),
                ("Folder for the files", f"{__file__}\n"),
                ("Folder for the files", f"{tmp_path}/my files\n"),
                ("Your time zone", "Mars/Olympus\n"),
                ("Your time zone", "Europe/Berlin\n"),
                ("model can answer? [Y/n]", "\n"),
                ("[y/N]", "\n"),
            )
            seen_all = seen.shown
        assert fake.requests == [], "nothing was paid for"
    assert "that begins like a key of OpenAI's; it was not taken" in seen_all
    assert "is a file: name a folder" in seen_all
    assert "there is no time zone 'Mars/Olympus'" in seen_all
    assert "hunter2" not in seen_all
    file = place.home / "keys.toml"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    settings = load_settings({}, {}, place.home)
    assert settings.model.name == "anthropic:claude-sonnet-5-5"
    assert settings.model.anthropic_api_key.get_secret_value() == key
    assert settings.workspace == tmp_path / "my files"
    assert settings.daemon.zone == "Europe/Berlin"


@pytest.mark.parametrize(("typed", "kept"), [("2", "ollama:small:1b"), ("", "ollama:big:70b")])
def test_an_ollama_that_does_not_answer_yet_is_offered_and_its_address_kept(
    typed: str, kept: str, tmp_path: Path
) -> None:
    with beside(lambda clock: FakeOllama(Script(()), clock, models=("big:70b", "small:1b"))) as fake:
        place = Place(tmp_path / "home")
        with terminal(INIT, place.environ) as seen:
            _answered(
                seen,
                ("4 if you just press Enter", "7\n"),
                ("4 if you just press Enter", "3\n"),
                ("Where it is, or will be", f"{fake.url}\n"),
                ("1 if you just press Enter:", f"{typed}\n"),
                *REST,
            )
            shown, url = seen.shown, fake.url
    assert "'7' is none of them: expected a number from 1 to 4" in shown
    assert "(none answers at http://127.0.0.1:" in shown
    model = load_settings({}, {}, place.home).model
    assert (model.name, model.ollama_host) == (kept, url)


def test_a_service_that_speaks_openais_api_is_asked_for_its_address_and_any_key_is_its_own(tmp_path: Path) -> None:
    key = "sk-or-hunter2-do-not-show"
    with beside(lambda clock: FakeOpenAi(Script(()), clock, key=key, models=("big/one",))) as fake:
        place = Place(tmp_path / "home")
        with terminal(INIT, place.environ) as seen:
            _answered(
                seen,
                ("4 if you just press Enter", "2\n"),
                ("The service's address", "my server\n"),
                ("The service's address", f"{fake.url}\n"),
                ("nothing to decide later:", "big/one\n"),
                ("The key for that service", f"{key}\n"),
                *REST[:2],
                ("model can answer? [Y/n]", "\n"),
                REST[3],
            )
            shown, url = seen.shown, fake.url
    assert "'my server' is no address of a service: expected one such as http://127.0.0.1:1234/v1" in shown
    assert "the service answers and has it" in shown
    model = load_settings({}, {}, place.home).model
    assert (model.name, model.openai_base_url) == ("openai:big/one", url)
    assert model.openai_api_key.get_secret_value() == key


def test_an_address_of_a_service_is_a_url_without_a_password() -> None:
    check_base_url("")
    check_base_url("http://127.0.0.1:1234/v1")
    for wrong in (
        "localhost:1234",
        "ftp://a/v1",
        "https://",
        "https://me:secret@a/v1",
        "http://a b/v1",
        "http://a:x/v1",
    ):
        with pytest.raises(SettingsError, match="is no address of a service"):
            check_base_url(wrong)


def test_a_model_can_be_named_before_its_ollama_is_there(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    with terminal(INIT, place.environ) as seen:
        _answered(
            seen,
            ("4 if you just press Enter", "3\n"),
            ("Where it is, or will be", "\n"),
            ("nothing to decide later:", "qwen3:8b\n"),
            *REST,
        )
        assert "yet: `ollama serve` starts one" in seen.shown
    assert load_settings({}, {}, place.home).model.name == "ollama:qwen3:8b"


def test_after_a_key_that_the_service_refuses_another_one_is_asked_for(tmp_path: Path) -> None:
    key = "sk-ant-hunter2-do-not-show"
    with beside(lambda clock: FakeAnthropic(Script(()), clock, key=key, models=("claude-sonnet-5-5",))) as fake:
        place = Place(tmp_path / "home", ANTHROPIC_BASE_URL=fake.url)
        with terminal(INIT, place.environ) as seen:
            _answered(
                seen,
                ("4 if you just press Enter", "1\n"),
                ("The key for anthropic", "sk-ant-wrong\n"),
                *REST[:2],
                ("model can answer? [Y/n]", "\n"),
                ("The key for anthropic", f"{key}\n"),
                REST[3],
            )
            shown = seen.shown
    assert "give another key" in shown
    assert "the service answers and has it" in shown
    assert load_settings({}, {}, place.home).model.anthropic_api_key.get_secret_value() == key


def test_new_settings_beside_a_key_that_was_kept_ask_which_model_answers(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    assert at_a_terminal([*INIT, "--yes"], "", place.environ)[0] == Exit.OK
    (place.home / "keys.toml").touch(0o600)
    (place.home / "keys.toml").write_text('[model]\nanthropic_api_key = "sk-ant-wrong"\n')
    with terminal([*INIT, "--force"], place.environ) as seen:
        _answered(seen, ("1 if you just press Enter", "4\n"), *REST[:2], ("can answer? [Y/n]", "n\n"), REST[3])
        shown = seen.shown
    assert "1. Anthropic (its key is there)" in shown
    assert f"{place.home / 'keys.toml'} has a key: it is used" in shown
    assert "--keep-key" not in shown


# --------------------------------------------------------------------------------------------------------- by flags


def test_a_workspace_that_is_a_file_is_refused_before_anything_is_written(home: Path, capsys: Capsys) -> None:
    (home.parent / "notes.txt").write_text("mine")
    shown = typed(capsys, "init", "--model", "anthropic:a", "--workspace", str(home.parent / "notes.txt" / "w"))
    assert shown.code != Exit.OK
    assert "notes.txt' is a file: name a folder" in shown.err
    assert not (home / "sulla.toml").exists()


def test_all_of_it_can_be_said_on_the_command_line(home: Path, capsys: Capsys) -> None:
    words = ("--model", "anthropic:a", "--workspace", str(home.parent / "w"), "--zone", "Asia/Tokyo", "--key-stdin")
    shown = typed(capsys, "init", *words, given=b"sk-ant-hunter2\n")
    assert (shown.code, shown.err) == (Exit.OK, "")
    assert "hunter2" not in shown.out
    settings = load_settings({}, {}, home)
    assert (settings.model.name, settings.workspace) == ("anthropic:a", home.parent / "w")
    assert settings.model.anthropic_api_key.get_secret_value() == "sk-ant-hunter2"
    assert settings.daemon.zone == "Asia/Tokyo"


def test_another_key_takes_the_place_of_one_that_alone_has_chosen_the_model(home: Path, capsys: Capsys) -> None:
    home.mkdir(0o700)
    (home / "sulla.toml").touch()
    (home / "keys.toml").touch(0o600)
    (home / "keys.toml").write_text('[model]\nanthropic_api_key = "sk-ant-old"\n')
    shown = typed(capsys, "init", "--key-stdin", given=b"sk-ant-new\n")
    assert (shown.code, shown.err) == (Exit.OK, "")
    again = typed(capsys, "init", "--key-stdin", given=b"sk-ant-new\n")
    assert "nothing but the keys was changed" in again.out
    assert load_settings({}, {}, home).model.anthropic_api_key.get_secret_value() == "sk-ant-new"


def test_keys_of_the_environment_are_kept_where_that_is_asked_for(
    home: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    _init(capsys)
    shown = _init(capsys, "--keep-key")
    assert f"keys     {home / 'keys.toml'}" in shown.out
    assert SECRET not in shown.out
    assert load_settings({}, {}, home).model.anthropic_api_key.get_secret_value() == SECRET


def test_a_model_that_cannot_answer_is_a_failure_where_it_is_to_be_tried(home: Path, capsys: Capsys) -> None:
    shown = typed(capsys, "init", "--model", "ollama:a:1b", "--check")
    assert shown.code == Exit.FAILED
    assert f"no Ollama answers at http://{NOWHERE}" in shown.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--model", "antropic:x"), "did you mean 'anthropic'?"),
        (("--zone", "Mars/Olympus"), "there is no time zone 'Mars/Olympus'"),
        (("--key-stdin",), "name it by --model"),
    ],
)
def test_what_is_wrong_on_the_command_line_makes_no_home(
    home: Path, capsys: Capsys, words: tuple[str, ...], said: str
) -> None:
    shown = typed(capsys, "init", *words, given=b"sk-ant-x\n")
    assert shown.code == Exit.SETTINGS
    assert said in shown.err
    assert not (home / "sulla.toml").exists()


def test_settings_that_are_there_are_not_changed_by_flags(home: Path, capsys: Capsys) -> None:
    _init(capsys)
    shown = typed(capsys, "init", "--model", "offline")
    assert (shown.code, "write a new one with --force" in shown.err) == (Exit.SETTINGS, True)
