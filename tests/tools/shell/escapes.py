"""Ways out of a sandbox that are known, one to a row: what is run inside, and what may be seen of it outside.

A row prints ``ESCAPED`` if it sees for itself that it got out. What it did to the outside is looked at there: files,
listeners, processes (`test_escapes.World`). Words in braces are put in: `{out}` a folder beside the workspace, `{ws}`
the workspace, `{name}` a name that nothing else has, `{pid}` a process outside, `{port}`, `{socket}` and `{abstract}`
what is listened on outside.
"""

# ruff: noqa: E501 - a row is a line, however long

from __future__ import annotations

from dataclasses import dataclass

_C = """
import ctypes, errno, fcntl, os, resource, signal, socket, struct, subprocess, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
def got(call, *words):
    if libc.syscall(ctypes.c_long(call), *[ctypes.c_long(w) if isinstance(w, int) else w for w in words]) >= 0:
        print("ESCAPED", call, words)
def tried(what, *words):
    try:
        found = what(*words)
    except OSError:
        return
    print("ESCAPED", what, words, found)
"""


@dataclass(frozen=True)
class Escape:
    """One way that is tried."""

    name: str
    code: str
    """For a shell, or for Python with the functions above."""
    python: bool = False
    ended: str = ""
    """Which of the bounds has to end it, by a word of what is said then; else it ends by itself."""


def sh(name: str, code: str, ended: str = "") -> Escape:
    return Escape(name, code, ended=ended)


def py(name: str, code: str, ended: str = "") -> Escape:
    return Escape(name, _C + code, python=True, ended=ended)


FILES = (
    py(
        "a file in every folder there is",
        """
for folder, below, _ in os.walk("/"):
    below[:] = [each for each in below if not os.path.islink(os.path.join(folder, each))]
    if folder.startswith(("{ws}", "/tmp", "/dev/shm")) or folder.count("/") > 9:
        continue
    tried(lambda: open(os.path.join(folder, "{name}"), "w").name)
""",
    ),
    sh("a file beside the workspace", "echo x > {out}/{name}; echo x > {ws}/../{name}"),
    sh("what is beside the workspace, read", "cat {out}/secret {ws}/../secret ../outside/secret; ls -R {out}"),
    sh("through a link in the workspace", "ln -s {out} way; echo x > way/{name}; cat way/secret"),
    sh(
        "a hard link to what is outside",
        "ln {out}/secret mine; cat mine; ln /etc/passwd p && echo x >> p && echo ESCAPED",
    ),
    sh(
        "a link that changes all the time",
        "for i in $(seq 300); do ln -sfn {out} x; echo p > x/{name}; rm x; mkdir x; rmdir x; done",
    ),
    sh("the workspace, moved away", "mv {ws} {ws}-{name} && echo ESCAPED; rmdir {ws} && echo ESCAPED"),
    sh("the machine's accounts", "echo x >> /etc/passwd && echo ESCAPED; cat /etc/shadow && echo ESCAPED"),
    sh(
        "homes",
        "ls -A /roo[t]/* /home/* ~/../.ssh 2>/dev/null | grep . && echo ESCAPED; touch /roo[t]/{name} /home/{name}",
    ),
    sh(
        "the roots of other processes",
        "for p in /proc/[0-9]*; do cat $p/root{out}/secret; echo x > $p/root{out}/{name}; done",
    ),
    sh("the folders of other processes", "for p in /proc/[0-9]*; do cat $p/cwd/../outside/secret; done"),
    py(
        "files that were left open",
        """
for each in os.listdir("/proc/self/fd"):
    if int(each) > 2 and os.path.exists("/proc/self/fd/" + each):
        print("ESCAPED", each, os.readlink("/proc/self/fd/" + each))
""",
    ),
    py("a file by its handle", "got(304, -100, ctypes.create_string_buffer(128), 0)"),
    py("another root", "tried(os.chroot, '.'); os.mkdir('r'); tried(os.chroot, 'r')"),
)

MOUNTS = (
    sh(
        "what is shown, mounted again to write",
        "mount -o remount,rw,bind /usr && echo ESCAPED; mount -o remount,rw / && echo ESCAPED",
    ),
    sh(
        "what hides things, unmounted",
        "for m in /usr /tmp /proc /dev /dev/shm /etc/passwd; do umount -l $m && echo ESCAPED; done",
    ),
    py(
        "file systems by the calls of old and of new",
        """
got(165, b"none", b"/tmp", b"tmpfs", 0, 0); got(165, b"/", b"/tmp", 0, 4096, 0)
got(430, b"tmpfs", 0); got(428, -100, b"/", 1); got(433, -100, b"/", 0); got(155, b".", b".")
""",
    ),
    sh(
        "the control groups",
        "mkdir -p cg; mount -t cgroup2 none cg && echo ESCAPED; mount -t cgroup -o pids none cg && echo ESCAPED",
    ),
    sh("a file system of one's own program", "exec 3<>/dev/fuse && echo ESCAPED; fusermount -u /tmp && echo ESCAPED"),
)

