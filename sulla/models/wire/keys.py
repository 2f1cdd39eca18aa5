"""What every key has to be, whatever the service. Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.errors import SettingsError

_FORMS: Final[tuple[tuple[str, str], ...]] = (
    ("sk-ant-", "Anthropic"),
    ("sk-or-", "OpenRouter"),
    ("sk-", "OpenAI"),
    ("AIza", "Google"),
    ("gsk_", "Groq"),
    ("xai-", "xAI"),
    ("pplx-", "Perplexity"),
    ("hf_", "Hugging Face"),
    ("ghp_", "GitHub"),
    ("github_pat_", "GitHub"),
    ("sulla_", "Sulla"),
)
"""How keys begin, by the services' own documentation; what stands further up goes before."""


def service_of(key: str) -> str:
    """The service that a key seems to be for, by how it begins; empty if that says nothing.

    Args:
        key: the key; it is never shown.
    """
    return next((service for prefix, service in _FORMS if key.startswith(prefix)), "")


def check_key(variable: str, key: str) -> None:
    """Refuse a key that no HTTP header can carry.

    Args:
        variable: where it was given, for the error.
        key: the key; it is never shown.

    Raises:
        SettingsError: it holds blanks, control characters or others that no key has.
    """
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise SettingsError(f"{variable} holds blanks or other characters that no key has: set it again")
