"""The door to speech: from partial transcripts to turns, each word in one of them."""

from sulla.speech.buffer import SpeechBuffer, State, Status
from sulla.speech.chunk import MAX_CHUNK_CHARS, Chunk, ChunkKind
from sulla.speech.classic import is_complete_thought
from sulla.speech.complete import COMPLETE, read
from sulla.speech.english import ENGLISH
from sulla.speech.events import Cancelled, EagerEnd, End, EndReason, Event, Partial, Resumed, TurnStarted
from sulla.speech.kept import KeptBuffer, KeptTurn, KeptUtterance
from sulla.speech.language import Language, Reading, Rule, Said
from sulla.speech.limits import SpeechLimits
from sulla.speech.manager import StreamBufferManager
from sulla.speech.office import Flushed, Playing, SpeechOffice, Taken
from sulla.speech.profile import ADAPTIVE, CLASSIC, Profile, ProfileName, wait_ms
from sulla.speech.sentences import Piece, Sentences

__all__ = [
    "ADAPTIVE",
    "CLASSIC",
    "COMPLETE",
    "ENGLISH",
    "MAX_CHUNK_CHARS",
    "Cancelled",
    "Chunk",
    "ChunkKind",
    "EagerEnd",
    "End",
    "EndReason",
    "Event",
    "Flushed",
    "KeptBuffer",
    "KeptTurn",
    "KeptUtterance",
    "Language",
    "Partial",
    "Piece",
    "Playing",
    "Profile",
    "ProfileName",
    "Reading",
    "Resumed",
    "Rule",
    "Said",
    "Sentences",
    "SpeechBuffer",
    "SpeechLimits",
    "SpeechOffice",
    "State",
    "Status",
    "StreamBufferManager",
    "Taken",
    "TurnStarted",
    "is_complete_thought",
    "read",
    "wait_ms",
]
