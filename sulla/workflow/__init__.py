"""The door to playbooks."""

from sulla.workflow.cases import Case
from sulla.workflow.cases_judge import Miss, Verdict, duration_told, try_case, way_told
from sulla.workflow.cases_read import read_cases
from sulla.workflow.check import Checked, check_playbook
from sulla.workflow.check_fault import RULES, Fault
from sulla.workflow.check_known import Known, KnownTool
from sulla.workflow.definition import Definition, InputSpec, Template, Trigger
from sulla.workflow.drawing import mermaid
from sulla.workflow.events import (
    EVENTS,
    MOST_CHAINED,
    Happening,
    depth_of,
    event_key,
    gives_events,
    happening,
    is_playbooks_turn,
)
from sulla.workflow.expression import evaluate
from sulla.workflow.facts import (
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
from sulla.workflow.facts_kept import fork, kept, refuse_unknown, reopen
from sulla.workflow.form import read_duration
from sulla.workflow.machine import Playbook
from sulla.workflow.match import ChatTrigger, chat_triggers, matching
from sulla.workflow.office import (
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
from sulla.workflow.orders import Order, begun_with, play_of
from sulla.workflow.plan import Plan, build
from sulla.workflow.play_load import load_story
from sulla.workflow.play_log import Story
from sulla.workflow.play_node import PlayNode, create_playbook_graph
from sulla.workflow.play_steps import Shelf, StepHands, Successors
from sulla.workflow.project_book import PLANNER, planner_playbook, to_playbook
from sulla.workflow.project_desk import ProjectDesk, Runs, plan_in, project_of
from sulla.workflow.project_plan import PLAN_SCHEMA, ProjectPlan, Strategy, Task, in_order, plan_json
from sulla.workflow.project_read import read_plan
from sulla.workflow.project_states import ProjectState, TaskNow, state_of, states_of
from sulla.workflow.read_flow import Imported, import_flow
from sulla.workflow.rehearse_base import ModelCall, Rehearsed, Row, Setting
from sulla.workflow.rehearse_dry import DryRun, Way, dry_run
from sulla.workflow.schema import SCHEMA_FILE, playbook_schema
from sulla.workflow.scope_inputs import complete_inputs
from sulla.workflow.shelf import (
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
from sulla.workflow.thread_kind import PLAYBOOK_THREAD, chain_of
from sulla.workflow.tools import Starts, may_start, playbook_line, playbook_tools, told_started

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
