"""Copies all that a home and its store hold, while the daemon works, and puts it back. For backup.sh and restore.sh.

The home comes first and the store last. So whatever follows the conversations, such as the memory and the journal, is
behind them in a copy and catches up; and every message that was acknowledged when the copying began is in it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from sulla.core.errors import SullaError
from sulla.daemon.settings.config import Settings, load_settings
from sulla.daemon.stores import store_place, store_source
from sulla.host.home import Home, find_home
from sulla.host.store_url import POSTGRES, REDIS, named_store, store_file
from sulla.host.store_url import SQLITE as SQLITE_URL
from sulla.memory.adapters import MEMORY_SUFFIX

if TYPE_CHECKING:
    from redis import Redis

OF_A_PROCESS = {"lock", "daemon.json", "stores.json"}
"""Files of the home that say what runs on it, and which store it had: the copy's is another one."""
POSTGRES_SCHEMAS = ("sulla", "sulla_memory")
REDIS_KEYS = ("sulla:*", "stream_buffer:*")
REDIS_INCARNATION = "sulla:incarnation"
NEW_INCARNATION = "UPDATE sulla.meta SET value = gen_random_uuid() WHERE name = 'incarnation'"
HOME, SQLITE, DUMP = "home", "sqlite", "postgres.dump"
SUMS = "sums.json"
"""Says of each file with conversations and memories how many bytes it has, and their SHA-256."""
RDB, RDB_DATABASE = "redis.rdb", "redis.database"
KINDS = {RDB: "Redis", DUMP: "PostgreSQL", SQLITE: "SQLite file"}
"""What the files of a backup were made of, for people."""
ENVIRONMENT = "give this script the daemon's own environment (`set -a; . /etc/sulla/cluster.env; set +a`)"


class Refused(Exception):
    """It cannot be done, and nothing was changed."""


def back_up(settings: Settings, folder: Path) -> None:
    """Copy everything into a new folder, which appears under its name when it is whole.

    Args:
        settings: of the home.
        folder: the backup; it must not be there.

    Raises:
        Refused: it is there, a tool is missing, or the store is not the one that the home's daemon uses.
    """
    if folder.exists():
        raise Refused(f"{folder} is there already: name another folder")
    _check_store(settings)
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.absolute().parent))
    try:
        files = _databases(settings)
        _copy_home(settings.home, draft / HOME, {file.name for file in files})
        (draft / SQLITE).mkdir()
        for file in sorted(files, key=lambda one: one == store_file(settings)):  # what all others follow comes last
            _copy_database(file, draft / SQLITE / file.name)
        named = named_store(settings)
        if named.scheme in REDIS:
            _run("redis-cli", *_redis_words(named.url), "--rdb", str(draft / RDB), more=_redis_password(named.url))
            (draft / RDB_DATABASE).write_text(f"{_redis_database(named.url)}\n")  # the file has those of all
        if named.scheme in POSTGRES:
            schemas = [f"--schema={name}" for name in POSTGRES_SCHEMAS]
            _run("pg_dump", "--format=custom", *schemas, "--file", str(draft / DUMP), more=_postgres(named.url))
        (draft / SUMS).write_text(json.dumps(_sums(draft), indent=1) + "\n")
        draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft)
        raise


def restore(settings: Settings, folder: Path) -> None:
    """Put a backup into a home that is not there yet, and into a store that has nothing of ours.

    Args:
        settings: the backup's, with the place of the new home.
        folder: from `back_up`.

    Raises:
        Refused: the place is taken, a tool is missing, or the backup is damaged, or of another kind of store, or of
            none.
    """
    named = named_store(settings)
    wanted = RDB if named.scheme in REDIS else DUMP if named.scheme in POSTGRES else SQLITE
    _check_backup(settings, folder, wanted)
    _check_whole(folder)
    if settings.home.exists() and any(settings.home.iterdir()):
        raise Refused(f"{settings.home} is not empty: put it aside first")
    if wanted == RDB:
        _fill_redis(named.url, folder / RDB, int((folder / RDB_DATABASE).read_text()))
    if wanted == DUMP:
        _fill_postgres(named.url, folder / DUMP)
    shutil.copytree(folder / HOME, settings.home, symlinks=True, dirs_exist_ok=True)
    store = store_file(settings)
    for file in sorted((folder / SQLITE).iterdir()):
        place = (store.parent if store is not None else settings.home) / file.name
        if place.exists():
            raise Refused(f"{place} is there: put it aside first")
        shutil.copy2(file, place)
        if said := _damage(place):
            raise Refused(f"{place} was copied, and is damaged there ({said}): look at that disk, and begin anew")


