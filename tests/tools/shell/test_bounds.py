from __future__ import annotations

import pytest

from sulla.host.sections import ShellSettings
from sulla.tools.shell.bounds import NO_SETTINGS, CommandBounds

SMALL = CommandBounds(101, 102, 103, 104, 105, 106)


@pytest.mark.parametrize(
    ("report", "status", "said"),
    [
        ("processes", 137, "101 processes and threads at once; shell.max_processes"),
        ("memory", 137, "more than 102 MB of memory; shell.max_memory_mb"),
        ("shared", 137, "more than 102 MB and twice 105 MB; shell.max_memory_mb and shell.max_tmp_mb"),
        ("disk", 137, "over 104 MB; shell.max_disk_mb"),
        ("", 153, "beyond 103 MB; shell.max_file_mb"),
        ("scarce", 137, "free memory fell to a tenth"),
        ("full", 137, "nine tenths of the free space"),
    ],
)
def test_what_ended_a_command_is_named_with_the_bound_and_its_setting(report: str, status: int, said: str) -> None:
    assert said in SMALL.exceeded(report, status)


@pytest.mark.parametrize("status", [0, 1, 137])
def test_a_command_that_ended_by_itself_reached_none(status: int) -> None:
    assert SMALL.exceeded("", status) == ""


@pytest.mark.parametrize(
    ("printed", "setting"),
    [
        ("tar: write error: No space left on device", "shell.max_tmp_mb"),
        ("OSError: [Errno 24] Too many open files", "shell.max_open_files"),
        ("OSError: [Errno 27] File too large", "shell.max_file_mb"),
        ("sh: line 1: 12 File size limit exceeded", "shell.max_file_mb"),
        ("fork: Cannot allocate memory", "shell.max_memory_mb"),
        ("sh: fork: Resource temporarily unavailable", "shell.max_processes"),
    ],
)
def test_a_failure_that_a_bound_may_be_the_cause_of_has_a_hint(printed: str, setting: str) -> None:
    assert setting in SMALL.hint(printed)
    assert SMALL.hint("No such file or directory") == ""


def test_what_keeps_each_bound_is_told() -> None:
    assert "101 processes and threads at once (kept by the kernel)" in SMALL.told(counted=True)
    assert "at once (watched)" in SMALL.told(counted=False)
    assert all(f"{number} " in SMALL.told(counted=True) for number in (101, 102, 103, 104, 106))


def test_the_settings_have_each_bound() -> None:
    assert ShellSettings().bounds == NO_SETTINGS
    names = "max_processes", "max_memory_mb", "max_file_mb", "max_disk_mb", "max_tmp_mb", "max_open_files"
    given = {name: number for number, name in enumerate(names, 101)}
    assert ShellSettings.model_validate(given).bounds == SMALL
