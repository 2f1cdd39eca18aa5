"""What Slack's refusals and broken connections mean."""

from __future__ import annotations

from typing import Final

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError

from sulla.channels.base import NotSent, Outcome, Resting, Unknown
from sulla.core.errors import SullaError, Unauthorized, Unavailable

FAILURES: Final = (SlackClientError, aiohttp.ClientError, OSError, TimeoutError)
"""All that the library raises when a call fails."""
_SHUT: Final = frozenset(
    {
        "account_inactive",
        "invalid_auth",
        "missing_scope",
        "no_permission",
        "not_allowed_token_type",
        "not_authed",
        "org_login_required",
        "token_expired",
        "token_revoked",
    }
)
"""With these nothing helps but other settings."""
_UNSURE: Final = frozenset({"", "fatal_error", "internal_error", "request_timeout", "service_unavailable"})
"""With these something may have been done: Slack says so of `fatal_error`."""
_LATER: Final = frozenset({"ratelimited", "rate_limited", "team_added_to_org", "accesslimited"})
_OK: Final = 200
_TOO_MANY: Final = 429
_REST_S: Final = 30.0
"""Where Slack wants to be left alone and does not say for how long."""
_SHUT_REST_S: Final = 60.0


def word_of(error: BaseException) -> str:
    """Slack's own word for a refusal; empty where it gave none."""
    data = error.response.data if isinstance(error, SlackApiError) and hasattr(error.response, "data") else None
    return str(data.get("error") or "")[:100] if isinstance(data, dict) else ""


def rest_s(error: BaseException) -> float | None:
    """For how many seconds Slack wants to be left alone; None where it does not."""
    if not isinstance(error, SlackApiError):
        return None
    if _status(error) != _TOO_MANY and word_of(error) not in _LATER:
        return None
    said = str(error.response.headers.get("Retry-After") or "")
    return float(said) if said.isdecimal() else _REST_S


def raised(error: BaseException, token: str = "bot_token") -> SullaError:
    """What a failure is called here. Nothing is passed on but Slack's own word for it.

    Args:
        error: one of `FAILURES`.
        token: the secret with which Slack was asked.
    """
    word = word_of(error)
    if (wait_s := rest_s(error)) is not None:
        return Unavailable("Slack wants to be left alone", retry_after_s=wait_s)
    if word == "missing_scope" and isinstance(error, SlackApiError):
        needed = str(error.response.get("needed") or "?")[:200]
        return Unauthorized(f"the app lacks the scope {needed}: add it at api.slack.com/apps and install the app anew")
    if word in _SHUT:
        return Unauthorized(
            f"Slack does not take the {token} ({word}): take it from api.slack.com/apps, and set it anew"
        )
    return Unavailable(f"Slack does not answer ({word or type(error).__name__})")


def outcome_of(error: BaseException, rests: Resting = "account") -> Outcome:
    """What came of a send that failed.

    Args:
        error: one of `FAILURES`.
        rests: what its method is counted for; Slack does not say it with a refusal.
    """
    word = word_of(error)
    if (wait_s := rest_s(error)) is not None:
        return NotSent("it comes too fast", wait_s, rests=rests)
    if isinstance(error, aiohttp.ClientConnectorError):
        return NotSent("Slack cannot be reached")
    if word in _UNSURE:
        return Unknown(f"Slack did not say ({word or type(error).__name__})")
    if word in _SHUT:
        return NotSent(f"Slack does not take the token ({word})", _SHUT_REST_S)
    return NotSent(f"Slack refuses it: {word}", final=True)


def _status(error: SlackApiError) -> int:
    return int(getattr(error.response, "status_code", getattr(error.response, "status", _OK)))
