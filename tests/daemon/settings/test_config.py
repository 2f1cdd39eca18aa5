"""Settings: what wins over what, and what is said about a mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from sulla.core.errors import SettingsError
from sulla.core.jsontypes import Json
from sulla.daemon.settings.config import Settings, load_settings, sections
from sulla.daemon.settings.sources import FOREIGN_COUNTS, FOREIGN_NAMES, variable
from sulla.host.home import find_home
from sulla.playbooks.settings import PlaybookSettings
from tests.daemon.settings.page import PAGE, wanted

Load = Callable[..., Settings]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where `sulla.toml` has to be."""
    return tmp_path / "sulla.toml"


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Loads the settings of a home from an environment and flags."""

    def load(environ: Mapping[str, str] | None = None, **flags: Json) -> Settings:
        return load_settings(environ or {}, {("gateway", key): value for key, value in flags.items()}, tmp_path)

    return load


def _complaint(load: Load, environ: Mapping[str, str] | None = None, **flags: Json) -> str:
    with pytest.raises(SettingsError) as raised:
        load(environ, **flags)
    return raised.value.message


# ------------------------------------------------------------------------------------------------------ what wins


def test_an_empty_home_and_environment_give_the_defaults(load: Load, tmp_path: Path) -> None:
    settings = load()
    assert (settings.home, settings.gateway.host, settings.gateway.port) == (tmp_path, "127.0.0.1", 8137)
    assert (settings.store.url, settings.model.name) == ("", "")
    assert settings.workspace == tmp_path / "workspace"


def test_the_file_wins_over_the_defaults(load: Load, file: Path) -> None:
    file.write_text("[gateway]\nport = 1\n[limits]\nruns = 3\n")
    assert (load().gateway.port, load().limits.runs, load().gateway.host) == (1, 3, "127.0.0.1")


def test_the_environment_wins_over_the_file(load: Load, file: Path) -> None:
    file.write_text("[gateway]\nport = 1\nhost = '::1'\n")
    settings = load({"SULLA_GATEWAY__PORT": "2"})
    assert (settings.gateway.port, settings.gateway.host) == (2, "::1")


def test_a_flag_wins_over_the_environment(load: Load) -> None:
    assert load({"SULLA_GATEWAY__PORT": "2"}, port=3).gateway.port == 3


def test_a_flag_that_was_not_given_wins_over_nothing(load: Load) -> None:
    assert load({"SULLA_GATEWAY__PORT": "2"}, port=None).gateway.port == 2


@pytest.mark.parametrize(
    ("name", "section", "key"), [(name, *target) for name, target in (FOREIGN_NAMES | FOREIGN_COUNTS).items()]
)
def test_a_variable_of_other_programs_stands_between_the_file_and_ours(
    load: Load, file: Path, name: str, section: str, key: str
) -> None:
    def value(environ: Mapping[str, str]) -> str:
        found = getattr(getattr(load(environ), section), key)
        return str(found.get_secret_value() if isinstance(found, SecretStr) else found)

    # What is a number has to be one.
    in_file, theirs, ours = ("1", "2", "3") if key == "runs" else ("file", "theirs", "ours")
    if section == "store":  # and what is the URL of a store, one
        in_file, theirs, ours = (f"redis://{host}" for host in (in_file, theirs, ours))
    file.write_text(f"[{section}]\n{key} = '{in_file}'\n")
    assert value({}) == in_file
    assert value({name: ""}) == in_file
    assert value({name: theirs}) == theirs
    assert value({name: theirs, variable(section, key): ours}) == ours


def test_secrets_of_playbooks_come_from_the_file_and_each_from_a_variable(load: Load, file: Path) -> None:
    file.write_text("[playbooks.secrets]\nmail = 'from the file'\nbank = 'old'\n")
    found = load({"SULLA_SECRET_BANK": "new", "SULLA_SECRET_SHOP": "key"}).section(PlaybookSettings).secrets
    told = {name: secret.get_secret_value() for name, secret in found.items()}
    assert told == {"mail": "from the file", "bank": "new", "shop": "key"}
    assert "from the file" not in str(found)


@pytest.mark.parametrize("secret", ["", " ", "whsec_"])
def test_an_empty_secret_of_a_playbook_is_refused_with_its_line(load: Load, file: Path, secret: str) -> None:
    file.write_text(f"[playbooks.secrets]\nmail = 'good'\nbank = '{secret}'\n")
    with pytest.raises(SettingsError, match=r"sulla\.toml:3\b.*empty"):
        load()
    file.unlink()
    with pytest.raises(SettingsError, match=r"SULLA_SECRET_BANK\b.*empty"):
        load({"SULLA_SECRET_BANK": secret})


def test_the_common_settings_have_short_names(load: Load) -> None:
    settings = load({"SULLA_MODEL": "offline", "SULLA_STORE": "memory:"})
    assert (settings.model.name, settings.store.url) == ("offline", "memory:")


def test_a_list_in_a_variable_is_one_text_with_commas(load: Load, file: Path) -> None:
    file.write_text('[gateway]\nallowed_hosts = ["a.lan", "b.lan"]\n')
    assert load().gateway.allowed_hosts == ("a.lan", "b.lan")
    assert load({"SULLA_GATEWAY__ALLOWED_HOSTS": "c.lan, d.lan,"}).gateway.allowed_hosts == ("c.lan", "d.lan")
    assert load({"SULLA_GATEWAY__ALLOWED_HOSTS": ""}).gateway.allowed_hosts == ()


def test_settings_do_not_change(load: Load) -> None:
    settings = load()
    with pytest.raises(ValidationError):
        settings.gateway.port = 1  # type: ignore[misc]  # that is what must not work


# ---------------------------------------------------------------------------------------------------------- places


def test_the_home_is_what_was_given_else_the_variable_else_a_folder_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_home({"SULLA_HOME": "/one"}, Path("/two")) == Path("/two")
    assert find_home({"SULLA_HOME": "~/one"}, None) == tmp_path / "one"
    assert find_home({"SULLA_HOME": ""}, None) == tmp_path / ".sulla"
    assert find_home({}, None) == tmp_path / ".sulla"


def test_a_relative_home_is_pinned_to_where_the_command_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_home({}, Path("here")) == tmp_path / "here"


def test_a_tilde_that_stands_for_nobody_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"~nobody-of-that-name/x.*write the path out"):
        find_home({}, Path("~nobody-of-that-name/x"))


def test_a_relative_path_lies_in_the_home(load: Load, tmp_path: Path) -> None:
    assert load({"SULLA_AGENT__WORKSPACE": "notes"}).workspace == tmp_path / "notes"
    assert load({"SULLA_AGENT__WORKSPACE": "/srv/notes"}).workspace == Path("/srv/notes")


# -------------------------------------------------------------------------------------------------- unknown names


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("SULLA_GATEWAY__PROT", "SULLA_GATEWAY__PORT"),
        ("SULLA_GATEWAY_PORT", "SULLA_GATEWAY__PORT"),
        ("SULLA_GATWAY__PORT", "SULLA_GATEWAY__PORT"),
        ("SULLA_gateway__port", "SULLA_GATEWAY__PORT"),
        ("SULLA_PORT", "SULLA_GATEWAY__PORT"),
        ("SULLA_GATEWAY", "SULLA_GATEWAY__PORT"),
        ("SULLA_MODLE", "SULLA_MODEL"),
        ("SULLA_STOR", "SULLA_STORE"),
        ("SULLA_HOMES", "SULLA_HOME"),
    ],
)
def test_an_unknown_variable_is_refused_with_the_nearest_name(load: Load, name: str, meant: str) -> None:
    assert _complaint(load, {name: "x"}) == f"{name} is not a setting; did you mean {meant}?"


def test_a_variable_that_is_like_none_is_told_how_ours_are_written(load: Load) -> None:
    said = _complaint(load, {"SULLA_XYZZY": "x"})
    assert "SULLA_XYZZY is not a setting; ours are written SULLA_<SECTION>__<KEY>" in said
    assert "gateway, store, work, model" in said


def test_variables_without_our_prefix_are_none_of_our_business(load: Load) -> None:
    load({"SULLAS_FRIEND": "x", "sulla_gateway__port": "x", "PATH": "/bin"})


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("[gateway]\nprot = 1", 2, "'gateway.prot' is not a setting; did you mean 'port' under [gateway]?"),
        ("[gatway]\nport = 1", 2, "'gatway.port' is not a setting; did you mean 'port' under [gateway]?"),
        ("port = 1", 1, "'port' is not a setting; did you mean 'port' under [gateway]?"),
        ("gateway = 1", 1, "'gateway' is a section: write [gateway], and its settings below it"),
        ("[[gateway]]\nport = 1", 1, "'gateway' is a section: write [gateway], and its settings below it"),
        ("[gatway]", 1, "[gatway] is not a section; expected one of gateway"),
        ("[xyzzy]", 1, "[xyzzy] is not a section; expected one of gateway, store, work, model, limits, daemon, agent"),
        ("[gateway.tls]\non = 1", 1, "'gateway.tls' is not a setting; did you mean"),
        (
            "[heartbeats]\nenabled = 1",
            2,
            "'heartbeats.enabled' is not a setting; did you mean 'enabled' under [heartbeat]?",
        ),
        ("[qqq]\nqqqq = 1", 2, "'qqq.qqqq' is not a setting; the sections are gateway, store, work, model, limits"),
    ],
)
def test_an_unknown_name_in_the_file_is_refused_with_the_nearest_one(
    load: Load, file: Path, text: str, line: int, said: str
) -> None:
    file.write_text(text)
    assert _complaint(load).startswith(f"{file}:{line}: {said}")


# --------------------------------------------------------------------------------------------------- wrong values


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("SULLA_GATEWAY__PORT", "x", "gateway.port is 'x': it should be a valid integer"),
        ("SULLA_GATEWAY__PORT", "", "gateway.port is '': it should be a valid integer"),
        ("SULLA_GATEWAY__PORT", "70000", "gateway.port is '70000': it should be less than or equal to 65535"),
        ("SULLA_DAEMON__DRAIN_S", "0", "daemon.drain_s is '0': it should be greater than 0"),
        ("SULLA_DAEMON__DRAIN_S", "inf", "daemon.drain_s is 'inf': it should be a finite number"),
        ("SULLA_DAEMON__LOG_LEVEL", "loud", "daemon.log_level is 'loud': it should be 'debug', 'info', 'warning'"),
        ("SULLA_STORE__LEASE_TTL_S", "0.5", "store.lease_ttl_s is '0.5': it should be greater than or equal to 1"),
        ("SULLA_LIMITS__RUNS", "0", "limits.runs is '0': it should be greater than or equal to 1"),
    ],
)
def test_a_wrong_value_is_named_with_its_place_and_what_was_expected(
    load: Load, name: str, value: str, said: str
) -> None:
    assert _complaint(load, {name: value}).startswith(f"{name}: {said}")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("[gateway]\nport = 'x'", 2, "gateway.port is 'x': it should be a valid integer"),
        ("[gateway]\nport = true", 2, "gateway.port is True: it should not be true or false"),
        ("[gateway]\nhost = 5", 2, "gateway.host is 5: it should be a valid string"),
        ("[gateway]\nallowed_hosts = [1]", 2, "gateway.allowed_hosts is [1]: it should be a valid string"),
        ("[gateway.port]\nx = 1", 1, "gateway.port is {'x': 1}: it should be a valid integer"),
        ('[mcp.servers.a]\ncommand = "a"\n[mcp.servers.b]\ncommand = "b"\nnone = 1', 5, "mcp.servers.b.none"),
        ('[mcp.servers.a]\ncommand = "a"\n[mcp.servers."b"]\ncommand = 1', 4, "mcp.servers.b.command"),
        ("[daemon]\ndrain_s = nan", 2, "daemon.drain_s is nan: it should be"),
    ],
)
def test_a_wrong_type_in_the_file_is_named_with_its_place(
    load: Load, file: Path, text: str, line: int, said: str
) -> None:
    file.write_text(text)
    assert _complaint(load).startswith(f"{file}:{line}: {said}")


def test_a_wrong_flag_is_called_as_it_was_written(load: Load) -> None:
    assert _complaint(load, port=70000).startswith("--port: gateway.port is 70000: it should be less than")


def test_all_faults_are_told_at_once(load: Load, file: Path) -> None:
    file.write_text("[gateway]\nport = 'x'\n")
    said = _complaint(load, {"SULLA_LIMITS__RUNS": "-1"})
    assert f"{file}:2: gateway.port" in said
    assert "SULLA_LIMITS__RUNS: limits.runs" in said


def test_toml_that_is_none_is_refused_with_the_line(load: Load, file: Path) -> None:
    file.write_text("[gateway]\nport = \n")
    assert _complaint(load).startswith(f"{file}: not valid TOML: Invalid value (at line 2")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"[gateway]\nport = {'[' * 5_000}", "lists or tables within each other, deeper than anybody writes them"),
        (f"[gateway]\nport = {'9' * 5_000}", "Exceeds the limit (4300 digits)"),
    ],
)
def test_toml_that_the_library_cannot_bear_is_refused(load: Load, file: Path, text: str, said: str) -> None:
    file.write_text(text)
    assert _complaint(load).startswith(f"{file}: not valid TOML: {said}")


def test_a_line_is_that_of_the_setting_and_not_of_a_text_that_looks_like_it(load: Load, file: Path) -> None:
    file.write_text('[model]\nname = """\n[gateway]\nport = 3\n"""\n# port = 4\n[ gateway ]\n"port" = "x"\n')
    assert _complaint(load).startswith(f"{file}:8: gateway.port is 'x'")
    file.write_text("gateway.port = 'x'\n")
    assert _complaint(load).startswith(f"{file}:1: gateway.port is 'x'")


def test_bytes_that_are_no_text_are_refused(load: Load, file: Path) -> None:
    file.write_bytes(b"[gateway]\nhost = '\xff'\n")
    assert _complaint(load).startswith(f"{file}: not valid TOML: 'utf-8'")


def test_a_file_that_cannot_be_read_is_refused_not_skipped(load: Load, file: Path) -> None:
    file.mkdir()
    assert _complaint(load) == f"{file}: cannot be read: Is a directory"


# -------------------------------------------------------------------------------------------------------- secrets

SECRET = "hunter2-do-not-show"


def test_a_secret_is_in_no_repr(load: Load) -> None:
    environ = dict.fromkeys(FOREIGN_NAMES, SECRET) | {"SULLA_STORE": f"redis://:{SECRET}@host"}
    settings = load(environ)
    assert settings.model.anthropic_api_key.get_secret_value() == SECRET
    assert SECRET not in repr(settings) + str(settings)


@pytest.mark.parametrize("name", [*FOREIGN_NAMES, "SULLA_STORE"])
def test_a_secret_is_in_no_complaint(load: Load, file: Path, name: str) -> None:
    section, key = FOREIGN_NAMES.get(name, ("store", "url"))
    file.write_text(f"[{section}]\n{key} = ['{SECRET}']\n")
    said = _complaint(load)
    assert said == f"{file}:2: {section}.{key}: it should be a valid string"


# ------------------------------------------------------------------------------------------------------- the page


def test_the_page_about_settings_is_as_the_models_are() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == wanted(page), "write it anew: python -m tests.daemon.settings.page"


def test_every_setting_says_what_it_means() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, kind in sections().items():
        assert f"\n## [{name}]\n" in page
        assert all(f"| `{key}` |" in page for key in kind.model_fields)
