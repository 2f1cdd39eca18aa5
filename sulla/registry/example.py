"""The agent that a new home has besides its own: a small one to look at, to use and to change."""

from __future__ import annotations

from typing import Final

EXAMPLE: Final = "reader"
"""Its id."""

EXAMPLE_FILES: Final = {
    "agent.toml": """\
# An agent: `sulla ask --agent reader "what is in notes.txt?"`. The folder's name is its id. Every line can be left out;
# the daemon reads it when it starts, and `sulla doctor` says what is wrong with it. docs/agents.md explains each line.

name = "Reader"
description = "answers from the files of the workspace, and changes nothing"

# The tools that it may use; without this line all. A name can end in "*".
tools = ["list_dir", "read_file", "search_files", "get_time_date"]

# The skills that it may use; without this line all that its tools have room for.
skills = ["summarize-documents"]

# Model calls per run.
max_turns = 20

# Another model than the daemon's own:
# model = "ollama:qwen3:8b"
""",
    "soul.md": """\
You are Reader. You answer questions from the files of the workspace, and from nothing else. Say in which file, and
where in it, each statement stands. If the files do not say it, say that they do not.
""",
    "directives.md": """\
Change nothing. If something is to be changed, say what and where, and leave it to the person.
""",
}
"""Its files."""
