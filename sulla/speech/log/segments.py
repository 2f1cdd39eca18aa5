"""The logs that speech is kept in: made, carried on, and taken over from a daemon that is gone (decision 030).

A segment that says that it goes on in another one counts until that one has begun, and not a moment longer. So whoever
holds its lease finishes what was begun, and nobody's words are read twice. Every function that waits raises
`StoreUnavailable` when the store does not answer; then nobody knows what came of it, and it is tried again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord, StaleLease
from sulla.core.ids import ThreadId
from sulla.speech.late_detector import LateDetector
from sulla.speech.limits import LOGS
from sulla.speech.log.records import SPEECH, SpeechEntry, entries_of, pack, to_draft
from sulla.speech.log.thread_speech import ThreadSpeech, replayed
from sulla.speech.turn_taking.profile import ADAPTIVE, CLASSIC, Profile
from sulla.store.base import Store
from sulla.store.sealing import seal, unseal
from sulla.store.values import Draft, Head, Lease, LogInfo, Record

HEAD: Final = Head(LOGS)
"""Never due and never open: nobody looks for work in it."""
LEASE_S: Final = 30.0
"""After so long without a sign of its daemon anybody may take a log over."""
BEGUN: Final = "SPEECH_BEGUN"
ROLLED: Final = "SPEECH_ROLLED"
_PAGE: Final = 512
_DRAFT_BYTES: Final = 512 * 1024
_PROFILES: Final = {"classic": CLASSIC, "adaptive": ADAPTIVE}


@dataclass(frozen=True, slots=True)
class Segment:
    """One log, under our lease."""

    key: str
    lease: Lease
    profile: Profile
    """With which its turns end; a setting that was changed holds for the next one."""
    follows: str = ""
    """The one before it."""
    began: bool = False
    """Whether it holds anything."""
    writes: int = 0
    """Under this lease."""


@dataclass(frozen=True, slots=True)
class TakenOver:
    """A log that was taken over, and what it came to."""

    segment: Segment
    by_thread: dict[ThreadId, ThreadSpeech]


def key_of(owner: str, number: int) -> str:
    """The key of a daemon's log. No thread can be called so: a client's ids have no colon.

    Args:
        owner: ``<home id>:<boot nonce>``.
        number: counted from 1 within the boot.
    """
    return f"{LOGS}:{owner}:{number}"


def origin_of(key: str) -> str:
    """Who began a log, and the ones that it went on in."""
    return key.removeprefix(f"{LOGS}:").rpartition(":")[0]


def home_of(owner: str) -> str:
    """The home of a daemon, whichever boot of it."""
    return owner.rpartition(":")[0]


def next_key(key: str, attempt: int = 1) -> str:
    """Where a log goes on.

    Args:
        key: the log.
        attempt: counted from 1.
    """
    first, _, part = key.partition(".")
    return f"{first}.{int(part or 0) + attempt}"


def to_drafts(packed: Iterable[bytes]) -> list[Draft]:
    """As few records as hold them.

    Args:
        packed: entries, each as `pack` makes it.
    """
    drafts, some, size = list[Draft](), list[bytes](), 0
    for one in packed:
        some.append(one)
        size += len(one)
        if size >= _DRAFT_BYTES:
            drafts.append(to_draft(some))
            some, size = [], 0
    return [*drafts, to_draft(some)] if some else drafts


def all_of(by_thread: Iterable[ThreadSpeech]) -> list[bytes]:
    """All that is known of some threads, packed."""
    return [pack(speech.all_of_it()) for speech in by_thread]


def rolled(next_key: str) -> Draft:
    """It goes on there, once that has begun. Of several the last one counts."""
    return Draft(ROLLED, seal(ROLLED, orjson.dumps(next_key)))


async def open_segment(store: Store, owner: str, key: str, profile: Profile, follows: str = "") -> Segment | None:
    """Make a log if there is none, and take its lease.

    Returns:
        The log; None if somebody else has it.

    Raises:
        StoreUnavailable: nobody knows what came of it; take another key.
    """
    said = seal(BEGUN, orjson.dumps({"profile": profile.name, "follows": follows}))
    await store.offer(key, "begun", Draft(BEGUN, said), digest=b"begun", create=HEAD, wakes=False)
    grant = await store.acquire(key, owner, LEASE_S)
    if grant is None:
        return None
    return Segment(key, grant.lease, profile, follows, grant.last_seq > 1)


async def logs_of(store: Store) -> list[LogInfo]:
    """Every log of speech that there is."""
    found: list[LogInfo] = []
    while page := await store.find(kind=LOGS, after_key=found[-1].key if found else "", limit=_PAGE):
        found += page
        if len(page) < _PAGE:
            break
    return found


async def take(store: Store, owner: str, key: str, detector: LateDetector) -> TakenOver | None:
    """Take a log over from a daemon that is gone.

    Args:
        store: where it is.
        owner: who takes it.
        key: the log.
        detector: reads again what was said.

    Returns:
        What it came to; None if there is nothing in it (then it is removed), or somebody else has it or the one that
        it goes on in.

    Raises:
        CorruptRecord: it cannot be read; it is left as it is.
    """
    grant = await store.acquire(key, owner, LEASE_S)
    if grant is None:
        return None
    try:
        return await _taken(store, owner, key, grant.lease, detector)
    except StaleLease:  # it took so long that somebody else has it now
        return None
    except CorruptRecord:
        await store.release(grant.lease)
        raise


async def _taken(store: Store, owner: str, key: str, lease: Lease, detector: LateDetector) -> TakenOver | None:
    segment, following_key, by_thread = await _read(store, key, lease, detector)
    while following_key:
        following = await open_segment(store, owner, following_key, segment.profile, segment.key)
        if following is None:
            await store.release(segment.lease)
            return None
        if not following.began:
            drafts = to_drafts(all_of(by_thread.values()))
            if drafts:
                await store.append(following.lease, 1, drafts, HEAD, 0)
            following = replace(following, writes=int(bool(drafts)), began=bool(drafts))
        await store.delete(segment.lease)
        writes = following.writes
        segment, following_key, by_thread = await _read(store, following_key, following.lease, detector)
        segment = replace(segment, writes=writes)
    if not segment.began:
        await store.delete(segment.lease)
        return None
    if segment.follows and not await is_gone(store, owner, segment.follows):
        await store.release(segment.lease)
        return None
    return TakenOver(segment, by_thread)


async def is_gone(store: Store, owner: str, key: str) -> bool:
    """See to it that a segment is gone that is followed by one that has begun."""
    if await store.head(key) is None:
        return True
    grant = await store.acquire(key, owner, LEASE_S)
    return grant is not None and await store.delete(grant.lease)


async def _all_records(store: Store, key: str) -> list[Record]:
    records: list[Record] = []
    while page := await store.read(key, after=records[-1].seq if records else 0, limit=_PAGE):
        records += page
    return records


async def _read(
    store: Store, key: str, lease: Lease, detector: LateDetector
) -> tuple[Segment, str, dict[ThreadId, ThreadSpeech]]:
    """The segment, where it goes on, and what it came to."""
    records = await _all_records(store, key)
    profile, follows = _begun(key, records)
    if profile.name == "adaptive":
        await detector.load()
    following_key = ""
    for record in records[1:]:
        if record.kind == ROLLED:
            following_key = str(orjson.loads(unseal(ROLLED, record.body, f"{key} record {record.seq}")))
    segment = Segment(key, lease, profile, follows, len(records) > 1)
    return segment, following_key, _replayed(key, records, profile, detector)


def _replayed(
    key: str, records: Sequence[Record], profile: Profile, detector: LateDetector
) -> dict[ThreadId, ThreadSpeech]:
    try:
        return replayed(_entries(key, records), profile, detector)
    except CorruptRecord:
        raise
    except Exception as error:  # it would end every daemon that starts
        raise CorruptRecord(f"{key}: it cannot be done again as it is written down ({error!r})") from error


def _begun(key: str, records: Sequence[Record]) -> tuple[Profile, str]:
    if not records or records[0].kind != BEGUN:
        raise CorruptRecord(f"{key}: a log of speech begins with {BEGUN}")
    match orjson.loads(unseal(BEGUN, records[0].body, f"{key} record 1")):
        case {"profile": str(name), "follows": str(follows)} if name in _PROFILES:
            return _PROFILES[name], follows
    raise CorruptRecord(f"{key}: its beginning is not as this version writes it")


def _entries(key: str, records: Iterable[Record]) -> Iterator[SpeechEntry]:
    for record in records:
        if record.kind == SPEECH:
            yield from entries_of(record, key)
