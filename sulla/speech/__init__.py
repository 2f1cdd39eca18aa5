"""The door to speech: from partial transcripts to turns, each word in one of them."""

from sulla.speech.buffer import SpeechBuffer, State, Status
from sulla.speech.chunk import MAX_CHUNK_CHARS, Chunk, ChunkKind
from sulla.speech.classic import is_complete_thought
from sulla.speech.detector import COMPLETE, Reading, TurnDetector
from sulla.speech.events import Cancelled, EagerEnd, End, EndReason, Event, Partial, Resumed, TurnStarted
from sulla.speech.kept import KeptBuffer, KeptTurn, KeptUtterance
from sulla.speech.late_detector import LateDetector, english_detector
from sulla.speech.limits import SpeechLimits
from sulla.speech.manager import StreamBufferManager
from sulla.speech.office import Flushed, Playing, SpeechOffice, Taken
from sulla.speech.profile import ADAPTIVE, CLASSIC, Profile, ProfileName, wait_ms
from sulla.speech.sentences import Piece, Sentences

__all__ = [
    "ADAPTIVE",
    "CLASSIC",
    "COMPLETE",
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
    "LateDetector",
    "Partial",
    "Piece",
    "Playing",
    "Profile",
    "ProfileName",
    "Reading",
    "Resumed",
    "Sentences",
    "SpeechBuffer",
    "SpeechLimits",
    "SpeechOffice",
    "State",
    "Status",
    "StreamBufferManager",
    "Taken",
    "TurnDetector",
    "TurnStarted",
    "english_detector",
    "is_complete_thought",
    "wait_ms",
]
