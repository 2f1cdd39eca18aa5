"""The tool that answers out of the knowledge of a home."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Final

from sulla.core.jsontypes import JsonObject
from sulla.core.words import Words, ours
from sulla.knowledge.answer import nothing_found, quoted
from sulla.knowledge.folder import KINDS, KNOWLEDGE
from sulla.knowledge.index import Passage
from sulla.knowledge.origins import KnowledgeOrigins
from sulla.knowledge.shelf import KnowledgeShelf, Shelved
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define, giving, rows
from sulla.tools.schema import Bounds

GROUNDED_LOOKUP: Final = "grounded_lookup"
"""The name of the tool."""
READ_S: Final = 50.0
"""How long a question waits until what has changed is read, in seconds; more than any one file takes."""
QUESTION_CHARS: Final = 2_000
NO_KNOWLEDGE: Final = (
    f"the home has no folder `{KNOWLEDGE}` with something to read in it: put files there that end in {', '.join(KINDS)}"
)
"""What a home without knowledge lacks."""
_PASSAGES: Final = rows(
    "the passages, the best first; `headings` are what each stands under, `page` is 0 but for PDF",
    file="string",
    headings="array",
    page="integer",
    line="integer",
    text="string",
)


def knowledge_tool(shelf: KnowledgeShelf, origins: KnowledgeOrigins, most: int, *, return_direct: bool = False) -> Tool:
    """The tool `grounded_lookup`.

    Args:
        shelf: the home's knowledge.
        origins: says whose words it is.
        most: passages that it quotes at the most.
        return_direct: whether its result ends the reply and is shown to the person as it stands. It can be: it holds
            the passages and where they stand, and nothing else; where nothing was found it is an error, so a model
            still says that. `dataclasses.replace(tool, return_direct=…)` makes the other kind of either.
    """
    functions = _KnowledgeTools(shelf, origins, most)
    tool = define(
        functions.grounded_lookup, effect="pure", reach="inward", files="told", category="knowledge", timeout_s=60.0
    )
    return replace(giving(tool, passages=_PASSAGES), return_direct=return_direct)


class _KnowledgeTools:
    """The function behind the tool."""

    def __init__(self, shelf: KnowledgeShelf, origins: KnowledgeOrigins, most: int) -> None:
        self._shelf = shelf
        self._origins = origins
        self._most = most

    async def grounded_lookup(
        self, context: ToolContext, *, question: Annotated[str, Bounds(1, QUESTION_CHARS)]
    ) -> Result:
        """Look a question up in what the owner of this home has written down, and get the passages that answer it word
        for word, each with the file, heading and line where it stands. Say nothing as a fact of theirs that does not
        stand there. Where nothing answers it, you are told so.

        Args:
            question: The question, with all words that matter, understandable without the conversation.
        """
        try:
            async with context.clock.timeout(READ_S):
                shelved = await self._shelf.read()
        except TimeoutError:
            said = f"not all of it could be read within {READ_S:g} s; what was is kept, so ask again"
            return Done(ours(f"The knowledge of this home is still being read: {said}."), is_error=True, passing=True)
        found = await asyncio.to_thread(shelved.index.search, question, self._most)
        if not found:
            return await asyncio.to_thread(self._nothing, question, shelved)
        named = {one.section.file for one in found}
        files = [file.found for file in shelved.files if file.path in named]
        words = Words(quoted(found), await asyncio.to_thread(self._origins.author_of, files))
        return Done(words, origin="file", data=_values(found, words.text) if context.whole_bytes else None)

    def _nothing(self, question: str, shelved: Shelved) -> Done:
        files = [file.found for file in shelved.files]
        outside = self._origins.names_outside([file.path for file in files])
        named = [file.path for file in files if file.path not in outside]
        unread = {one.path for one in shelved.left_out}.difference(files)
        said = nothing_found(question, named, len(files) - len(named), len(unread))
        return Done(ours(said), is_error=True, refused=True)


def _values(found: Sequence[Passage], text: str) -> JsonObject:
    return {"passages": [one.section.row for one in found], "text": text}
