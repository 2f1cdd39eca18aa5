"""The system calls that a command in the sandbox is refused: a filter for the kernel (seccomp), written out as the
classic BPF program that bubblewrap hands over.

Most of what is refused would fail anyway, for want of a privilege. It is refused before the kernel looks at it, because
most ways out of a sandbox that were ever found led through a fault in these calls. Some would not fail: a setuid file
can be made by whoever owns it, and a machine's ``AF_VSOCK`` is no part of any network namespace. Pure.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable
from typing import Final, Literal

from sulla.core.dataclass import dataclass

ALLOW: Final = 0x7FFF_0000
"""The kernel's word for "go on" (``SECCOMP_RET_ALLOW``)."""
_ERROR: Final = 0x0005_0000
"""Its word for "fail with this error"; the error's number is added."""
_LOAD, _EQUAL, _ANY_OF, _AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
"""Instructions of BPF: load a word of the call, compare it with a number (three ways), end with a verdict."""
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
"""Where the kernel puts the number of a call, its architecture and its arguments, 8 bytes each."""
_X32: Final = 0x4000_0000
"""From here on x86_64 has the calls of another architecture, which would pass by every rule."""

ARCHITECTURES: Final = {"x86_64": (0, 0xC000_003E), "aarch64": (1, 0xC000_00B7)}
"""What the filter is written for: which number of a rule is meant, and the kernel's name of it."""

_SETID: Final = 0o6000
_CREATES: Final = 0o100 | 0o20_000_000
"""``O_CREAT``, and what is ``O_TMPFILE`` alone: the flags with which opening a file may set its mode."""
_NAMESPACES: Final = 0x7E02_0000
"""The flags of clone(2) that make a namespace."""

Test = tuple[int, Literal["is", "any"], int]
"""Which argument, whether it has to equal the number or to share a bit with it, and the number."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What becomes of one system call; the first rule that fits counts, and what none fits is allowed."""

    call: str
    numbers: tuple[int | None, int | None]
    """With x86_64 and with aarch64; None where there is no such call."""
    tests: tuple[Test, ...] = ()
    """All have to hold."""
    verdict: int = _ERROR | errno.EPERM


def _missing(call: str, number: int) -> Rule:
    """For a call whose arguments cannot be looked at: programs know how to do without it."""
    return Rule(call, (number, number), verdict=_ERROR | errno.ENOSYS)


def _beside(call: str, numbers: tuple[int, int]) -> Rule:
    return Rule(call, numbers, verdict=_ERROR | errno.EOPNOTSUPP)


def _setid(call: str, numbers: tuple[int | None, int | None], mode: int, *tests: Test) -> Rule:
    return Rule(call, numbers, (*tests, (mode, "any", _SETID)))


def _socket(*tests: Test, verdict: int = ALLOW) -> Rule:
    return Rule("socket", (41, 198), tests, verdict)


