"""The PostgreSQL and the Redis of a cluster on this machine: found, made, and how they are started."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from deploy.local_parts import Account, Failed

HOST = "127.0.0.1"
OWNER = "sulla"
"""The user in PostgreSQL."""


def server_account() -> Account | None:
    """Who runs PostgreSQL, which refuses to run as root: None for whoever runs this.

    Raises:
        Failed: this is root, and there is nobody else.
    """
    if os.geteuid() != 0:
        return None
    try:
        found = pwd.getpwnam("nobody")
    except KeyError:
        raise Failed("PostgreSQL does not run as root, and there is no user `nobody`: start this as a user") from None
    return Account(found.pw_uid, found.pw_gid)


def postgres_binary(name: str) -> str:
    """One of PostgreSQL's programs: on PATH, or where Debian puts them.

    Raises:
        Failed: there is none.
    """
    for folder in _folders():
        if all(os.access(folder / one, os.X_OK) for one in ("postgres", "initdb")):
            return str(folder / name)
    raise Failed("there is no PostgreSQL here: install it (on Debian: apt-get install postgresql), or put it on PATH")


def _folders() -> Iterator[Path]:
    if (found := shutil.which("postgres")) is not None:
        yield Path(found).resolve().parent
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: path.parent.name.zfill(3))[::-1]


def make_postgres(folder: Path, password: str) -> None:
    """Make a server's data.

    Args:
        folder: where; it is made.
        password: of `OWNER`, who owns everything.

    Raises:
        Failed: it cannot be made.
    """
    account, secret = server_account(), folder / "password"
    folder.mkdir(mode=0o700)
    secret.touch(mode=0o600)
    secret.write_text(password, encoding="ascii")
    if account:
        for path in (folder, secret):
            os.chown(path, account.uid, account.gid)
    words = [
        postgres_binary("initdb"), "-D", str(folder / "data"), "-U", OWNER, "-E", "UTF8", "--locale=C", "--no-sync",
        "--auth=scram-sha-256", f"--pwfile={secret}",
    ]  # fmt: skip
    made = subprocess.run(
        words, capture_output=True, text=True, check=False, cwd="/", env={"PATH": os.defpath},
        user=account.uid if account else None, group=account.gid if account else None,
        extra_groups=() if account else None,
    )  # fmt: skip
    secret.unlink()
    if made.returncode != 0:
        why = f"; user {account.uid} has to get through to {folder}: name another --folder" if account else ""
        raise Failed(f"initdb failed: {made.stderr.strip()}{why}")


def postgres_words(folder: Path, port: int) -> list[str]:
    """The command line of the server whose data is in a folder."""
    settings = {
        "listen_addresses": HOST,
        "unix_socket_directories": "",
        "max_connections": "300",
        "shared_buffers": "64MB",
        "log_min_messages": "warning",
    }
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    return [postgres_binary("postgres"), "-D", str(folder / "data"), "-p", str(port), *options]


def redis_words(folder: Path, port: int, password: str) -> list[str]:
    """The command line of the server whose data is in a folder, which is made; it has no secret in it.

    Raises:
        Failed: there is no Redis here.
    """
    binary = shutil.which("redis-server")
    if binary is None:
        raise Failed("there is no redis-server on the PATH: install it (on Debian: apt-get install redis-server)")
    folder.mkdir(mode=0o700, exist_ok=True)
    file = folder / "redis.conf"
    file.touch(mode=0o600)
    lines = (
        f"bind {HOST}", f"port {port}", f"dir {folder}", f"requirepass {password}", "daemonize no", "save \"\"",
        "appendonly yes", "appendfsync everysec", "maxmemory-policy noeviction",
    )  # fmt: skip
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [binary, str(file)]
