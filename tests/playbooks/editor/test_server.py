"""The language server as an editor has it: the library's own client, over standard input and output."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

from tests.gateway.peer import PATIENCE_S
from tests.kits.in_turn import in_turn

pytestmark = in_turn(2)

TEXT = """name: tea
inputs: {leaf: string}
steps:
  - {id: kind, router: "🍵 What is ${{ inputs.leaf }}?", routes: {tea: tea, mate: mate}}
  - {id: keep, needs: [kind.tea], tool: write_file, with: {path: tea.md, content: "${{ steps.kind.output }}"}}
  - {id: ask, playbook: inner}
"""
INNER = "name: inner\nsteps: [{id: say, respond: hi}]\n"


class Client(LanguageClient):
    """The library's client, which sees how its server ends."""

    def __init__(self) -> None:
        super().__init__("editor", "1")
        self.ended: asyncio.Queue[tuple[int | None, bytes]] = asyncio.Queue()

    async def server_exit(self, server: asyncio.subprocess.Process) -> None:
        said = await server.stderr.read() if server.stderr is not None else b""
        self.ended.put_nowait((server.returncode, said))


class Editor:
    """An editor with one file open.

    Args:
        file: the playbook.
    """

    def __init__(self, file: Path) -> None:
        self.uri = file.as_uri()
        self.client = Client()
        self.told: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(self._heard())

    def _heard(self) -> Any:
        """A function: the library writes on what it is given."""

        def told(params: types.PublishDiagnosticsParams) -> None:
            self.told.put_nowait(params)

        return told

    async def open(self, text: str) -> None:
        document = types.TextDocumentItem(self.uri, "yaml", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))

    async def faults(self, number: int) -> list[tuple[int, int, str, Any]]:
        async with asyncio.timeout(PATIENCE_S):
            while (told := await self.told.get()).version != number:
                pass
        return [(one.range.start.line, one.range.start.character, one.message, one.code) for one in told.diagnostics]

    def at(self, text: str, word: str, behind: int = 0) -> dict[str, Any]:
        """A place, in the units of the protocol."""
        offset = text.index(word) + behind
        begins = text.rfind("\n", 0, offset) + 1
        units = len(text[begins:offset].encode("utf-16-le")) // 2
        position = types.Position(text.count("\n", 0, offset), units)
        return {"text_document": types.TextDocumentIdentifier(self.uri), "position": position}


@asynccontextmanager
async def edited(folder: Path) -> AsyncIterator[Editor]:
    editor = Editor(folder / "tea.yaml")
    environ = {**os.environ, "SULLA_HOME": str(folder / "home"), "SULLA_MODEL": "offline"}
    await editor.client.start_io(sys.executable, "-m", "sulla", "flow", "lsp", env=environ)
    try:
        async with asyncio.timeout(PATIENCE_S):
            wanted = types.InitializeParams(types.ClientCapabilities(), root_uri=folder.as_uri())
            await editor.client.initialize_async(wanted)
            editor.client.initialized(types.InitializedParams())
            yield editor
            await editor.client.shutdown_async(None)
        editor.client.exit(None)
    finally:
        await editor.client.stop()  # type: ignore[no-untyped-call]  # the library's


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "inner.yaml").write_text(INNER)
    return tmp_path


async def test_what_is_wrong_is_told_while_it_is_typed_with_its_place(folder: Path) -> None:
    async with edited(folder) as editor:
        await editor.open(TEXT)
        assert await editor.faults(1) == []
        broken = TEXT.replace("steps.kind.output", "steps.knd.output")
        document = types.VersionedTextDocumentIdentifier(2, editor.uri)
        whole = types.TextDocumentContentChangeWholeDocument(broken)
        editor.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))
        (fault,) = await editor.faults(2)
        line = broken.split("\n")[4]
        assert (fault[0], fault[1], fault[3]) == (4, line.index("steps.knd"), "unknown-step")
        assert "Did you mean 'kind'?" in fault[2]