KERNEL = (
    sh("the program for crashes", "echo '|{ws}/{name}' > /proc/sys/kernel/core_pattern && echo ESCAPED"),
    py(
        "all settings of the kernel",
        """
for folder, _, files in os.walk("/proc/sys"):
    for each in files:
        tried(os.open, os.path.join(folder, each), os.O_WRONLY)
""",
    ),
    py(
        "all files of the kernel",
        """
for root in ("/sys", "/proc"):
    for folder, below, files in os.walk(root):
        below[:] = [each for each in below if not each.isdigit() and each not in ("self", "thread-self")]
        for each in files:
            tried(os.open, os.path.join(folder, each), os.O_WRONLY)
""",
    ),
    sh("keys of the kernel's emergencies", "echo h > /proc/sysrq-trigger && echo ESCAPED"),
    sh(
        "a rank with those who need memory",
        "echo -1000 > /proc/self/oom_score_adj && echo ESCAPED; nice -n -5 true 2>&1 | grep -q . || echo ESCAPED",
    ),
    sh("programs for other forms", "echo ':x:M::xx::{ws}/{name}:' > /proc/sys/fs/binfmt_misc/register && echo ESCAPED"),
    py(
        "its memory and its messages",
        "[tried(open, p, 'rb') for p in ('/proc/kcore', '/proc/kmsg', '/dev/mem', '/dev/kmsg', '/dev/port')]; got(103, 3, ctypes.create_string_buffer(99), 99)",
    ),
    py(
        "keys",
        "got(250, 0, -4, 1); got(250, 1, 0); got(248, b'user', b'{name}', b'x', 1, -4); got(249, b'user', b'{name}', 0, -4)",
    ),
    py(
        "programs in the kernel",
        "got(321, 0, ctypes.create_string_buffer(128), 128); got(321, 5, ctypes.create_string_buffer(128), 128)",
    ),
    py("what it counts", "a = ctypes.create_string_buffer(128); a[4] = 128; got(298, a, 0, -1, -1, 0); got(323, 1)"),
    py("a ring of calls", "got(425, 8, ctypes.create_string_buffer(256)); got(427, -1, 0, 0, 0)"),
    py(
        "modules, other kernels, an end",
        "got(175, b'', 0, b''); got(313, 0, b'', 0); got(246, 0, 0, 0, 0); got(169, 0xFEE1DEAD, 672274793, 0, 0)",
    ),
    py("the time", "got(227, 0, (ctypes.c_long * 2)(1, 1)); got(164, (ctypes.c_long * 2)(1, 1), 0)"),
    py("calls of another architecture", "got(0x40000000 + 39); got(0x40000000 + 101, 0, 0, 0, 0)"),
)

DEVICES = (
    sh("a disk of one's own", "mknod disk b 8 0 && echo ESCAPED; mknod memory c 1 1 && echo ESCAPED"),
    py(
        "all devices that are there",
        """
known = "null zero full random urandom tty ptmx console stdin stdout stderr fd shm pts core".split()
for folder, _, files in os.walk("/dev"):
    for each in files:
        if each not in known:
            tried(os.open, os.path.join(folder, each), os.O_RDONLY)
[tried(os.open, "/dev/" + each, os.O_RDWR) for each in ("sda", "vda", "nvme0n1", "kvm", "loop-control", "uinput", "net/tun")]
""",
    ),
    py(
        "keys into a terminal",
        "[tried(fcntl.ioctl, fd, 0x5412, b'x') for fd in (0, 1, 2)]; tried(os.open, '/dev/tty', os.O_RDWR)",
    ),
    sh("a file in the memory that others share", "echo x > /dev/shm/{name}; echo x > /dev/{name} && echo ESCAPED"),
)

