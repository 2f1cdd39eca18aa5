"""A language server for playbooks, over standard input and output: what a check knows, while they are written.

The library speaks the protocol and keeps the texts; what is told of them is worked out in `complete` and `words`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Protocol

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import TextDocument
from pygls.workspace.position_codec import ServerTextPosition, ServerTextRange

from sulla.core.distribution import DISTRIBUTION
from sulla.playbooks.editor.complete import complete
from sulla.playbooks.editor.words import (
    Named,
    Spot,
    named_at,
    spots_in_tests,
    spots_of,
    told_of,
    why_not_named,
    word_at,
)
from sulla.playbooks.file.check_fault import PlaybookFault
from sulla.playbooks.file.check_known import KnownNames
from sulla.playbooks.files import tests_beside

SOURCE: Final = "sulla"
_KINDS: Final = {
    "key": types.CompletionItemKind.Property,
    "value": types.CompletionItemKind.Value,
    "step": types.CompletionItemKind.Reference,
    "field": types.CompletionItemKind.Field,
    "filter": types.CompletionItemKind.Function,
}
_SEVERITIES: Final = {"error": types.DiagnosticSeverity.Error, "warning": types.DiagnosticSeverity.Warning}


class _Asked(Protocol):
    """A question about a place."""

    @property
    def text_document(self) -> types.TextDocumentIdentifier: ...

    @property
    def position(self) -> types.Position: ...


class PlaybookShelf(Protocol):
    """What there is beside a file that is written."""

    def look(self) -> None:
        """See what has changed in the home."""

    def check(self, file: Path, text: str) -> Iterable[PlaybookFault]:
        """What is wrong with a text that is, or will be, in a file."""

    def known(self, file: Path, text: str) -> KnownNames:
        """What the names in it are held against."""

    def file_of(self, playbook: str, beside: Path) -> Path | None:
        """The file of a playbook that one names; None if there is none."""


class PlaybookServer:
    """The server. It lives as long as its editor keeps it.

    Args:
        shelf: what there is beside a file.
    """

    def __init__(self, shelf: PlaybookShelf) -> None:
        self._shelf = shelf
        self._server = server = LanguageServer("sulla-playbooks", version(DISTRIBUTION))
        marks = [" ", ".", "|", ":", "{"]
        does: tuple[tuple[str, Callable[[Any], object], object], ...] = (
            (types.TEXT_DOCUMENT_DID_OPEN, self._opened, None),
            (types.TEXT_DOCUMENT_DID_CHANGE, self._changed, None),
            (types.TEXT_DOCUMENT_DID_SAVE, self._saved, None),
            (types.TEXT_DOCUMENT_DID_CLOSE, self._closed, None),
            (types.TEXT_DOCUMENT_COMPLETION, self._complete, types.CompletionOptions(trigger_characters=marks)),
            (types.TEXT_DOCUMENT_HOVER, self._hover, None),
            (types.TEXT_DOCUMENT_DEFINITION, self._define, None),
            (types.TEXT_DOCUMENT_REFERENCES, self._refer, None),
            (types.TEXT_DOCUMENT_PREPARE_RENAME, self._prepare, None),
            (types.TEXT_DOCUMENT_RENAME, self._rename, types.RenameOptions(prepare_provider=True)),
        )
        for name, do, options in does:
            server.feature(name, options)(_function(do))

    def serve(self) -> None:
        """Serve one editor until it leaves: over handles of its own, which the library closes, as the process needs
        its standard output to its end.
        """
        with os.fdopen(os.dup(0), "rb") as reads, os.fdopen(os.dup(1), "wb") as writes:
            self._server.start_io(reads, writes)

    # ----------------------------------------------------------------------------------------------------------- faults

    def _opened(self, params: types.DidOpenTextDocumentParams) -> None:
        self._shelf.look()
        self._check(params.text_document.uri)

    def _changed(self, params: types.DidChangeTextDocumentParams) -> None:
        self._check(params.text_document.uri)

    def _saved(self, params: types.DidSaveTextDocumentParams) -> None:
        """What one file says may be wrong with the others."""
        self._shelf.look()
        for uri in list(self._server.workspace.text_documents):
            self._check(uri)

    def _closed(self, params: types.DidCloseTextDocumentParams) -> None:
        self._tell(params.text_document.uri, None, [])

    def _check(self, uri: str) -> None:
        document = self._server.workspace.get_text_document(uri)
        faults = self._shelf.check(_file(document), document.source)
        told = [
            types.Diagnostic(
                _range(document, _marked(document, fault)), fault.message, _SEVERITIES[fault.severity], fault.rule,
                source=SOURCE,
            )
            for fault in faults
        ]  # fmt: skip
        self._tell(uri, document.version, told)

    def _tell(self, uri: str, number: int | None, told: list[types.Diagnostic]) -> None:
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, told, number))

    # -------------------------------------------------------------------------------------------------------- questions

    def _complete(self, params: types.CompletionParams) -> list[types.CompletionItem]:
        document, line, column = self._at(params)
        known = self._shelf.known(_file(document), document.source)
        found = complete(document.source, line, column, known)
        return [
            types.CompletionItem(one.word, kind=_KINDS[one.kind], documentation=one.about or None)
            for one in dict.fromkeys(found)
        ]

    def _hover(self, params: types.HoverParams) -> types.Hover | None:
        document, named = self._named(params)
        if named is None:
            return None
        said = told_of(document.source, named, self._shelf.known(_file(document), document.source))
        value = types.MarkupContent(types.MarkupKind.Markdown, said)
        return types.Hover(value, _range(document, named.spot)) if said else None

    def _define(self, params: types.DefinitionParams) -> types.Location | None:
        document, named = self._named(params)
        if named is None:
            return None
        if named.what == "playbook":
            file = self._shelf.file_of(named.name, _file(document))
            uri = from_fs_path(str(file.resolve())) if file is not None else None
            return types.Location(uri, _range(document, Spot(1, 1, 0))) if uri is not None else None
        spots = spots_of(document.source, named.what, named.name)
        return types.Location(document.uri, _range(document, spots[0])) if spots else None

    def _refer(self, params: types.ReferenceParams) -> list[types.Location]:
        document, named = self._named(params)
        spots = spots_of(document.source, named.what, named.name) if named is not None else []
        return [types.Location(document.uri, _range(document, spot)) for spot in spots]

    def _prepare(self, params: types.PrepareRenameParams) -> types.Range | None:
        document, named = self._named(params)
        is_own = named is not None and bool(spots_of(document.source, named.what, named.name))
        return _range(document, named.spot) if named is not None and is_own else None

    def _rename(self, params: types.RenameParams) -> types.WorkspaceEdit | None:
        document, named = self._named(params)
        if named is None:
            return None
        if why := why_not_named(document.source, named, params.new_name):
            raise JsonRpcException(why, types.LSPErrorCodes.RequestFailed)
        spots = spots_of(document.source, named.what, named.name)
        changes = {document.uri: [types.TextEdit(_range(document, spot), params.new_name) for spot in spots]}
        if spots and (tests := tests_beside(_file(document))) is not None:
            beside = self._server.workspace.get_text_document(from_fs_path(str(tests)) or "")
            changes[beside.uri] = [
                types.TextEdit(_range(beside, spot), params.new_name)
                for spot in spots_in_tests(beside.source, named.what, named.name)
            ]
        return types.WorkspaceEdit(changes=changes) if spots else None

    def _named(self, params: _Asked) -> tuple[TextDocument, Named | None]:
        document, line, column = self._at(params)
        return document, named_at(document.source, line, column)

    def _at(self, params: _Asked) -> tuple[TextDocument, int, int]:
        document = self._server.workspace.get_text_document(params.text_document.uri)
        at = document.position_from_client_units(params.position)
        return document, at.line + 1, at.character + 1


def _function(do: Callable[[Any], object]) -> Callable[[Any], object]:
    """The same as a function: the library writes on what it is given, and on methods nobody can."""

    def asked(params: Any) -> object:  # noqa: ANN401  - whatever the protocol has there
        return do(params)

    return asked


def _file(document: TextDocument) -> Path:
    return Path(to_fs_path(document.uri) or "playbook.yaml")


def _marked(document: TextDocument, fault: PlaybookFault) -> Spot:
    """What a fault is about: the word there, else one character."""
    found = word_at(document.source, fault.line, fault.column + 1)
    return found[1] if found is not None and found[1].column == fault.column else Spot(fault.line, fault.column, 1)


def _range(document: TextDocument, spot: Spot) -> types.Range:
    start = ServerTextPosition(spot.line - 1, spot.column - 1)
    end = ServerTextPosition(spot.line - 1, spot.column - 1 + spot.length)
    return document.range_to_client_units(ServerTextRange(start, end))
