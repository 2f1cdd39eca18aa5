"""Reads a file of the home's folder `knowledge/` as sections."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.distribution import install_hint
from sulla.core.errors import Refused, SullaError
from sulla.knowledge.cutting import cut_markdown, cut_pages, cut_plain, placed_in
from sulla.knowledge.folder import FoundFile, read_bytes
from sulla.knowledge.index import IndexedSection, indexed
from sulla.knowledge.pdf_pages import LACKING, LOCKED
from sulla.knowledge.section import Cut, Section
from sulla.tools.builtin.converting import run_converter
from sulla.tools.builtin.files import decode
from sulla.tools.builtin.markdown import html_to_markdown

PDF_PAGES: Final = Path(__file__).with_name("pdf_pages.py")
"""Run, and only its figures imported: the daemon does not load a parser of PDF."""
PDF_S: Final = 40.0
"""For one PDF, in seconds."""
BLANK: Final = "[[fill in"
"""How a blank of a template begins, in small or large letters: no answer comes from a section with one."""
MOST_BLANKS: Final = 5
"""Of the lines of such sections, that are named."""


@dataclass(frozen=True, slots=True)
class KnowledgeFile:
    """A file as it was read."""

    found: FoundFile
    sections: tuple[IndexedSection, ...] = ()
    fault: str = ""
    """Why no answer comes from it; empty if one can."""
    remark: str = ""
    """What of it was left out; empty for nothing."""
    text_bytes: int = 0
    """What its text takes."""

    @property
    def path(self) -> str:
        """See `FoundFile.path`."""
        return self.found.path

    @property
    def cost_bytes(self) -> int:
        """What counts of it against the bound for all files."""
        return max(self.found.size_bytes, self.text_bytes)


async def read_knowledge(folder: Path, found: FoundFile, clock: Clock) -> KnowledgeFile:
    """Read a file and cut it into sections, beside the event loop. What is wrong with it is said in what is given.

    Args:
        folder: the home's.
        found: the file.
        clock: for deadlines.
    """
    try:
        raw = await asyncio.to_thread(read_bytes, folder, found)
        match found.kind:
            case "html":
                return await _html(found, raw, clock)
            case "pdf":
                return await _pdf(found, raw, clock)
            case _:
                return await asyncio.to_thread(_plain, found, raw)
    except SullaError as error:
        return KnowledgeFile(found, fault=f"cannot be read: {error.message}")


def _plain(found: FoundFile, raw: bytes) -> KnowledgeFile:
    text = _text(found, raw)
    return _made(found, [*(cut_markdown(text) if found.kind == "markdown" else cut_plain(text))])


async def _html(found: FoundFile, raw: bytes, clock: Clock) -> KnowledgeFile:
    page = await asyncio.to_thread(_text, found, raw)
    made = await html_to_markdown(page, "", clock)
    return await asyncio.to_thread(lambda: _made(found, [*placed_in(page, cut_markdown(made))]))


async def _pdf(found: FoundFile, raw: bytes, clock: Clock) -> KnowledgeFile:
    try:
        made = await run_converter(PDF_PAGES, "", raw, clock, PDF_S)
    except TimeoutError:
        raise Refused(f"{found.path!r} could not be read within {PDF_S:g} s: split it into smaller ones") from None
    if made.status == LACKING:
        raise Refused(f"{found.path!r} is a PDF, and what reads those is not installed: {install_hint('pdf')}")
    if made.status == LOCKED:
        raise Refused(f"{found.path!r} wants a password: save it without one")
    if made.status != 0:
        said = f"what reads it ended with status {made.status}"
        raise Refused(f"{found.path!r} could not be read as a PDF: {said}; save it anew, or as text")
    return await asyncio.to_thread(_pages, found, made.out)


def _pages(found: FoundFile, out: bytes) -> KnowledgeFile:
    told = json.loads(out)
    pages, count = [str(page).replace("\0", "") for page in told["pages"]], int(told["count"])
    remark = f"is read in part, the first {len(pages)} of its {count} pages: split it" if len(pages) < count else ""
    made = _made(found, [*cut_pages(pages)], remark)
    if not made.sections and not remark:
        said = "its pages may be pictures; save it with its text (OCR)"
        return KnowledgeFile(found, fault=f"holds no text that can be read: {said}")
    return made


def _text(found: FoundFile, raw: bytes) -> str:
    return decode(raw, found.path).replace("\r\n", "\n").replace("\r", "\n")


def _made(found: FoundFile, cuts: Sequence[Cut], remark: str = "") -> KnowledgeFile:
    if not cuts and not remark:
        return KnowledgeFile(found, fault="holds no text")
    blank = [cut for cut in cuts if _has_blank(cut)]
    if blank:
        lines = ", ".join(str(cut.line) for cut in blank[:MOST_BLANKS]) + (", …" if len(blank) > MOST_BLANKS else "")
        said = f"has blanks that nobody has filled in ({BLANK} …]]), in the sections at line {lines}: none is quoted"
        remark = f"{remark}; it {said}" if remark else said
        cuts = [cut for cut in cuts if not _has_blank(cut)]
    sections = tuple(indexed(Section(found.path, cut)) for cut in cuts)
    return KnowledgeFile(found, sections, "", remark, sum(len(cut.text.encode("utf-8", "replace")) for cut in cuts))


def _has_blank(cut: Cut) -> bool:
    return any(BLANK in text.casefold() for text in (cut.text, *cut.headings))
