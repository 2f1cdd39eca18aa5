"""The door to what agents can do."""

from sulla.tools.base import (
    AsksOf,
    Done,
    Effect,
    FilesOf,
    Reach,
    ReachOf,
    Result,
    Tool,
    ToolContext,
    ToolFunction,
    ToolSource,
    Waiting,
)
from sulla.tools.builtin import builtin_tools, clock_tools, file_tools
from sulla.tools.builtin.engines import Engine, brave, searxng
from sulla.tools.builtin.listing import listing_tools
from sulla.tools.builtin.notify import Notify, PersonNote, notify_tools
from sulla.tools.builtin.shell import shell_tools
from sulla.tools.builtin.web import web_tools
from sulla.tools.call import mend, run_call
from sulla.tools.define import define
from sulla.tools.nearest import did_you_mean
from sulla.tools.paths import inside, locate, open_file, open_folder
from sulla.tools.policy import (
    Allow,
    AskFirst,
    CallContext,
    Deny,
    Trust,
    Verdict,
    digest_of,
    judge,
    question_of,
    reach_of,
    target_of,
)
from sulla.tools.registry import Toolbox
from sulla.tools.schema import Bounds, validate
from sulla.tools.shell.jobs import ShellJobs, with_news
from sulla.tools.shell.process import LIMITS, REAPER, environment
from sulla.tools.shell.sandbox import Shell
from sulla.tools.web.browse import ToolCatalogue, catalogue_of, told_schema
from sulla.tools.web.fetch import Fetcher
from sulla.tools.web.urls import OwnHosts, parse_url, read_own_hosts
from sulla.tools.wrapping import approved, budgeted, filtered, prefixed

__all__ = [
    "LIMITS",
    "REAPER",
    "Allow",
    "AskFirst",
    "AsksOf",
    "Bounds",
    "CallContext",
    "Deny",
    "Done",
    "Effect",
    "Engine",
    "Fetcher",
    "FilesOf",
    "Notify",
    "OwnHosts",
    "PersonNote",
    "Reach",
    "ReachOf",
    "Result",
    "Shell",
    "ShellJobs",
    "Tool",
    "ToolCatalogue",
    "ToolContext",
    "ToolFunction",
    "ToolSource",
    "Toolbox",
    "Trust",
    "Verdict",
    "Waiting",
    "approved",
    "brave",
    "budgeted",
    "builtin_tools",
    "catalogue_of",
    "clock_tools",
    "define",
    "did_you_mean",
    "digest_of",
    "environment",
    "file_tools",
    "filtered",
    "inside",
    "judge",
    "listing_tools",
    "locate",
    "mend",
    "notify_tools",
    "open_file",
    "open_folder",
    "parse_url",
    "prefixed",
    "question_of",
    "reach_of",
    "read_own_hosts",
    "run_call",
    "searxng",
    "shell_tools",
    "target_of",
    "told_schema",
    "validate",
    "web_tools",
    "with_news",
]
