"""What people are told to do where a service does not take the key, or has no such model. Pure."""

from __future__ import annotations

from sulla.core.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Advice:
    """Where the settings stand that a refusal may come from."""

    key: str
    """What to do about the key: a sentence without its full stop."""
    named_in: str = "SULLA_MODEL"
    """Where the model's name is written."""


def advice_on(variable: str) -> Advice:
    """What is said where nobody knows where the key and the name come from.

    Args:
        variable: that the key can be given in.
    """
    return Advice(f"Check {variable} and that it may use this model")