RULES: Final = (
    # Looking into other processes, and at what the kernel does.
    *(Rule("ptrace", (101, 117)), Rule("process_vm_readv", (310, 270)), Rule("process_vm_writev", (311, 271))),
    *(Rule("pidfd_getfd", (438, 438)), Rule("kcmp", (312, 272)), Rule("perf_event_open", (298, 241))),
    *(Rule("bpf", (321, 280)), Rule("userfaultfd", (323, 282)), Rule("syslog", (103, 116))),
    *(Rule("acct", (163, 89)), Rule("fanotify_init", (300, 262)), Rule("lookup_dcookie", (212, 18))),
    # Keys of the kernel belong to users, not to namespaces.
    *(Rule("add_key", (248, 217)), Rule("request_key", (249, 218)), Rule("keyctl", (250, 219))),
    # What is called through a ring passes by every filter.
    *(Rule("io_uring_setup", (425, 425)), Rule("io_uring_enter", (426, 426)), Rule("io_uring_register", (427, 427))),
    # Other file systems and namespaces.
    *(Rule("mount", (165, 40)), Rule("umount2", (166, 39)), Rule("pivot_root", (155, 41)), Rule("chroot", (161, 51))),
    *(Rule("open_tree", (428, 428)), Rule("move_mount", (429, 429)), Rule("fsopen", (430, 430))),
    *(Rule("fsconfig", (431, 431)), Rule("fsmount", (432, 432)), Rule("fspick", (433, 433))),
    *(Rule("mount_setattr", (442, 442)), Rule("open_tree_attr", (467, 467)), Rule("unshare", (272, 97))),
    *(Rule("setns", (308, 268)), Rule("clone", (56, 220), ((0, "any", _NAMESPACES),)), _missing("clone3", 435)),
    Rule("open_by_handle_at", (304, 265)),
    # The machine itself.
    *(Rule("kexec_load", (246, 104)), Rule("kexec_file_load", (320, 294)), Rule("init_module", (175, 105))),
    *(Rule("finit_module", (313, 273)), Rule("delete_module", (176, 106)), Rule("reboot", (169, 142))),
    *(Rule("swapon", (167, 224)), Rule("swapoff", (168, 225)), Rule("quotactl", (179, 60))),
    *(Rule("quotactl_fd", (443, 443)), Rule("settimeofday", (164, 170)), Rule("clock_settime", (227, 112))),
    *(Rule("iopl", (172, None)), Rule("ioperm", (173, None)), Rule("vhangup", (153, 58))),
    # A setuid or setgid file stays on the disk, and outside the sandbox whoever runs it has the daemon's rights.
    *(_setid("chmod", (90, None), 1), _setid("fchmod", (91, 52), 1), _setid("fchmodat", (268, 53), 2)),
    *(_setid("fchmodat2", (452, 452), 2), _setid("creat", (85, None), 1), _setid("mknod", (133, None), 1)),
    *(_setid("mknodat", (259, 33), 2), _setid("open", (2, None), 2, (1, "any", _CREATES))),
    *(_setid("openat", (257, 56), 3, (2, "any", _CREATES)), _missing("openat2", 437)),
    # What a disk keeps beside a file's content would bring words to where nobody looks for them: no mark of an
    # untrusted file covers it. Programs know disks that keep none.
    *(_beside("setxattr", (188, 5)), _beside("lsetxattr", (189, 6)), _beside("fsetxattr", (190, 7))),
    _beside("setxattrat", (463, 463)),
    # Sockets of Unix and of the Internet, and the one that lists network interfaces; nothing else has a use there, and
    # with some a virtual machine talks to its host.
    *(_socket((0, "is", 1)), _socket((0, "is", 2)), _socket((0, "is", 10)), _socket((0, "is", 16), (2, "is", 0))),
    _socket(verdict=_ERROR | errno.EAFNOSUPPORT),
)
"""What is refused, by idea. ``tests/tools/shell/test_syscalls.py`` makes each of these calls."""


_NO: Final = _ERROR | errno.EACCES
NO_UNIX: Final = (_socket((0, "is", 1), verdict=_NO), Rule("socketpair", (53, 199), ((1, "any", 2),), _NO))
"""Behind a socket file in the workspace a program outside may listen: who has read what nobody trusts gets none, but
for pairs within a program; of these no datagrams (2), which can be sent to any address."""


def syscall_filter(machine: str = "", *, unix: bool = True) -> bytes:
    """The filter as ``bwrap --seccomp`` reads it; empty where none is written for this kind of machine.

    Args:
        machine: its architecture, as ``uname -m`` has it; empty for this one.
        unix: whether there are sockets of Unix.
    """
    if (found := ARCHITECTURES.get(machine or platform.machine())) is None:
        return b""
    column, architecture = found
    refused = _ERROR | errno.ENOSYS
    program = [(_LOAD, 0, 0, _ARCHITECTURE_AT), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, refused)]
    program += [(_LOAD, 0, 0, _NUMBER_AT), (_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, refused)]
    for rule in RULES if unix else (*NO_UNIX, *RULES):
        if (number := rule.numbers[column]) is not None:
            program += _compiled(number, rule.tests, rule.verdict)
    return b"".join(struct.pack("<HBBI", *each) for each in (*program, (_RETURN, 0, 0, ALLOW)))


def _compiled(number: int, tests: Iterable[Test], verdict: int) -> list[tuple[int, int, int, int]]:
    """The instructions of one rule. Each comparison that fails jumps behind the last of them."""
    looks = [(_NUMBER_AT, _EQUAL, number)]
    looks += [(_ARGUMENTS_AT + 8 * at, _EQUAL if how == "is" else _ANY_OF, value) for at, how, value in tests]
    made: list[tuple[int, int, int, int]] = []
    for left, (at, how, value) in zip(range(len(looks), 0, -1), looks, strict=True):
        made += [(_LOAD, 0, 0, at), (how, 0, 2 * left - 1, value)]
    return [*made, (_RETURN, 0, 0, verdict)]
