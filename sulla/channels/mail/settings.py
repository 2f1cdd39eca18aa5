"""What the settings say of a mailbox."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator, model_validator

ADDRESS: Final = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,180}[A-Za-z0-9])?")
"""An address that is written to and believed; others are passed over."""
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_PORTS: Final = {"imaps": 993, "imap": 143, "smtps": 465, "smtp": 587}

Security = Literal["tls", "starttls", "none"]


class Server(NamedTuple):
    """Where one side of a mailbox is."""

    host: str
    port: int
    security: Security
    """`none` only on the machine itself."""


class MailOptions(BaseModel):
    """`options` of a channel of the kind `mail`."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    address: str
    """The mailbox's, which is the daemon's alone."""
    user: str = ""
    """Under which name it is opened; empty for the address."""
    imap: str = ""
    """Where it is read: ``imaps://HOST:PORT``, or ``imap://…`` with STARTTLS; empty for ``imaps://imap.DOMAIN``."""
    smtp: str = ""
    """Where mail is handed in: ``smtps://…``, or ``smtp://…`` with STARTTLS; empty for ``smtps://smtp.DOMAIN``."""
    folder: str = "INBOX"
    """What is read."""
    sent: str = ""
    """The folder in which the server itself keeps whatever it was handed in; empty where it keeps nothing."""
    authserv: str = ""
    """Under which name the mailbox's own server writes `Authentication-Results`: who may is by what it says there."""
    word: str = ""
    """In place of that: a word behind a ``+`` in the address; whoever writes to it knows it. It lets people in, so it
    is one of the channel's secrets; here it is read, too, as versions before wanted it."""

    @field_validator("address")
    @classmethod
    def _is_address(cls, address: str) -> str:
        if ADDRESS.fullmatch(address) is None or "+" in address:
            raise ValueError("an address such as sulla@example.org, without a +")
        return address

    @field_validator("imap", "smtp")
    @classmethod
    def _is_server(cls, address: str, info: ValidationInfo) -> str:
        if address:
            _server(address, str(info.field_name))
        return address

    @model_validator(mode="after")
    def _fits(self, info: ValidationInfo) -> Self:
        """The channel's secrets are the context; there is none as long as they are not known."""
        secret = str((info.context or {}).get("word", ""))
        if secret and self.word:
            raise ValueError("word stands among the secrets and among the options: leave it out here")
        word = secret or self.word
        if (self.authserv and word) or (info.context is not None and not self.authserv and not word):
            raise ValueError(
                "say either options.authserv or secrets.word: a From that nobody vouches for can be anybody's"
            )
        if word and re.fullmatch(r"[a-z0-9]{16,40}", word) is None:
            raise ValueError("word: 16 to 40 small letters and digits, by chance")
        return self

    @property
    def domain(self) -> str:
        """Of the address."""
        return self.address.rpartition("@")[2].lower()

    def imap_server(self) -> Server:
        """Where the mailbox is read."""
        return _server(self.imap or f"imaps://imap.{self.domain}", "imap")

    def smtp_server(self) -> Server:
        """Where mail is handed in."""
        return _server(self.smtp or f"smtps://smtp.{self.domain}", "smtp")


def _server(address: str, kind: str) -> Server:
    parts = urlsplit(address)
    if parts.scheme not in (kind, f"{kind}s") or not parts.hostname or parts.username or parts.path.strip("/"):
        raise ValueError(f"{kind}: such as {kind}s://{kind}.example.org:{_PORTS[kind + 's']}")
    security: Security = "tls" if parts.scheme.endswith("s") else "starttls"
    if security == "starttls" and parts.hostname in _LOOPBACK:
        security = "none"
    return Server(parts.hostname, parts.port or _PORTS[parts.scheme], security)