async def test_an_editor_is_told_what_can_stand_there_what_it_is_and_where_it_stands(folder: Path) -> None:
    async with edited(folder) as editor:
        await editor.open(TEXT)
        await editor.faults(1)
        ask = editor.client

        found = await ask.text_document_completion_async(types.CompletionParams(**editor.at(TEXT, "write_file", 2)))
        assert isinstance(found, list)
        assert {"write_file", "read_file"} <= {item.label for item in found}

        said = await ask.text_document_hover_async(types.HoverParams(**editor.at(TEXT, "write_file", 2)))
        assert said is not None
        assert isinstance(said.contents, types.MarkupContent)
        assert "`content` *" in said.contents.value

        place = await ask.text_document_definition_async(types.DefinitionParams(**editor.at(TEXT, "kind.tea", 1)))
        assert isinstance(place, types.Location)
        assert (place.uri, place.range.start.line, place.range.start.character) == (editor.uri, 3, 9)

        other = await ask.text_document_definition_async(types.DefinitionParams(**editor.at(TEXT, "inner", 1)))
        assert isinstance(other, types.Location)
        assert other.uri == (folder / "inner.yaml").as_uri()


async def test_a_step_gets_another_name_everywhere(folder: Path) -> None:
    tests = "- name: kind\n  fixtures: {kind: tea, kind@1: mate, kinds: x, ask/kind: y}\n  expect: {path: [kind.tea]}\n"
    (folder / "tea.test.yaml").write_text(tests)
    async with edited(folder) as editor:
        await editor.open(TEXT)
        await editor.faults(1)
        edit = await editor.client.text_document_rename_async(
            types.RenameParams(new_name="sort", **editor.at(TEXT, "kind", 1))
        )
        assert edit is not None
        assert edit.changes is not None
        lines = TEXT.split("\n")
        for one in sorted(edit.changes[editor.uri], key=lambda one: -one.range.start.character):
            at = one.range.start.line
            raw = lines[at].encode("utf-16-le")
            start, end = 2 * one.range.start.character, 2 * one.range.end.character
            lines[at] = (raw[:start] + one.new_text.encode("utf-16-le") + raw[end:]).decode("utf-16-le")
        assert "\n".join(lines) == TEXT.replace("kind", "sort")
        (beside,) = [edits for uri, edits in edit.changes.items() if uri.endswith("tea.test.yaml")]
        assert [(one.range.start.line, one.range.start.character) for one in beside] == [(1, 13), (1, 24), (2, 18)]
        inputs = types.RenameParams(new_name="herb", **editor.at(TEXT, "inputs.leaf", 8))
        assert (await editor.client.text_document_rename_async(inputs)) is not None


@pytest.mark.parametrize(
    ("of", "new", "why"),
    [
        ("kind", "9 x", "'9 x' is no name: it takes letters"),
        ("kind", "keep", "there is a step 'keep' already"),
        ("inputs.leaf", "bud", "there is an input 'bud' already"),
    ],
)
async def test_a_name_that_is_none_or_is_taken_is_refused_with_the_reason(
    folder: Path, of: str, new: str, why: str
) -> None:
    text = TEXT.replace("{leaf: string}", "{leaf: string, bud: {default: x}}")
    async with edited(folder) as editor:
        await editor.open(text)
        await editor.faults(1)
        wanted = types.RenameParams(new_name=new, **editor.at(text, of, 1 if of == "kind" else 8))
        with pytest.raises(JsonRpcException, match=why) as refused:
            await editor.client.text_document_rename_async(wanted)
        assert refused.value.code == types.LSPErrorCodes.RequestFailed
        same = types.RenameParams(new_name="kind", **editor.at(text, "kind", 1))
        assert await editor.client.text_document_rename_async(same) is not None


async def test_an_orderly_exit_is_none_of_a_crash(folder: Path) -> None:
    async with edited(folder) as editor:
        await editor.open(TEXT)
        await editor.faults(1)
    async with asyncio.timeout(PATIENCE_S):
        assert await editor.client.ended.get() == (0, b"")


async def test_a_file_that_is_no_playbook_is_left_alone(folder: Path) -> None:
    async with edited(folder) as editor:
        await editor.open("services:\n  web: {image: nginx}\n")
        assert await editor.faults(1) == []
