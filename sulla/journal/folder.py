"""The journal's folder: both logs, and how far each thread is written.

The files themselves say how far: what the current file holds, over a table of what the older ones held, made when it
was begun. So a line and the knowledge of it are one write, and a crash cannot part them.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from sulla.core.errors import CorruptRecord
from sulla.core.ids import ThreadId
from sulla.host.compaction import sync_folder
from sulla.journal import positions
from sulla.journal.lines import START, JournalLine, JournalPosition, read_example, read_line
from sulla.journal.rotating import RotatingFile, Write

CONVERSATIONS = "conversations.jsonl"
TRAINING = "training.jsonl"
POSITIONS = "positions"


class JournalFolder:
    """The journal's files on the disk, and how far each thread is written. Blocks; for one thread at a time.

    After an error: `close`, then `open` looks at the disk again.

    Args:
        folder: made when it is first opened.
        file_bytes: the most bytes of one file.
        keep_files: how many older files of each log are kept.
        training: whether there is a training log.
        write: writes to an open file.
    """

    def __init__(
        self, folder: Path, file_bytes: int, keep_files: int, *, training: bool = False, write: Write = os.write
    ) -> None:
        self.folder = folder
        self._conversations = RotatingFile(folder / CONVERSATIONS, file_bytes, keep_files, write)
        self._training = RotatingFile(folder / TRAINING, file_bytes, keep_files, write) if training else None
        self._table: positions.PositionTable = b""
        self._newer: dict[ThreadId, JournalPosition] = {}
        """What the current file holds; its size bounds this."""
        self._gone: set[ThreadId] = set()
        self._examples: set[tuple[ThreadId, JournalPosition]] = set()
        """The ends of runs whose example was written just before a crash, and the end itself was not."""
        self._open = False

    def open(self) -> None:
        """Find out how far everything is written, and mend what a crash left; does nothing if it is open.

        Raises:
            OSError: the folder cannot be used.
            CorruptRecord: the table is damaged.
        """
        if self._open:
            if self._conversations.is_there and (self._training is None or self._training.is_there):
                return
            self.close()  # somebody moved a file away: what it held counts no more
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._newer, self._examples = {}, set()
        self._load_table()
        self._conversations.open(self._take)
        if self._training is not None:
            self._training.open(self._take_example)
        self._open = True

    def close(self) -> None:
        """Let go of the files."""
        self._open = False
        self._conversations.close()
        if self._training is not None:
            self._training.close()

    def settle(self) -> None:
        """Have the disk keep what is written, then let go of the files."""
        if self._open:
            self._conversations.sync()
        self.close()

    def mark(self, thread_id: ThreadId) -> JournalPosition:
        """How far a thread is written."""
        known = self._newer.get(thread_id)
        return known or positions.look_up(self._table, thread_id) or START

    def compare(
        self, threads: Sequence[ThreadId], after: str, *, last: bool
    ) -> tuple[list[JournalPosition], list[ThreadId]]:
        """Hold a page of all threads against what is written.

        Args:
            threads: the page, in order.
            after: the last thread of the page before.
            last: whether no page follows.

        Returns:
            How far each of them is written, and which threads of the table are not there any more.
        """
        kept = dict(positions.rows_behind(self._table, after, None if last else threads[-1]))
        marks = [self._newer.get(thread_id) or kept.get(thread_id, START) for thread_id in threads]
        return marks, sorted(kept.keys() - set(threads))

    def forget(self, gone: Iterable[ThreadId]) -> None:
        """These threads were deleted: the next table does without them."""
        self._gone.update(gone)

    def has_example(self, thread_id: ThreadId, end: JournalPosition) -> bool:
        """Whether the run that ended with this event has its example already."""
        return (thread_id, end) in self._examples

    def append(self, lines: Sequence[JournalLine], examples: Sequence[bytes] = ()) -> None:
        """Write events, and the examples of the runs that end among them.

        Raises:
            OSError: part of it may have been written.
        """
        self._append_examples(examples)
        batch: list[JournalLine] = []
        size = 0
        for line in lines:
            if self._conversations.is_full_for(len(line.body), size):
                self._append(batch)
                batch, size = [], 0
                self._rotate()
            batch.append(line)
            size += len(line.body)
        self._append(batch)

    def _append_examples(self, examples: Sequence[bytes]) -> None:
        """Before the events: their lines say that the example is there. So the disk has to have it by then."""
        if self._training is None or not examples:
            return
        for example in examples:
            if self._training.is_full_for(len(example)):
                self._conversations.sync()  # an example in an older file is not looked for after a crash
                self._training.rotate()
            self._training.append(example)
        self._training.sync()

    def _append(self, lines: Sequence[JournalLine]) -> None:
        if lines:
            self._conversations.append(b"".join(line.body for line in lines))
        for line in lines:
            self._newer[line.thread_id] = line.mark
            self._gone.discard(line.thread_id)

    def _rotate(self) -> None:
        """Keep how far everything is written, then begin another file.

        Killed in between, the table and the file say the same twice.
        """
        self._conversations.sync()
        draft = self.folder / f".{POSITIONS}.new"
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
            file.writelines(map(positions.encode, positions.merged(self._table, self._newer, self._gone)))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.folder / POSITIONS)
        sync_folder(self.folder)
        self._load_table()
        self._newer.clear()
        self._gone.clear()
        self._conversations.rotate()

    def _load_table(self) -> None:
        self._table = b""
        try:
            with (self.folder / POSITIONS).open("rb") as file:
                if os.fstat(file.fileno()).st_size:
                    self._table = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except FileNotFoundError:
            pass  # no file was ever full
        if self._table[max(0, len(self._table) - 1) :] not in (b"", b"\n"):
            raise CorruptRecord("its last row is cut")

    def _take(self, raw: bytes) -> bool:
        if (read := read_line(raw)) is not None:
            self._newer[read[0]] = read[1]
        return read is not None

    def _take_example(self, raw: bytes) -> bool:
        read = read_example(raw)
        if read is not None and read[1].seq > self.mark(read[0]).seq:
            self._examples.add(read)
        return read is not None