def _check_store(settings: Settings) -> None:
    """See that the store which the settings name is the home's: a daemon may have been told of it by a file for its
    service alone, and then a copy of any other store has no conversation in it.
    """
    named, place, last = named_store(settings), store_place(settings), Home(settings.home).last_store()
    file = store_file(settings)
    if last not in ("", place) and not _has_moved(last, file):
        raise Refused(
            f"{named.source} names {place}, and the daemon of {settings.home} kept everything in {last}: {ENVIRONMENT}"
        )
    if file is not None and not file.is_file():
        raise Refused(
            f"{named.source} names {place}, and there is no such file, so nothing was ever said here: {ENVIRONMENT}, "
            "if it was said elsewhere"
        )


def _has_moved(last: str, file: Path | None) -> bool:
    """Whether the home's own file lies elsewhere now, with the home."""
    return file is not None and file.is_file() and last.startswith(SQLITE_URL) and not _file_of(last).exists()


def _file_of(place: str) -> Path:
    return Path(place.removeprefix(SQLITE_URL))


def _check_backup(settings: Settings, folder: Path, wanted: str) -> None:
    """See that it is a backup, with conversations, of the kind of store that the settings name."""
    if not (folder / HOME).is_dir():
        raise Refused(f"{folder} is no backup: a folder that backup.sh has made has a folder {HOME!r} in it")
    made = [name for name in (RDB, DUMP) if (folder / name).is_file()]
    if not made and any((folder / SQLITE).glob("*")):
        made = [SQLITE]
    if not made:
        raise Refused(f"{folder} has no conversations in it: it was made without the store that they were in")
    if made != [wanted]:
        raise Refused(
            f"{folder} was made of {KINDS[made[0]]}, and {named_store(settings).source} names {store_place(settings)}: "
            f"name an empty {KINDS[made[0]]} by SULLA_STORE, or {ENVIRONMENT}"
        )


def _sums(folder: Path) -> dict[str, dict[str, int | str]]:
    """What a backup's files are, by their places in it."""
    files = [*sorted((folder / SQLITE).iterdir()), *(folder / name for name in (RDB, DUMP))]
    return {str(file.relative_to(folder)): _sum(file) for file in files if file.is_file()}


def _sum(file: Path) -> dict[str, int | str]:
    with file.open("rb") as content:
        return {"bytes": file.stat().st_size, "sha256": hashlib.file_digest(content, "sha256").hexdigest()}


def _check_whole(folder: Path) -> None:
    """See that the files are as they were written. A backup of before there were sums is looked at all the same."""
    remedy = "copy the backup once more from where it was made, or take another one"
    sums = folder / SUMS
    try:
        wanted = json.loads(sums.read_text()) if sums.is_file() else {}
        damaged = [
            name for name, kept in wanted.items() if not (folder / name).is_file() or _sum(folder / name) != kept
        ]
    except (ValueError, AttributeError):
        raise Refused(f"{sums} is damaged: {remedy}") from None
    for name in damaged:
        size = (folder / name).stat().st_size if (folder / name).is_file() else 0
        raise Refused(
            f"{folder / name} is not as it was when the backup was made: it has {size:,} bytes, of "
            f"{wanted[name]['bytes']:,} that were written, or others: {remedy}"
        )
    for file in sorted((folder / SQLITE).iterdir()):
        if said := _damage(file):
            raise Refused(f"{file} is damaged ({said}): {remedy}")


def _damage(file: Path) -> str:
    """What is wrong with a file of SQLite that nobody writes to; empty if nothing is."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as kept:
            (said,) = kept.execute("PRAGMA integrity_check").fetchone()
    except sqlite3.Error as error:
        return str(error)
    return "" if said == "ok" else str(said)


def _databases(settings: Settings) -> list[Path]:
    """The files of SQLite: conversations, and what agents remember."""
    store = store_file(settings)
    files = [store, store.with_suffix(MEMORY_SUFFIX)] if store is not None else []
    return [file for file in files if file.is_file()]


def _copy_home(home: Path, to: Path, databases: set[str]) -> None:
    left_out = OF_A_PROCESS | {name + ending for name in databases for ending in ("", "-wal", "-shm", "-journal")}

    def passed_over(folder: str, names: list[str]) -> set[str]:
        special = {name for name in names if not _is_kept(Path(folder, name))}
        return special | (left_out & set(names) if Path(folder) == home else set())

    def copy(source: str, target: str) -> str:
        try:
            return shutil.copy2(source, target, follow_symlinks=False)
        except FileNotFoundError:
            return target  # it was removed meanwhile, so it is no part of what is kept

    shutil.copytree(home, to, symlinks=True, ignore=passed_over, copy_function=copy)


def _is_kept(path: Path) -> bool:
    """Whether it can be copied: sockets and pipes are of processes."""
    return path.is_symlink() or path.is_file() or path.is_dir()


def _copy_database(source: Path, target: Path) -> None:
    """One moment of a database; writers go on meanwhile."""
    address = f"{source.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)
    if said := _damage(target):
        raise Refused(f"{source} is damaged: {said}")
    target.chmod(0o600)


def _redis_words(url: str) -> list[str]:
    from redis.asyncio.connection import parse_url

    given = parse_url(url)
    place = (
        ["-s", given["path"]]
        if "path" in given
        else ["-h", given.get("host", "localhost"), "-p", str(given.get("port", 6379))]
    )
    user = ["--user", given["username"]] if given.get("username") else []
    return [*place, *user, *(["--tls"] if url.startswith("rediss:") else [])]


def _redis_database(url: str) -> int:
    from redis.asyncio.connection import parse_url

    return int(parse_url(url).get("db", 0))


def _redis_password(url: str) -> dict[str, str]:
    """By a variable: others on the machine can see a command's words."""
    from redis.asyncio.connection import parse_url

    password = parse_url(url).get("password")
    return {"REDISCLI_AUTH": password} if password else {}


