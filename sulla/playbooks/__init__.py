"""The door to playbooks."""

from sulla.playbooks.definition import Definition, InputSpec, Template, Trigger
from sulla.playbooks.drawing import mermaid
from sulla.playbooks.events import (
    EVENTS,
    MOST_CHAINED,
    Happening,
    depth_of,
    event_key,
    gives_events,
    happening,
    is_playbooks_turn,
)
from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.file.check import Checked, check_playbook
from sulla.playbooks.file.check_fault import RULES, Fault
from sulla.playbooks.file.check_known import Known, KnownTool
from sulla.playbooks.file.form import read_duration
from sulla.playbooks.file.schema import SCHEMA_FILE, playbook_schema
from sulla.playbooks.flow_import.read import Imported, import_flow
from sulla.playbooks.machine.facts import (
    Fact,
    Failure,
    RunEnded,
    RunReopened,
    RunStarted,
    Spent,
    StepCancelled,
    StepCompleted,
    StepFailed,
    StepReasked,
    StepRetry,
    StepSkipped,
    StepStarted,
)
from sulla.playbooks.machine.facts_kept import fork, kept, refuse_unknown, reopen
from sulla.playbooks.machine.machine import Playbook
from sulla.playbooks.machine.plan import Plan, build
from sulla.playbooks.machine.scope_inputs import complete_inputs
from sulla.playbooks.match import ChatTrigger, chat_triggers, matching
from sulla.playbooks.projects.book import PLANNER, planner_playbook, to_playbook
from sulla.playbooks.projects.plan import PLAN_SCHEMA, ProjectPlan, Strategy, Task, in_order, plan_json
from sulla.playbooks.projects.read import read_plan
from sulla.playbooks.projects.service import ProjectDesk, Runs, plan_in, project_of
from sulla.playbooks.projects.states import ProjectState, TaskNow, state_of, states_of
from sulla.playbooks.rehearsal.base import ModelCall, Rehearsed, Row, Setting
from sulla.playbooks.rehearsal.cases import Case
from sulla.playbooks.rehearsal.cases_judge import Miss, Verdict, duration_told, try_case, way_told
from sulla.playbooks.rehearsal.cases_read import read_cases
from sulla.playbooks.rehearsal.dry import DryRun, Way, dry_run
from sulla.playbooks.run.load import load_story
from sulla.playbooks.run.log import Story
from sulla.playbooks.run.node import PlayNode, create_playbook_graph
from sulla.playbooks.run.orders import Order, begun_with, play_of
from sulla.playbooks.run.steps import Shelf, StepHands, Successors
from sulla.playbooks.service import (
    Begin,
    Begun,
    ListedPlaybook,
    PlaybookOffice,
    PlaybookText,
    PlayDetail,
    PlayRow,
    PlayStatus,
    StepRow,
    TriggerKind,
)
from sulla.playbooks.shelf import (
    PLAYBOOKS,
    TEST_ENDINGS,
    Kept,
    PlaybookShelf,
    Shelved,
    listed,
    mentioned,
    read_text,
    trigger_told,
)
from sulla.playbooks.thread_kind import PLAYBOOK_THREAD, chain_of
from sulla.playbooks.tools import Starts, may_start, playbook_line, playbook_tools, told_started

__all__ = [
    "EVENTS",
    "MOST_CHAINED",
    "PLANNER",
    "PLAN_SCHEMA",
    "PLAYBOOKS",
    "PLAYBOOK_THREAD",
    "RULES",
    "SCHEMA_FILE",
    "TEST_ENDINGS",
    "Begin",
    "Begun",
    "Case",
    "ChatTrigger",
    "Checked",
    "Definition",
    "DryRun",
    "Fact",
    "Failure",
    "Fault",
    "Happening",
    "Imported",
    "InputSpec",
    "Kept",
    "Known",
    "KnownTool",
    "ListedPlaybook",
    "Miss",
    "ModelCall",
    "Order",
    "Plan",
    "PlayDetail",
    "PlayNode",
    "PlayRow",
    "PlayStatus",
    "Playbook",
    "PlaybookOffice",
    "PlaybookShelf",
    "PlaybookText",
    "ProjectDesk",
    "ProjectPlan",
    "ProjectState",
    "Rehearsed",
    "Row",
    "RunEnded",
    "RunReopened",
    "RunStarted",
    "Runs",
    "Setting",
    "Shelf",
    "Shelved",
    "Spent",
    "Starts",
    "StepCancelled",
    "StepCompleted",
    "StepFailed",
    "StepHands",
    "StepReasked",
    "StepRetry",
    "StepRow",
    "StepSkipped",
    "StepStarted",
    "Story",
    "Strategy",
    "Successors",
    "Task",
    "TaskNow",
    "Template",
    "Trigger",
    "TriggerKind",
    "Verdict",
    "Way",
    "begun_with",
    "build",
    "chain_of",
    "chat_triggers",
    "check_playbook",
    "complete_inputs",
    "create_playbook_graph",
    "depth_of",
    "dry_run",
    "duration_told",
    "evaluate",
    "event_key",
    "fork",
    "gives_events",
    "happening",
    "import_flow",
    "in_order",
    "is_playbooks_turn",
    "kept",
    "listed",
    "load_story",
    "matching",
    "may_start",
    "mentioned",
    "mermaid",
    "plan_in",
    "plan_json",
    "planner_playbook",
    "play_of",
    "playbook_line",
    "playbook_schema",
    "playbook_tools",
    "project_of",
    "read_cases",
    "read_duration",
    "read_plan",
    "read_text",
    "refuse_unknown",
    "reopen",
    "state_of",
    "states_of",
    "to_playbook",
    "told_started",
    "trigger_told",
    "try_case",
    "way_told",
]
