"""The gateway's bounds and deadlines, in one place. Pure."""

from __future__ import annotations

from sulla.core.dataclass import dataclass

TEXT_CHARS = 100_000
"""Code points of one message: where the sanitizer of the original's input handler cuts. Here more are refused."""
ID_CHARS = 128
TITLE_CHARS = 200
SUBSCRIPTIONS = 64
"""Threads that one connection may follow at once."""
VALUE_ENTRIES = 100_000
"""Of the lists and objects in what may be any JSON, such as a playbook's inputs, all in all: as many as a list that an
expression makes. Its bytes are those of a frame.
"""
ACTIVITY_CHARS = 80
"""Of what somebody says to be doing."""
IDLE_S = 90 * 86_400
"""The longest that anybody is said to have done nothing, in seconds."""
MOST_ALWAYS_S = 365 * 86_400
"""The longest that calls are allowed for with `always`, in seconds."""
NOTICE_IDS = 64
"""Notices that are marked as seen at once."""
WORKFLOW_CHARS = 512 * 1024
"""Code points of a playbook; its bytes are counted where it is read."""
STEP_CHARS = 128
"""Of a step's address."""
STEPS_AT_ONCE = 1000
"""Steps that a run goes on from: as many as a playbook may have."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of every connection and of the server as a whole (design §12)."""

    handshake_s: float = 5.0
    """How long a peer may take to send a request's head."""
    hello_s: float = 5.0
    """How long a connected client may take to say hello."""
    hello_bytes: int = 64 * 1024
    """The largest frame before that."""
    frame_bytes: int = 1024 * 1024
    """The largest frame after it."""
    fragments: int = 1024
    """The most pieces that one message may come in."""
    connections: int = 1000
    """Connections at once of peers that have shown a valid token."""
    kept_free: int = 16
    """Of these, how many only a token with the scope `admin` gets: whoever may revoke can always come in to do so."""
    strangers: int = 256
    """Connections at once of peers that have not; one more cuts the oldest of them."""
    strangers_per_address: int = 64
    """Of these, how many of one address."""
    head_bytes: int = 16 * 1024
    """The largest head of a request; it may be a KiB more."""
    idle_s: float = 5.0
    """How long a connection may stay between two HTTP requests."""
    pings_per_s: int = 100
    """Pings and pongs that a client may send within a second."""
    call_s: float = 30.0
    """How long one request may take before it is answered with a retryable error."""
    queue_bytes: int = 1024 * 1024
    """What may wait for one slow client."""
    stall_s: float = 6.0
    """How long a client may read nothing at all while its queue is full, before it is closed with 1013."""
    close_s: float = 2.0
    """How long a close may take before the connection is cut."""
    user_timeout_s: float = 8.0
    """How long the kernel waits for a peer to take data (TCP_USER_TIMEOUT), where it can."""
    heal_s: float = 2.0
    """How often a subscription looks at the log by itself, in case a wake-up was lost."""
    page: int = 128
    """Events read from the log in one go."""
    body_s: float = 10.0
    """How long a request's body may take."""
    streams: int = 500
    """Streams of events at once, those included whose client has left and whose turn is still to be stopped."""
    keep_alive_s: float = 15.0
    """How long a stream of events is silent before it says that it is still there."""
    abandoned_s: float = 1800.0
    """How long a turn whose client has left is watched for its beginning, so that it can be stopped then."""
    history_bytes: int = 768 * 1024
    """Where a page of history is cut, so that its reply fits a client's frame limit."""
