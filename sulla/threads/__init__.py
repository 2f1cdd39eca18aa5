"""The door to conversations."""

from sulla.threads.archive import MAX_LINE_BYTES, Sealer, event_of
from sulla.threads.audit import Audit, Readable, audit_threads
from sulla.threads.bounds import ThreadLimits
from sulla.threads.bus import Advanced, AskText, Live, Signal, channel, live_channel, pack, unpack
from sulla.threads.charging import charge, charge_report
from sulla.threads.codec import Entry, Origin
from sulla.threads.delivery import Delivery, EndNews, Owed
from sulla.threads.facts import (
    Answer,
    ContinueAsked,
    Continued,
    Decision,
    Input,
    InputHandled,
    InputIgnored,
    InputsJoined,
    Mode,
    ModelAbandoned,
    ModelStarted,
    Outcome,
    OutcomeStatus,
    Reminder,
    Resumed,
    RunError,
    RunFinished,
    RunStarted,
    StopAsked,
    Stopped,
    Summary,
    Suspended,
    TextMessageEnd,
    ThreadCreated,
    ThreadFact,
    ToolCallResult,
    ToolCallStart,
)
from sulla.threads.family import (
    WAIT as CHILD_WAIT,
)
from sulla.threads.family import (
    Birth,
    ChildCancelled,
    ChildMode,
    ChildReported,
    ChildStarted,
    Report,
    is_child_wait,
    wait_of,
)
from sulla.threads.fold import apply_message
from sulla.threads.fold_offer import apply_offer
from sulla.threads.follower import LogConsumer, LogCursor, LogFollower
from sulla.threads.forms import Fielded, Form
from sulla.threads.head import KIND as THREAD_KIND
from sulla.threads.kind import CHILD, CONVERSATION, Budget, ThreadKind
from sulla.threads.leaving import DELETED
from sulla.threads.next_task import (
    BreakOff,
    Continue,
    Deliver,
    GoOn,
    Ignore,
    Interrupt,
    Rest,
    Resume,
    Start,
    Steer,
    Stop,
    Task,
    Wake,
    cut_short,
    next_task,
)
from sulla.threads.notice import Notice
from sulla.threads.order import Order
from sulla.threads.paused import RunPaused
from sulla.threads.pending import Intervals
from sulla.threads.plays import (
    ANSWER,
    ASK,
    HUMAN,
    PLAYBOOK,
    TIME,
    AnswerGiven,
    OwedAnswer,
    Play,
    Question,
    is_own_wait,
    is_step_question,
)
from sulla.threads.replay import IMPORTED
from sulla.threads.restore import Restored, ThreadRestore, undo_half_import
from sulla.threads.retention import Retention
from sulla.threads.said import Listener, Said
from sulla.threads.schema import Slice, ThreadSchema
from sulla.threads.session import ThreadSession
from sulla.threads.spoken import BargedIn, Heard, Overheard, Spoken
from sulla.threads.state import OpenRun, RunRef, ThreadState, WaitingInput
from sulla.threads.store import Sent, ThreadStore
from sulla.threads.transcript import Measure, Transcript
from sulla.threads.usage import Usage
from sulla.threads.waits import Permit, Wait
from sulla.threads.wake_loop import WakeLoop, Wording
from sulla.threads.watching import Kept, Watcher

__all__ = [
    "ANSWER",
    "ASK",
    "CHILD",
    "CHILD_WAIT",
    "CONVERSATION",
    "DELETED",
    "HUMAN",
    "IMPORTED",
    "MAX_LINE_BYTES",
    "PLAYBOOK",
    "THREAD_KIND",
    "TIME",
    "Advanced",
    "Answer",
    "AnswerGiven",
    "AskText",
    "Audit",
    "BargedIn",
    "Birth",
    "BreakOff",
    "Budget",
    "ChildCancelled",
    "ChildMode",
    "ChildReported",
    "ChildStarted",
    "Continue",
    "ContinueAsked",
    "Continued",
    "Decision",
    "Deliver",
    "Delivery",
    "EndNews",
    "Entry",
    "Fielded",
    "Form",
    "GoOn",
    "Heard",
    "Ignore",
    "Input",
    "InputHandled",
    "InputIgnored",
    "InputsJoined",
    "Interrupt",
    "Intervals",
    "Kept",
    "Listener",
    "Live",
    "LogConsumer",
    "LogCursor",
    "LogFollower",
    "Measure",
    "Mode",
    "ModelAbandoned",
    "ModelStarted",
    "Notice",
    "OpenRun",
    "Order",
    "Origin",
    "Outcome",
    "OutcomeStatus",
    "Overheard",
    "Owed",
    "OwedAnswer",
    "Permit",
    "Play",
    "Question",
    "Readable",
    "Reminder",
    "Report",
    "Rest",
    "Restored",
    "Resume",
    "Resumed",
    "Retention",
    "RunError",
    "RunFinished",
    "RunPaused",
    "RunRef",
    "RunStarted",
    "Said",
    "Sealer",
    "Sent",
    "Signal",
    "Slice",
    "Spoken",
    "Start",
    "Steer",
    "Stop",
    "StopAsked",
    "Stopped",
    "Summary",
    "Suspended",
    "Task",
    "TextMessageEnd",
    "ThreadCreated",
    "ThreadFact",
    "ThreadKind",
    "ThreadLimits",
    "ThreadRestore",
    "ThreadSchema",
    "ThreadSession",
    "ThreadState",
    "ThreadStore",
    "ToolCallResult",
    "ToolCallStart",
    "Transcript",
    "Usage",
    "Wait",
    "WaitingInput",
    "Wake",
    "WakeLoop",
    "Watcher",
    "Wording",
    "apply_message",
    "apply_offer",
    "audit_threads",
    "channel",
    "charge",
    "charge_report",
    "cut_short",
    "event_of",
    "is_child_wait",
    "is_own_wait",
    "is_step_question",
    "live_channel",
    "next_task",
    "pack",
    "undo_half_import",
    "unpack",
    "wait_of",
]
