"""The door to playbooks."""

from sulla.workflow.check import Checked, check_playbook
from sulla.workflow.check_fault import RULES, Fault
from sulla.workflow.check_known import Known, KnownTool
from sulla.workflow.definition import Definition, InputSpec, Template, Trigger
from sulla.workflow.expression import evaluate
from sulla.workflow.facts import Fact, Failure, RunEnded, Spent, StepCancelled, StepReasked, StepStarted
from sulla.workflow.facts_kept import fork, reopen
from sulla.workflow.form import read_duration
from sulla.workflow.machine import Playbook
from sulla.workflow.plan import Plan, build
from sulla.workflow.read_flow import Imported, import_flow
from sulla.workflow.schema import SCHEMA_FILE, playbook_schema

__all__ = [
    "RULES",
    "SCHEMA_FILE",
    "Checked",
    "Definition",
    "Fact",
    "Failure",
    "Fault",
    "Imported",
    "InputSpec",
    "Known",
    "KnownTool",
    "Plan",
    "Playbook",
    "RunEnded",
    "Spent",
    "StepCancelled",
    "StepReasked",
    "StepStarted",
    "Template",
    "Trigger",
    "build",
    "check_playbook",
    "evaluate",
    "fork",
    "import_flow",
    "playbook_schema",
    "read_duration",
    "reopen",
]
