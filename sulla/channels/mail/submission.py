"""Hands mails in by SMTP, with the library aiosmtplib: each once, and it is said what came of it."""

from __future__ import annotations

import re
import ssl
from collections.abc import Sequence
from typing import Final

import aiosmtplib
from aiosmtplib import (
    SMTPAuthenticationError,
    SMTPDataError,
    SMTPException,
    SMTPRecipientRefused,
    SMTPResponseException,
)

from sulla.channels.base import NotSent, Outcome, Sent, Unknown
from sulla.channels.mail.settings import Server
from sulla.core.errors import Unauthorized, Unavailable

CONNECT_S: Final = 10.0
ANSWER_S: Final = 30.0
QUOTA_S: Final = 3_600.0
"""How long it rests where the day's mails are used up: some servers say that as if it were for ever."""
_QUOTA: Final = ("5.4.5", "4.4.5", "5.7.233")
_LATER: Final = re.compile(
    r"\b(?:in|after|for)\s+(\d{1,6})\s*(s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b", re.IGNORECASE
)
_UNITS: Final = {"s": 1.0, "m": 60.0, "h": 3_600.0}


class Submission:
    """Where one mailbox's mails are handed in. Holds no connection between two of them.

    Args:
        server: where.
        user: under which name.
        password: with what.
        domain: of the mailbox's address; so it greets.
        trusted: by what the server is known; None where it is on this machine.
    """

    def __init__(self, server: Server, user: str, password: str, domain: str, trusted: ssl.SSLContext | None) -> None:
        self._server = server
        self._user = user
        self._password = password
        self._domain = domain
        self._trusted = trusted

    async def prove(self) -> None:
        """See that the server lets the daemon in; nothing is sent.

        Raises:
            Unauthorized: it does not know the password.
            Unavailable: it does not answer.
        """
        client = self._client()
        try:
            await client.connect()
            await client.login(self._user, self._password)
            await client.quit()
        except SMTPAuthenticationError as error:
            if error.code < 500:
                raise Unavailable("the server for sending lets nobody in for now") from None
            raise Unauthorized("the server for sending does not know the address and password: set them anew") from None
        except (SMTPException, OSError) as error:
            raise Unavailable(f"the server for sending does not answer ({type(error).__name__})") from None
        finally:
            client.close()

    async def send(self, sender: str, to: Sequence[str], mail: bytes, message_id: str) -> Outcome:
        """Hand a mail in, once.

        Args:
            sender: the daemon's address.
            to: all who get it; if one is refused nobody does.
            mail: as `form.written` gave it.
            message_id: of the mail.
        """
        client, handed = self._client(), False
        try:
            await client.connect()
            await client.login(self._user, self._password)
            await client.mail(sender)
            for one in to:
                await client.rcpt(one)
            handed = True
            await client.data(mail)
        except SMTPAuthenticationError:
            return NotSent("the server for sending does not know the address and password", 60.0)
        except SMTPResponseException as error:
            return _refused(error)
        except (SMTPException, OSError) as error:
            why = type(error).__name__
            if handed:
                return Unknown(f"the server for sending did not say ({why})")
            return NotSent(f"the server for sending cannot be reached ({why})")
        finally:
            client.close()
        return Sent(message_id)

    def _client(self) -> aiosmtplib.SMTP:
        host, port, security = self._server
        return aiosmtplib.SMTP(
            hostname=host,
            port=port,
            local_hostname=self._domain,
            timeout=ANSWER_S,
            use_tls=security == "tls",
            start_tls=security == "starttls",
            tls_context=self._trusted,
        )


def _refused(error: SMTPResponseException) -> NotSent:
    """What a server's refusal means. Its words are passed on where they speak of the mail, and of nothing else."""
    said = "".join(char if char.isprintable() else " " for char in error.message)[:200]
    about = isinstance(error, SMTPDataError | SMTPRecipientRefused)
    why = f"the server for sending refuses it: {error.code} {said}" if about else f"the server refuses it: {error.code}"
    if any(code in error.message for code in _QUOTA):
        return NotSent(why, QUOTA_S)
    if 400 <= error.code < 500:
        found = _LATER.search(error.message)
        return NotSent(why, int(found.group(1)) * _UNITS[found.group(2)[0].lower()] if found else None)
    return NotSent(why, final=about and error.code >= 500)