SOCKETS = (
    py(
        "what listens on this machine",
        "[tried(socket.create_connection, (host, {port}), 2) for host in ('127.0.0.1', '127.0.0.2', '0.0.0.0')]",
    ),
    py("the same with the newer Internet", "tried(socket.create_connection, ('::1', {port}), 2)"),
    py(
        "a packet without a connection",
        "tried(socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto, b'x', ('203.0.113.1', 53))",
    ),
    py("a socket without a file", "tried(socket.socket(socket.AF_UNIX).connect, chr(0) + '{abstract}')"),
    py(
        "sockets of the system's services",
        """
for path in ("{socket}", "/run/docker.sock", "/var/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock",
             "/run/dbus/system_bus_socket", "/var/run/dbus/system_bus_socket", "/run/systemd/private", "/run/systemd/notify",
             "/run/snapd.socket", "/tmp/.X11-unix/X0", "/dev/log", "/run/user/%d/bus" % os.getuid(), "/run/user/0/bus"):
    tried(socket.socket(socket.AF_UNIX).connect, path)
""",
    ),
    py("the host of a virtual machine", "tried(lambda: socket.socket(40, socket.SOCK_STREAM))"),
    py(
        "packets as they are",
        "tried(lambda: socket.socket(17, 3)); tried(lambda: socket.socket(2, 3, 1)); tried(lambda: socket.socket(2, 3, 255))",
    ),
    py(
        "the kernel by its own sockets",
        "[tried(lambda n=n: socket.socket(16, 3, n)) for n in range(1, 24)]; tried(lambda: socket.socket(38, 5))",
    ),
)

PROCESSES = (
    sh("a signal to a process outside", "kill -9 {pid} && echo ESCAPED; kill -0 {pid} && echo ESCAPED"),
    sh("a signal to all", "trap '' TERM; kill -TERM -1; kill -STOP 1; kill -9 1; true"),
    sh("a signal to whoever has started it", "kill -STOP $PPID; kill -9 $PPID; kill -9 0"),
    py(
        "another process, held by the hand",
        "got(101, 16, {pid}, 0, 0); got(101, 0x4206, {pid}, 0, 0); got(101, 0, 0, 0, 0)",
    ),
    py(
        "another's memory",
        "b = ctypes.create_string_buffer(64); v = (ctypes.c_long * 2)(ctypes.addressof(b), 64)\n"
        "[got(call, pid, v, 1, v, 1, 0) for call in (310, 311) for pid in ({pid}, 1)]; tried(open, '/proc/{pid}/mem', 'rb')",
    ),
    py("another's files", "fd = libc.syscall(434, 1, 0); got(438, fd, 1, 0); got(434, {pid}, 0)"),
    sh(
        "what another was told",
        "cat /proc/{pid}/environ /proc/{pid}/cmdline && echo ESCAPED; cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep SENTINEL",
    ),
    py("another's rank", "tried(os.setpriority, os.PRIO_PROCESS, {pid}, 19); tried(os.sched_setaffinity, {pid}, [0])"),
    sh(
        "one that stays behind",
        "setsid -f sleep 300; (setsid sh -c 'sleep 300 & sleep 300' &) ; nohup sleep 300 >/dev/null 2>&1 &",
    ),
    py(
        "one that stays behind and hears nothing",
        """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        [signal.signal(n, signal.SIG_IGN) for n in range(1, 32) if n not in (9, 19)]
        time.sleep(300)
    os._exit(0)
""",
    ),
    py("dead ones that nobody asks", "[os._exit(0) for _ in range(50) if os.fork() == 0]"),
)

NAMESPACES = (
    sh("a user's own", "unshare --user --map-root-user true && echo ESCAPED; unshare -U -m -p -f true && echo ESCAPED"),
    py(
        "by each call that makes one",
        "[got(272, flag) for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x4000000)]; got(56, 0x10000000 | 17, 0, 0, 0, 0)",
    ),
    py("by the newest call", "a = (ctypes.c_ulonglong * 11)(0x10000000, 0, 0, 0, 17); got(435, a, 88)"),
    py(
        "those of others",
        """
for pid in ("1", "self", "{pid}"):
    for kind in ("user", "mnt", "net", "pid", "ipc", "uts", "cgroup"):
        try:
            got(308, os.open("/proc/%s/ns/%s" % (pid, kind), os.O_RDONLY), 0)
        except OSError:
            pass
""",
    ),
    sh("the first process's", "nsenter -t 1 -a true && echo ESCAPED; nsenter -t {pid} -m true && echo ESCAPED"),
    sh(
        "the name of the machine",
        "hostname {name} && echo ESCAPED; echo {name} > /proc/sys/kernel/hostname && echo ESCAPED",
    ),
)

