"""Over which borders words cross, and whose words they are on the other side: one table for all capabilities. Pure.

`docs/safety.md` shows it, and `tests/attacks/test_borders.py` walks it: a tool, a record, an event, a section of the
prompt or a stored form by which words cross, and which stands in no row, is a failure there. A package's capability
has no row: what it does not say of its words itself is from outside (`core.words`).
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, cast

Whose = Literal["operator", "person", "caller", "kept", "files", "outside"]
"""Whose words they are where they arrive. `operator`, `person`, `outside`: as in `core.words.Author`. `caller`: those
of the conversation that they come from, trusted as far as it is. `kept`: as was written down beside them. `files`:
trusted, unless what was read is marked as left by a run that had read text from outside."""


class Border(NamedTuple):
    """Words that cross from one place into another. One value for each, for as long as the process lives."""

    of: str
    """The folder below `sulla/` that carries them."""
    words: str
    into: str
    """Where they are read then."""
    whose: Whose
    by: tuple[str, ...]
    """What they cross as: names of tools, kinds of records, types of events, sections of the prompt (``section:…``),
    and stored classes (``form:…``)."""
    places: tuple[str, ...]
    """Of `tests/attacks/scenarios`, that try it."""


_TABLE: Final = """
agent | a message, and what it quotes | the conversation | kept
    INPUT form:Birth / quoted from-model
agent | what the look at a message found | the conversation | kept
    INPUT_HANDLED
agent | the result of a call, also where it is the reply | the conversation | kept
    TOOL_CALL_RESULT TEXT_MESSAGE_END / tool-result
agent | what a person looks at | the prompt of a turn | outside
    RUN_STARTED / screen-text
agent | who else is at work, how jobs ended | the prompt of a turn | caller
    RUN_STARTED
agent | the task of a sub-agent | its conversation | caller
    THREAD_CREATED
agent | what a sub-agent reports | the one that asked | kept
    ANSWER form:Report form:OwedAnswer spawn_sub_agent wait_sub_agents poll_sub_agent cancel_sub_agent /
    sub-agent
agent | questions | people, without pictures | outside
tools | pages, search results | the conversation | outside
    http web_fetch web_search / page search-result
browser | what pages say, once their scripts have run | the conversation | outside
    browser_navigate browser_read browser_click browser_type
browser | pictures of pages | the workspace | files
    browser_screenshot
tools | what commands print | the conversation | files
    bash bash_job / command-output
tools | files, folders and their names | the conversation | files
    read_file list_dir search_files write_file edit_file / file file-name folder-name file-found
changes | what commands have changed | people, without pictures | outside
tools | the time, what there is to work with | the conversation | operator
    get_time_date list_tools_available list_subagents_available list_intents_available
memory | facts and episodes that are looked for | the conversation | kept
    recall forget form:MemoryNote form:Statement form:ReadPosition / memory-note memory-episode
memory | trusted facts and episodes | the prompt of a first turn | caller
    RUN_STARTED
memory | a fact | the memory | caller
    remember
knowledge | what the owner has written down | the conversation | files
    grounded_lookup / knowledge-copy
skills | names and descriptions, once allowed | the system prompt | operator
    section:skills / skill-name skill-description
skills | texts and files, once allowed | the conversation | operator
    load_skill / skill-text
handoffs | whom an agent works for | the system prompt | operator
    section:supervisor
flows | what branches and tasks of a flow come to | the turn that has them work | kept
    run_branches delegate_tasks / sub-agent
intents | texts and arguments that a phrase leads to | the conversation | operator
routes | what a route's file and its style say of a reply | the system prompt | operator
    section:route section:style
procedures | a step, and what the person has named in it | the system prompt | caller
    section:procedure
projects | projects | the conversation | files
    list_projects read_project add_project_task block_project_task comment_project_task complete_project_task
    patch_project_section / project-task
people | notices | people, briefings of beats | caller
    notify_user NOTICE form:NoticeKept
mcp | results of servers | the conversation | outside
    / mcp-result
mcp | tools' names and descriptions, as their owner took them in | prompts | operator
    / mcp-description
playbooks | the owner's playbooks | the prompt | operator
    list_playbooks section:playbooks
playbooks | what a playbook is started with | its run | caller
    run_playbook plan_project work_on_project form:RunOrder / playbook-input
playbooks | what webhooks say | a playbook's run | outside
    / webhook
playbooks | what a turn came to | a playbook's run | caller
    run.finished run.blocked run.failed run.waiting playbook.failed / event
playbooks | what calls and answers came to | the next steps of a run | kept
    PLAYBOOK
playbooks | what a run came to | the conversation | caller
    PLAYBOOK_ENDED INPUT
heartbeat | what a cycle found | later cycles and beats | kept
    set_focus CYCLE_ENDED form:BeatState / beat-briefing
heartbeat | what a beat came to | a playbook's run | kept
    BEAT_ENDED heartbeat.ended / beat-summary
schedules | what a schedule says | the conversation | kept
    form:MessageAction / schedule
schedules | reminders, and what came of a schedule | people | kept
    form:ReminderAction
schedules | what agents have made of them | the conversation | kept
    remind_user schedule_task list_schedules cancel_schedule
speech | what a person says aloud | the conversation | person
channels | what people write, forward and send there | the conversation | kept
channels | answers, notices and questions | people, in chat services and by mail | caller
notify | notices, questions and failures | mail, chat services, push | caller
console | all that clients are shown | people, in a browser | caller
finding | what fits of conversations, notes and projects | people | caller
live | what goes on, and what is asked there | people | caller
journal | logs and examples | people | caller
safety | why a conversation is mistrusted | people | caller
gateway | what clients tell again, or of pages | the conversation | outside
    INPUT / v1-retold v1-sources v1-system agui-retold agui-context
"""


def _border(row: str) -> Border:
    head, _, ways = row.partition("\n")
    of, words, into, whose = head.split(" | ")
    by, _, places = ways.partition("/")
    return Border(of, words, into, cast("Whose", whose), tuple(by.split()), tuple(places.split()))


BORDERS: Final = tuple(map(_border, re.split(r"\n(?! )", _TABLE.strip())))
"""The rows, each with its carrier; what crosses in several ways has several."""
