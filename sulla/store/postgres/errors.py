"""What a PostgreSQL says when it cannot, put into words: where, why, and what to do."""

from __future__ import annotations

import psycopg

from sulla.core.errors import StoreUnavailable

_RETRY_S = 1.0

_BY_STATE = {
    "53100": "the server's disk is full: free some space; nothing that was acknowledged is lost",
    "53200": "the server is out of memory: see its log",
    "53300": "the server has no connection left: raise its max_connections, or run fewer daemons",
    "25006": "it takes no writes: name the primary in the URL, or end its read-only mode",
    "42501": "this user may not do that: make it the owner of the database, or of the schema",
    "57014": "the server took too long and was told to stop: see what keeps it busy",
    "57P01": "the server is shutting down: start it again",
    "57P02": "the server has crashed and is starting again",
    "57P03": "the server is starting up or shutting down: wait a moment",
}
"""Remedies by SQLSTATE."""

_TAKES_NOTHING = ("53100", "25006")
"""SQLSTATEs of a server that answers who reads, and lets nothing be written."""

_GONE = ("3F000", "42P01", "42883")
"""No such schema, table or function."""

_BY_WORDS = {
    "too many": _BY_STATE["53300"],
    "remaining connection slots": _BY_STATE["53300"],
    "starting up": _BY_STATE["57P03"],
    "shutting down": _BY_STATE["57P03"],
    "read-only": _BY_STATE["25006"],
    "recovery": _BY_STATE["25006"],
    "password": "check the user and the password in the URL",
    "pg_hba.conf": "the server's pg_hba.conf lets nobody in from here as this user: add a line there",
    "fatal: role": "make the user on the server, or name another one in the URL",
    "fatal: database": "make the database on the server (CREATE DATABASE), or name another one in the URL",
    "refused": "start the server, or check the host and the port in the URL",
    "no such file": "start the server, or check the socket's folder in the URL",
    "resolve": "check the host in the URL",
    "translate": "check the host in the URL",
    "timeout": "check that the server runs, and the host and the port in the URL",
}
"""Remedies by what a refused connection says: libpq gives no SQLSTATE then. The first that fits is taken."""

_ELSE = "check that the server runs and the URL is right"


def is_failure(error: BaseException) -> bool:
    """Whether this is the server's failure; else it is a mistake of ours."""
    if isinstance(error, OSError | psycopg.OperationalError | psycopg.InternalError | psycopg.InterfaceError):
        return True
    return isinstance(error, psycopg.Error) and error.sqlstate in (*_BY_STATE, *_GONE)


def remedy_of(error: BaseException) -> str:
    """What to do about a PostgreSQL's failure, and what it said."""
    reason = " ".join(str(error).split()) or type(error).__name__
    return f"{_remedy(error, reason.lower())} ({reason})"


def explained(shown: str, error: BaseException) -> StoreUnavailable:
    """What went wrong with the server at `shown`, and what to do about it."""
    refused = isinstance(error, psycopg.Error) and error.sqlstate in _TAKES_NOTHING
    return StoreUnavailable(f"the store {shown}: {remedy_of(error)}", retry_after_s=_RETRY_S, refused=refused)


def is_wrong_place(error: psycopg.Error) -> bool:
    """Whether another connection may do better: this one leads to a server that takes no writes."""
    return error.sqlstate == "25006"


def _remedy(error: BaseException, reason: str) -> str:
    state = error.sqlstate if isinstance(error, psycopg.Error) else None
    if state in _BY_STATE:
        return _BY_STATE[state]
    if state in _GONE:
        return "its tables are gone: restore a backup, or restart to begin anew"
    if state is not None:
        return "see the server's log"
    return next((remedy for words, remedy in _BY_WORDS.items() if words in reason), _ELSE)