RIGHTS = (
    sh(
        "a file with another's rights",
        "cp /bin/sh s; chmod u+s s; chmod 6755 s; chmod g+s s; install -m 4755 /bin/sh t; cp -p /usr/bin/su u",
    ),
    py(
        "the same by every call",
        """
open("a", "w").close()
got(90, b"a", 0o4755); got(268, -100, b"a", 0o6755); got(452, -100, b"a", 0o4755, 0); got(85, b"b", 0o4755)
got(2, b"c", 0o101, 0o4755); got(257, -100, b"d", 0o101, 0o4755); got(133, b"e", 0o104755, 0); got(259, -100, b"f", 0o102755, 0)
got(91, os.open("a", os.O_RDWR), 0o4755); got(437, -100, b"g", (ctypes.c_ulonglong * 3)(0o101, 0o4755, 0), 24)
""",
    ),
    sh(
        "the same out of an archive",
        "cp /bin/sh s; tar --mode=4755 -cf a.tar s; rm s; tar -xpf a.tar; ls -l s | grep -q rws && echo ESCAPED",
    ),
    sh(
        "capabilities of a file",
        "cp /bin/sh s; setcap cap_setuid+ep s && echo ESCAPED; setfattr -n security.capability -v 0x s && echo ESCAPED",
    ),
    py(
        "the same by its call",
        "open('s', 'w').close(); v = struct.pack('<IIIII', 0x02000001, 0xFFFFFFFF, 0, 0xFFFFFFFF, 0)\n"
        "tried(os.setxattr, 's', 'security.capability', v); tried(os.setxattr, 's', 'trusted.x', v)",
    ),
    py(
        "another user",
        "[tried(what, 0) for what in (os.setuid, os.setgid, os.seteuid)]; tried(os.setgroups, [0]); tried(os.setresuid, 1, 1, 1)\n"
        "os.getuid() or print('ESCAPED'); tried(os.chown, '.', 1, 1)",
    ),
    py(
        "programs that have another's rights",
        """
if libc.prctl(39, 0, 0, 0, 0) != 1:
    print("ESCAPED no_new_privs")
lines = dict(line.split(":", 1) for line in open("/proc/self/status") if line.startswith("Cap"))
[print("ESCAPED", name, held) for name, held in lines.items() if int(held, 16)]
""",
    ),
)

# Each has an end of its own, well beyond the bounds: a bound that does not hold must not cost the machine.
BOMBS = (
    sh(
        "processes without end",
        "bomb() { [ $1 = 0 ] || { bomb $(($1 - 1)) | bomb $(($1 - 1)) & }; sleep 20; }; bomb 9",
        "processes and threads",
    ),
    py(
        "processes that hold on",
        "for _ in range(11):\n    try:\n        os.fork()\n    except OSError:\n        pass\nuntil = time.monotonic() + 20\n"
        "while time.monotonic() < until:\n    pass",
        "processes and threads",
    ),
    py(
        "threads without end",
        "threading.stack_size(65536)\nfor _ in range(2000):\n    try:\n        threading.Thread(target=time.sleep, args=(60,)).start()\n"
        "    except RuntimeError:\n        time.sleep(0.1)",
        "processes and threads",
    ),
    py(
        "memory without end",
        "held = []\nfor _ in range(2000):\n    held.append(bytearray(b'x') * (1 << 20))\ntime.sleep(20)",
        "memory",
    ),
    py(
        "memory of many processes",
        "[os.fork() for _ in range(4)]\nheld = []\nfor _ in range(100):\n    held.append(bytearray(b'x') * (1 << 20))\n    time.sleep(0.01)",
        "memory",
    ),
    py(
        "memory that several share",
        "import mmap\nheld = []\nfor _ in range(2000):\n    held.append(mmap.mmap(-1, 1 << 20)); held[-1].write(b'x' * (1 << 20))",
        "memory",
    ),
    py(
        "memory that nobody has in sight",
        "held = []\nwhile len(held) < 200:\n    held.append(os.memfd_create('m')); os.write(held[-1], b'x' * (4 << 20))\ntime.sleep(30)",
        "shared memory",
    ),
    sh(
        "the disks in memory",
        "cd /tmp; head -c 1G /dev/zero > a; cd /dev/shm; head -c 1G /dev/zero > a; df -m /tmp | awk 'NR==2 && $3 > 64 {print \"ESCAPED\"}'",
    ),
    sh("the disk", "for i in $(seq 200); do head -c 8M /dev/zero > file-$i || exit; done; sleep 20", "disk"),
    sh("one large file", "exec head -c 1G /dev/zero > large", "a file grew"),
    py(
        "open files",
        "held = []\ntry:\n    while True:\n        held.append(os.open('/dev/null', 0))\nexcept OSError:\n"
        "    len(held) > 300 and print('ESCAPED', len(held))",
    ),
    sh("words without end", "timeout 2 yes; true"),
)

ESCAPES = FILES + MOUNTS + KERNEL + DEVICES + SOCKETS + PROCESSES + NAMESPACES + RIGHTS + BOMBS
"""All of them. The numbers of system calls are those of x86_64."""
