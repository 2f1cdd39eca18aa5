"""What the facts about a home's files mean."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sulla.daemon.doctor.checks import (
    LOW_BYTES,
    NO_BYTES,
    Entry,
    Workspace,
    judge_home,
    judge_settings,
    judge_shared_marks,
    judge_token,
    judge_workspace,
)
from sulla.host.findings import Finding

HOME = Path("/srv/sulla")
FOLDER = Entry(HOME, is_folder=True, owner=7, mode=0o700, free_bytes=LOW_BYTES)
FILE = Entry(HOME / "x", is_folder=False, owner=7, mode=0o600, free_bytes=LOW_BYTES)


def _shown(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(finding.result, finding.found) for finding in findings]


def test_a_home_in_order_says_what_it_is() -> None:
    assert _shown(judge_home(HOME, FOLDER, 7)) == [("ok", "/srv/sulla, mode 0700, 1.0 GiB free")]


@pytest.mark.parametrize(
    ("entry", "result", "found", "remedy"),
    [
        (None, "warning", "does not exist yet", "`sulla init` makes it"),
        (replace(FOLDER, is_folder=False), "fault", "is not a folder", "--home DIR"),
        (replace(FOLDER, owner=8), "fault", "belongs to user 8, and this is user 7", "run this as the user"),
        (replace(FOLDER, mode=0o755), "warning", "others may look into /srv/sulla (mode 0755)", "chmod 700"),
        (replace(FOLDER, mode=0o710), "warning", "others may look into", "chmod 700 '/srv/sulla'"),
        (replace(FOLDER, mode=0o770), "fault", "others may write in /srv/sulla (mode 0770)", "chmod 700"),
        (replace(FOLDER, mode=0o702), "fault", "others may write", "chmod 700"),
        (replace(FOLDER, mode=0o500), "fault", "its owner may not do everything", "chmod 700"),
        (replace(FOLDER, free_bytes=LOW_BYTES - 1), "warning", "are free on the disk", "free some space"),
        (replace(FOLDER, free_bytes=NO_BYTES - 1), "fault", "64.0 MiB are free", "nothing is accepted"),
    ],
)
def test_a_home_out_of_order_is_named_with_a_remedy(entry: Entry | None, result: str, found: str, remedy: str) -> None:
    (finding,) = judge_home(HOME, entry, 7)
    assert finding.result == result
    assert found in finding.found
    assert remedy in finding.remedy


def test_everything_that_is_wrong_with_a_home_is_said_at_once() -> None:
    found = judge_home(HOME, replace(FOLDER, owner=8, mode=0o777, free_bytes=0), 7)
    assert [finding.result for finding in found] == ["fault", "fault", "fault"]


def test_each_fault_of_the_settings_is_a_finding_of_its_own() -> None:
    found = judge_settings(HOME / "sulla.toml", FILE, ("a is wrong", "b is wrong"), {}, [])
    assert _shown(found) == [("fault", "a is wrong"), ("fault", "b is wrong")]


def test_settings_in_order_are_counted_by_where_they_stand() -> None:
    file = HOME / "sulla.toml"
    sources = {("gateway", "port"): str(file), ("model", "name"): "SULLA_MODEL", ("store", "url"): "SULLA_STORE"}
    (finding,) = judge_settings(file, FILE, (), sources, [])
    assert (finding.result, finding.found.split(";")[0]) == ("ok", f"1 in {file}, 2 in the environment")
    (finding,) = judge_settings(file, None, (), {}, [])
    assert finding.found.startswith(f"no {file}, 0 in the environment")


def test_a_key_that_others_may_read_is_a_fault_and_other_settings_are_not() -> None:
    file, open_entry = HOME / "sulla.toml", replace(FILE, mode=0o644)
    (finding,) = judge_settings(file, open_entry, (), {}, ["model.anthropic_api_key"])
    assert finding.result == "fault"
    assert "others may read /srv/sulla/sulla.toml (mode 0644), which holds model.anthropic_api_key" in finding.found
    assert judge_settings(file, open_entry, (), {}, [])[0].result == "ok"
    assert judge_settings(file, FILE, (), {}, ["model.anthropic_api_key"])[0].result == "ok"


def test_the_keys_that_are_in_their_own_file_are_named_and_not_counted_elsewhere() -> None:
    file, keys = HOME / "sulla.toml", replace(FILE, path=HOME / "keys.toml")
    sources = {("model", "name"): "SULLA_MODEL", ("model", "anthropic_api_key"): str(keys.path)}
    (finding,) = judge_settings(file, None, (), sources, [], keys)
    assert f"model.anthropic_api_key in {keys.path}, 1 in the environment" in finding.found


@pytest.mark.parametrize(
    ("entry", "text", "result", "found"),
    [
        (FILE, "secret\n", "ok", "mode 0600"),
        (None, None, "ok", "does not exist yet"),
        (replace(FILE, mode=0o640), "secret\n", "fault", "others may read"),
        (replace(FILE, mode=0o601), "secret\n", "fault", "others may read"),
        (FILE, None, "fault", "cannot be read"),
        (FILE, " \n", "warning", "is empty"),
    ],
)
def test_a_token_is_whole_and_its_owners_alone(entry: Entry | None, text: str | None, result: str, found: str) -> None:
    (finding,) = judge_token(HOME / "token", entry, text)
    assert finding.result == result
    assert found in finding.found
    assert "secret" not in finding.found + finding.remedy


WORKSPACE = Workspace(HOME / "workspace", exists=True, is_folder=True, writable=True)


@pytest.mark.parametrize(
    ("work", "result", "found"),
    [
        (WORKSPACE, "ok", "the workspace /srv/sulla/workspace, inside the home, can be written to"),
        (replace(WORKSPACE, path=Path("/srv/notes")), "ok", "outside the home /srv/sulla, can be written to"),
        (replace(WORKSPACE, exists=False), "ok", "is made at the first start"),
        (replace(WORKSPACE, path=HOME), "fault", "holds the home /srv/sulla"),
        (replace(WORKSPACE, path=Path("/srv")), "fault", "the agent's file tools reach the token and the store"),
        (replace(WORKSPACE, path=Path("/")), "fault", "holds the home"),
        (replace(WORKSPACE, path=Path("/srv/sul")), "ok", "outside the home"),
        (replace(WORKSPACE, is_folder=False, writable=False), "fault", "is not a folder"),
        (replace(WORKSPACE, writable=False), "fault", "cannot be written to"),
        (replace(WORKSPACE, exists=False, writable=False), "fault", "does not exist and cannot be made"),
    ],
)
def test_a_workspace_can_be_written_to_and_keeps_the_home_out_of_reach(
    work: Workspace, result: str, found: str
) -> None:
    (finding,) = judge_workspace(work, HOME)
    assert finding.result == result
    assert found in finding.found
    assert bool(finding.remedy) == (result != "ok")


def test_that_other_homes_are_not_told_of_files_from_outside_is_worth_a_word() -> None:
    assert judge_shared_marks("") == []
    (finding,) = judge_shared_marks("this user may not write in /srv")
    assert (finding.result, finding.found.endswith("may not write in /srv")) == ("warning", True)
