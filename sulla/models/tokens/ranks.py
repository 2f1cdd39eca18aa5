"""Exact counts with a real tokenizer: the ranks of cl100k_base, which are part of this package.

Loading takes a fifth of a second and some 50 MiB, so nothing loads them before an estimate comes near a ceiling. The
tokenizer's own loader is not used: it downloads, without a time limit and under a lock.
"""

from __future__ import annotations

import gzip
import zlib
from binascii import a2b_base64
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import tiktoken

from sulla.core.errors import RanksUnusable
from sulla.core.message import Message
from sulla.models.tokens.estimate import count_message

BUNDLED = Path(__file__).with_name("data") / "cl100k_base.tiktoken.gz"

SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
"""Of the unpacked file, as the encoding's authors publish it."""

PIECE_CHARS = 8192
"""Longer texts are counted in pieces, so that no single call takes more than a few milliseconds."""

_LIMIT_BYTES = 4_000_000
"""The most that is unpacked; the real file has 1,681,126 bytes."""

_LINES_AT_ONCE = 4096
_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
"""How the encoding cuts a text before it looks for ranks: a part of its definition."""


class Ranks:
    """A tokenizer that only counts. It may be used by several threads at once.

    Args:
        encoding: any of tiktoken's.
    """

    __slots__ = ("_encoding",)

    def __init__(self, encoding: tiktoken.Encoding) -> None:
        self._encoding = encoding

    def count_text(self, text: str) -> int:
        """Tokens of a text. Names of special tokens in it are text like any other."""
        encode = self._encoding.encode_ordinary
        if len(text) <= PIECE_CHARS:
            return len(encode(text))
        return sum(len(encode(piece)) for piece in pieces(text))

    def count_tokens(self, message: Message) -> int:
        """Tokens of a whole message, its borders included."""
        return count_message(message, self.count_text)


def load_ranks(path: Path = BUNDLED) -> Ranks:
    """Read the ranks and build the tokenizer.

    It blocks for some 0.2 s: call it in a thread (``asyncio.to_thread``), once, when it is needed. It never reaches for
    the network.

    Args:
        path: the packed file; tests give another.

    Raises:
        RanksUnusable: the file is missing, damaged or not the one that was shipped. Whoever asked goes on with the
            estimate and a margin, and warns once.
    """
    lines = _unpack(path).splitlines()
    ranks: dict[bytes, int] = {}
    for start in range(0, len(lines), _LINES_AT_ONCE):
        # In steps, so that other threads get their turn in between.
        some = lines[start : start + _LINES_AT_ONCE]
        ranks.update((a2b_base64(line.partition(b" ")[0]), rank) for rank, line in enumerate(some, start))
    return Ranks(tiktoken.Encoding("cl100k_base", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={}))


def pieces(text: str, limit_chars: int = PIECE_CHARS) -> Iterator[str]:
    """Cut a text before single blanks, where the counts of the pieces add up to that of the whole.

    Text without such blanks is cut anywhere; each of these cuts may add a token or take one away.

    Args:
        text: any.
        limit_chars: the most that one piece may have.
    """
    start = 0
    while len(text) - start > limit_chars:
        end = start + limit_chars
        cut = _cut(text, end - limit_chars // 4, end)
        yield text[start:cut]
        start = cut
    yield text[start:]


def _cut(text: str, low: int, high: int) -> int:
    """The last single blank from `low` to `high`, or `high`. The pattern always begins anew at such a blank."""
    place = text.rfind(" ", low, high)
    while place > low:
        if not (text[place - 1].isspace() or text[place + 1].isspace()):
            return place
        place = text.rfind(" ", low, place)
    return high


def _unpack(path: Path) -> bytes:
    remedy = "counts stay estimates; install Sulla again to get the file back"
    try:
        with gzip.open(path) as packed:
            data = packed.read(_LIMIT_BYTES)
    except (OSError, EOFError, zlib.error) as error:
        raise RanksUnusable(f"the token ranks at {str(path)!r} cannot be read ({error}): {remedy}") from error
    found = sha256(data).hexdigest()
    if found != SHA256:
        raise RanksUnusable(
            f"the token ranks at {str(path)!r} are not those that were shipped: "
            f"sha256 {found}, expected {SHA256}; {remedy}"
        )
    return data
