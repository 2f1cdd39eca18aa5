"""What was said, as clients tell it who keep the conversation themselves, and what of it is passed on. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b

from sulla.core.cut import cut
from sulla.core.dataclass import dataclass
from sulla.core.errors import TooLarge
from sulla.gateway.commands import Event
from sulla.gateway.dialects.insertions import PassedOn, said_in
from sulla.gateway.problems import Malformed
from sulla.rpc.limits import TEXT_CHARS

TITLE_CHARS = 60
_NUMBER = re.compile(r"\d+")
_LEFT_OUT = "(What came before is left out.)"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of the conversation as the client has it."""

    role: str
    """``system``, ``user``, ``assistant`` or ``tool``."""
    text: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request's messages, taken apart."""

    system: str
    """What the client's application says."""
    before: tuple[ChatMessage, ...]
    """What was said up to the last answer."""
    fresh: tuple[ChatMessage, ...]
    """What is new; the last one is the user's."""
    context: str = ""
    """What the application shows the user, e.g. a page, or says in the middle of the conversation: nobody here said
    it."""

    @property
    def text(self) -> str:
        """What is new, in one piece."""
        return "\n\n".join(message.text for message in self.fresh)

    @property
    def application(self) -> str:
        """A fingerprint of all that the application says and shows; numbers do not count: many tell the time."""
        return digest(_NUMBER.sub("0", self._application))

    def is_news(self, noted: str) -> bool:
        """Whether the application says or shows something else than when a fingerprint was noted."""
        return noted not in (self.application, digest(self._application))

    @property
    def _application(self) -> str:
        return "\n\n".join(part for part in (self.system, self.context) if part)

    @property
    def title(self) -> str:
        """The newest message in a line."""
        newest = self.fresh[-1].text if self.fresh else ""
        line = " ".join("".join(c if c.isprintable() else " " for c in newest[: 8 * TITLE_CHARS]).split())
        return cut(line, TITLE_CHARS)


_SYSTEM = ("system", "developer")


def application_words(messages: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """What the application says: before anybody else does, and in the middle of the conversation.

    The first is taken for the person's own set-up; the other may stand for what anybody told the application.

    Args:
        messages: the role and the words of each, in order.
    """
    begins = next((at for at, (role, _) in enumerate(messages) if role not in _SYSTEM), len(messages))
    first, later = (
        [text for role, text in part if role in _SYSTEM and text.strip()]
        for part in (messages[:begins], messages[begins:])
    )
    return first, later


def moved_on(events: Sequence[Event], but: str = "") -> bool:
    """Whether somebody has said something else since.

    Args:
        events: what the thread's log has behind a position.
        but: the id of the message that is meant to be said there.
    """
    said = [event.data for event in events if event.type == "INPUT" and event.data.get("origin", "user") == "user"]
    return any(data.get("message_id") != but for data in said)


def digest(text: str) -> str:
    """A fingerprint of a text; empty for an empty one."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest() if text else ""


def words_for(chat: ChatRequest, *, system: bool, before: bool) -> PassedOn:
    """What is passed on to the agent.

    Args:
        chat: the request.
        system: whether what the application says is news.
        before: whether what was said before is news.
    """
    # Only the newest message is said here, whoever is to have said the others.
    newest = chat.fresh[-1].text if chat.fresh else ""
    earlier = (*(chat.before if before else ()), *chat.fresh[:-1])
    said = said_in(newest)
    text, quoted, said_chars = said.text, [said.quoted] if said.quoted else [], 0
    if system and chat.system and before:
        told = f"The application that this conversation is held in says:\n\n{chat.system}"
        said_chars = len(text)
        text = f"{told}\n\nThe message:\n\n{text}"
    elif system and chat.system:
        # At the beginning it is the person's own set-up; what it changes to later may have been made from anything.
        quoted.append(f"The application that this conversation is held in says now:\n\n{chat.system}")
    if system and chat.context:
        quoted.append(f"What the application shows:\n\n{chat.context}")
    if earlier:
        left_chars = TEXT_CHARS - sum(len(part) + 2 for part in quoted) - 100
        quoted.append(f"Before this message, elsewhere, it was said:\n\n{_transcript(earlier, left_chars)}")
    return PassedOn(text, "\n\n".join(quoted), said_chars)


def check_words(words: PassedOn, chat: ChatRequest) -> None:
    """See whether that can be said.

    Raises:
        Malformed: nothing is said.
        TooLarge: it is too much.
    """
    if not chat.text.strip():
        raise Malformed(400, "invalid_value", "messages: the last one of the user's says nothing", "messages")
    for what, part in (("what is new", words.text), ("what is quoted beside it", words.quoted)):
        if len(part) > TEXT_CHARS:
            raise TooLarge(f"messages: {what} has {len(part)} characters, expected at most {TEXT_CHARS}")


def _transcript(messages: Sequence[ChatMessage], left_chars: int) -> str:
    """What was said, the oldest left out if it is too much."""
    lines = list[str]()
    for message in reversed(messages):
        line = f"{message.role}: {message.text}"
        left_chars -= len(line) + 2
        if left_chars < 0:
            lines.append(_LEFT_OUT)
            break
        lines.append(line)
    return "\n\n".join(reversed(lines))
