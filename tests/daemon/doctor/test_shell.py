from __future__ import annotations

from sulla.daemon.doctor.shell import judge_shell


def test_a_sandbox_that_works_is_fine() -> None:
    [finding] = judge_shell("", wanted=True)
    assert (finding.result, finding.remedy) == ("ok", "")
    assert "in a sandbox" in finding.found


def test_a_sandbox_that_is_missing_is_worth_a_word_and_says_what_to_do() -> None:
    [finding] = judge_shell("bubblewrap is not installed", wanted=True)
    assert finding.result == "warning"
    assert "asked before each one: bubblewrap is not installed" in finding.found
    assert "install bubblewrap" in finding.remedy


def test_a_sandbox_that_nobody_wants_is_only_told() -> None:
    [finding] = judge_shell("the settings say so", wanted=False)
    assert finding.result == "ok"
    assert "the settings say so" in finding.found


def test_that_the_daemon_runs_as_root_is_said_with_a_sandbox_and_without() -> None:
    for trouble in ("", "bubblewrap is not installed"):
        [finding] = judge_shell(trouble, wanted=True, root=True)
        assert finding.result == "warning"
        assert "runs as root" in finding.found
        assert ("a user of its own" in finding.remedy) == (not trouble)
