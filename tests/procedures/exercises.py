"""Procedures to try things on."""

from __future__ import annotations

from dataclasses import replace

from sulla.procedures.definition import DoneWhen, Procedure, ProcedureStep

SETTLE = ProcedureStep(
    "settle", "Settle", "Ask them to sit.", DoneWhen("phrases", phrases=("ready", "done", "next step"))
)
SEE = ProcedureStep(
    "see", "Five things", "Ask for five things.", DoneWhen("items", items="things to see", count=5), "Small ones count."
)
TELL = ProcedureStep("tell", "Tell", "Ask how it is now.", DoneWhen("model"), "One word will do.", keep=True)

EXERCISE = Procedure(
    "exercise",
    "an exercise",
    "Three steps to try things on.",
    (SETTLE, SEE, TELL),
    is_not="It is no therapy.",
    exits=("pineapple please",),
    closing="Say that it is done.",
)
OTHER = replace(EXERCISE, name="other", title="another exercise")
"""A procedure of another name."""
REWRITTEN = replace(EXERCISE, steps=(SETTLE, replace(SEE, instructions="Ask for five more."), TELL))
"""What its file says later, with the same steps."""
SHORTENED = replace(EXERCISE, steps=(SETTLE, TELL))
"""What its file says later, without the second step."""
