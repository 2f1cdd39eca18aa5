"""What parameters are made of: their root, and the forms of ids and texts. Pure."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from sulla.access.principal import NAME_CHARS
from sulla.rpc.limits import ID_CHARS, TEXT_CHARS, TITLE_CHARS

PATH_CHARS = 4096
"""Of a path: what Linux takes."""

ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.\-]*$"
QUESTION_PATTERN = r"^[a-z]+(:[A-Za-z0-9_.\-]+)+$"
LINE_PATTERN = r"^[^\x00-\x1f\x7f]*$"
STEP_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]*(@[0-9]+(\.[0-9]+)*|(\[[0-9]+\])+)?$"
UTTERANCE_PATTERN = r"^[A-Za-z0-9_.:\-]+$"
PATTERN_WORDS = {
    ID_PATTERN: "letters, digits, '_', '.' and '-', beginning with a letter or digit",
    QUESTION_PATTERN: "a question's id as approval.list or SUSPENDED gives it, e.g. 'review:tool_…'",
    LINE_PATTERN: "one line without control characters",
    STEP_PATTERN: "a step's address as workflow.status gives it, e.g. 'research' or 'research@2', or research[2]",
    UTTERANCE_PATTERN: "letters, digits, '_', '.', ':' and '-'",
}
"""What the patterns mean, for error messages."""

Id = Annotated[str, StringConstraints(min_length=1, max_length=ID_CHARS, pattern=ID_PATTERN)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=NAME_CHARS, pattern=ID_PATTERN)]
Title = Annotated[str, StringConstraints(max_length=TITLE_CHARS, pattern=LINE_PATTERN)]
Channel = Annotated[str, StringConstraints(max_length=NAME_CHARS, pattern=LINE_PATTERN)]
Label = Annotated[str, StringConstraints(min_length=1, max_length=ID_CHARS, pattern=LINE_PATTERN)]
Words = Annotated[str, StringConstraints(min_length=1, max_length=TEXT_CHARS)]
QuestionId = Annotated[str, StringConstraints(min_length=1, max_length=4 * ID_CHARS, pattern=QUESTION_PATTERN)]
FilePath = Annotated[str, StringConstraints(min_length=1, max_length=PATH_CHARS)]
Answer = Annotated[str, StringConstraints(max_length=TEXT_CHARS)]
MOST_SEQ = 2**53
"""The largest number that JavaScript holds exactly."""
Seq = Annotated[int, Field(ge=0, le=MOST_SEQ)]


class Params(BaseModel):
    """The root of all parameters: no guessing of types, no unknown fields. What checks them is made at first use."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)


class SaidAgain(Params):
    """How a client names the message that another one says again."""

    thread_id: Id
    seq: Annotated[int, Field(ge=1, le=MOST_SEQ)]
    """The number of its `INPUT`."""
