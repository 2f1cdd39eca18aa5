from __future__ import annotations

import os
from pathlib import Path

from sulla.core.jsontypes import JsonObject
from sulla.daemon.doctor.probes import Patient
from sulla.daemon.doctor.shell import judge_shell, shell
from sulla.daemon.settings.config import examine_settings
from sulla.host.home import Home
from sulla.host.system import SystemClock


async def _nobody(method: str) -> JsonObject:
    raise AssertionError(f"no daemon runs, and {method} was asked of it")


def test_a_sandbox_that_works_is_fine() -> None:
    [finding] = judge_shell("", wanted=True)
    assert (finding.result, finding.remedy) == ("ok", "")
    assert "in a sandbox" in finding.found


def test_a_sandbox_that_is_missing_is_worth_a_word_and_says_what_to_do() -> None:
    [finding] = judge_shell("bubblewrap is not installed", wanted=True)
    assert finding.result == "warning"
    assert "asked before each one: bubblewrap is not installed" in finding.found
    assert "install bubblewrap" in finding.remedy


def test_a_sandbox_without_layers_says_what_is_asked_about_then() -> None:
    [finding] = judge_shell("", "no overlays here", wanted=True)
    assert finding.result == "warning"
    assert "holds text from outside, a person is asked before each command: no overlays here" in finding.found
    assert "mount overlays" in finding.remedy


def test_what_is_mounted_within_the_workspace_is_to_be_unmounted() -> None:
    [finding] = judge_shell("", "/w/mnt is mounted within the workspace, so …", wanted=True)
    assert finding.remedy.startswith("unmount what is mounted within the workspace")


def test_a_sandbox_that_nobody_wants_is_only_told() -> None:
    [finding] = judge_shell("the settings say so", wanted=False)
    assert finding.result == "ok"
    assert "the settings say so" in finding.found


async def test_it_says_how_each_bound_of_a_command_is_kept(tmp_path: Path) -> None:
    home = Home(tmp_path)
    environ = {"SULLA_SHELL__MAX_PROCESSES": "123", "SULLA_SHELL__MAX_TMP_MB": "45"}
    patient = Patient(home, examine_settings(environ, {}, tmp_path), SystemClock(), os.geteuid(), None, _nobody)
    [finding] = await shell(patient)
    assert "; one may use at most 123 processes and threads at once (" in finding.found
    assert ("45 MB in /tmp" in finding.found) == ("without a sandbox" not in finding.found)


async def test_what_could_not_be_put_back_into_a_workspace_is_told_with_its_place(tmp_path: Path) -> None:
    found = examine_settings({}, {}, tmp_path)
    patient = Patient(Home(tmp_path), found, SystemClock(), os.geteuid(), None, _nobody)
    places = (tmp_path / "layers/layer-x/landing/rescued", found.settings.workspace / ".sulla/layer-y/rescued")
    for rescued in places:
        rescued.mkdir(parents=True)
    assert len(await shell(patient)) == 1
    for rescued in places:
        (rescued / "a.txt").touch()
    findings = (await shell(patient))[1:]
    assert [str(rescued) in one.found for rescued, one in zip(places, findings, strict=True)] == [True, True]
    assert {(one.result, one.remedy.split(",")[0]) for one in findings} == {
        ("warning", "move what is missed back to where it was")
    }


def test_that_the_daemon_runs_as_root_is_said_with_a_sandbox_and_without() -> None:
    for trouble in ("", "bubblewrap is not installed"):
        [finding] = judge_shell(trouble, wanted=True, root=True)
        assert finding.result == "warning"
        assert "runs as root" in finding.found
        assert ("a user of its own" in finding.remedy) == (not trouble)