def _postgres(url: str) -> dict[str, str]:
    """A URL as the variables that PostgreSQL's programs read, for the same reason."""
    from psycopg.pq import Conninfo

    options = Conninfo.parse(url.encode())
    return {one.envvar.decode(): one.val.decode() for one in options if one.val is not None and one.envvar is not None}


def _fill_postgres(url: str, dump: Path) -> None:
    variables = _postgres(url)
    found = _run(
        "psql", "--no-psqlrc", "-At", "-c", "SELECT count(*) FROM pg_namespace WHERE nspname = 'sulla'", more=variables
    )
    if found.strip() != "0":
        raise Refused("the database has a schema `sulla` already: name an empty one, or drop that schema")
    name = variables.get("PGDATABASE") or variables.get("PGUSER", "")
    words = ("--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges")
    _run("pg_restore", *words, f"--dbname={name}", str(dump), more=variables)
    _run("psql", "--no-psqlrc", "-v", "ON_ERROR_STOP=1", "-c", NEW_INCARNATION, more=variables)


def _fill_redis(url: str, rdb: Path, database: int) -> None:
    """Have a server of our own read the file and hand over what is Sulla's: the other need not be stopped."""
    from redis import Redis

    with closing(Redis.from_url(url)) as target, tempfile.TemporaryDirectory(prefix="sulla-") as name:
        if any(next(target.scan_iter(match=keys, count=1000), None) for keys in REDIS_KEYS):
            raise Refused("that Redis has keys of a Sulla already: name an empty database, or remove them")
        shutil.copy2(rdb, Path(name, "dump.rdb"))
        door = Path(name, "door")
        # More databases than any server has that is not set up for tests: the file may have something in each.
        words = [
            "--port",
            "0",
            "--databases",
            "4096",
            "--unixsocket",
            str(door),
            "--dir",
            name,
            "--save",
            "",
            "--appendonly",
            "no",
        ]
        with subprocess.Popen([_program("redis-server"), *words], stdout=subprocess.PIPE, text=True) as server:
            try:
                said = server.stdout or ()
                if not any("ready to accept connections" in line.lower() for line in said):
                    raise Refused(
                        f"redis-server cannot read {rdb}: it is older than what wrote it, or the file is damaged"
                    )
                with closing(Redis(unix_socket_path=str(door), db=database)) as source:
                    _hand_over(source, target)
            finally:
                server.terminate()


def _hand_over(source: Redis, target: Redis) -> None:
    for pattern in REDIS_KEYS:
        for key in source.scan_iter(match=pattern, count=1000):
            value, left_ms = source.dump(key), source.pttl(key)
            if value is not None and left_ms != 0:  # else its time ran out just now
                target.restore(key, max(left_ms, 0), value)
    target.set(REDIS_INCARNATION, f"store_{uuid.uuid4().hex[:24]}")


def _run(name: str, *words: str, more: Mapping[str, str]) -> str:
    """Run a program to its end; what it printed."""
    run = subprocess.run([_program(name), *words], env=os.environ | more, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise Refused(f"{name} failed: {(run.stderr or run.stdout).strip()}")
    return run.stdout


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise Refused(f"there is no {name} on the PATH: install the client programs of that store")
    return found


def main() -> int:
    """Read the command line, and do it."""
    parser = argparse.ArgumentParser(prog="kept.py")
    parser.add_argument("what", choices=("backup", "restore"), help=argparse.SUPPRESS)
    parser.add_argument("--home", type=Path, metavar="DIR", help="the home (default SULLA_HOME, or ~/.sulla)")
    parser.add_argument("folder", type=Path, help="the backup: a folder")
    given = parser.parse_args()
    os.umask(0o077)  # keys and tokens are in it
    try:
        home = find_home(os.environ, given.home)
        if given.what == "backup":
            settings = load_settings(os.environ, {}, home)
            back_up(settings, given.folder)
        else:
            if not given.folder.is_dir():
                raise Refused(f"there is no folder {given.folder}")
            settings = load_settings(os.environ, {}, given.folder / HOME).model_copy(update={"home": home})
            restore(settings, given.folder)
    except (Refused, SullaError, OSError, sqlite3.Error) as error:
        print(f"{given.what}.sh: {error}", file=sys.stderr)
        return 1
    print(f"{given.folder}: all of {settings.home}, and of the store {store_source(settings)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
