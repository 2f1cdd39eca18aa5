"""What the settings say of a Slack app. Pure."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class SlackOptions(BaseModel):
    """`options` of a channel of the kind `slack`."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    api: str = "https://slack.com/api/"
    """Where Slack's Web API is. Files are fetched from its host and those below it, and from nowhere else."""
