"""Each kind of file is read as sections; what cannot be read says why and what to do."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfWriter

from sulla.core.clock import Clock
from sulla.host.system import SystemClock
from sulla.knowledge import reading as module
from sulla.knowledge.folder import look
from sulla.knowledge.pdf_pages import MAX_PAGES, pages_of
from sulla.knowledge.reading import KnowledgeFile, read_knowledge
from sulla.tools.builtin.converting import Converted
from tests.knowledge.pdfs import pdf
from tests.knowledge.shelves import RETURNS, put, shelf_of


async def read(home: Path, name: str, text: str | bytes = RETURNS) -> KnowledgeFile:
    put(home, name, text)
    (found,) = look(home / "knowledge").files
    return await read_knowledge(home / "knowledge", found, SystemClock())


def told(file: KnowledgeFile) -> list[tuple[str, str]]:
    return [(one.section.citation, one.section.cut.text) for one in file.sections]


async def test_markdown(tmp_path: Path) -> None:
    assert told(await read(tmp_path, "a/returns.md")) == [
        ("a/returns.md, Returns, line 3", "Goods may be sent back within 30 days."),
        ("a/returns.md, Returns > Refunds, line 7", "Refunds go to the card."),
    ]


async def test_text_has_no_headings_and_any_line_ends(tmp_path: Path) -> None:
    file = await read(tmp_path, "a.txt", "\ufeff\r\n# not a heading\r\nwords\rmore".encode())
    assert told(file) == [("a.txt, line 2", "# not a heading\nwords\nmore")]


async def test_html_is_cited_by_the_lines_of_the_page(tmp_path: Path) -> None:
    page = "<html><script>x</script>\n<body>\n<h1>Returns</h1><p>Within <b>30</b> days.\n\n<h2>Refunds</h2>\n<p>Card."
    assert told(await read(tmp_path, "a.html", page)) == [
        ("a.html, Returns, line 3", "Within **30** days."),
        ("a.html, Returns > Refunds, line 5", "Card."),
    ]


async def test_a_pdf_is_cited_by_its_pages(tmp_path: Path) -> None:
    file = await read(tmp_path, "a.pdf", pdf(["First page\nsecond line", "", "Third page"]))
    assert told(file) == [("a.pdf, page 1, line 1", "First page\nsecond line"), ("a.pdf, page 3, line 1", "Third page")]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.md", b"\xff\xfe caf\xe9", "cannot be read: 'a.md' is not text in UTF-8 (byte 0xff at offset 0 of 7)"),
        ("a.txt", b"a\0b", "cannot be read: 'a.txt' is a binary file (3 bytes), not text"),
        ("a.md", b"# only a heading\n", "holds no text"),
        ("a.pdf", b"no pdf at all", "cannot be read: 'a.pdf' could not be read as a PDF"),
        ("a.pdf", pdf([""]), "holds no text that can be read: its pages may be pictures"),
    ],
)
async def test_what_cannot_be_read_says_why(tmp_path: Path, name: str, text: bytes, said: str) -> None:
    file = await read(tmp_path, name, text)
    assert file.fault.startswith(said)
    assert file.sections == ()


async def test_a_pdf_behind_a_password_is_told(tmp_path: Path) -> None:
    writer, raw = PdfWriter(BytesIO(pdf(["secret"]))), BytesIO()
    writer.encrypt("open sesame", algorithm="RC4-128")
    writer.write(raw)
    assert (
        await read(tmp_path, "a.pdf", raw.getvalue())
    ).fault == "cannot be read: 'a.pdf' wants a password: save it without one"


async def test_without_the_extra_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "lacking.py"
    text = module.PDF_PAGES.read_text()
    script.write_text(text.replace("import sys\n", "import sys\nsys.modules['pypdf'] = None\n", 1))
    monkeypatch.setattr(module, "PDF_PAGES", script)
    file = await read(tmp_path, "a.pdf", pdf(["x"]))
    assert file.fault == (
        "cannot be read: 'a.pdf' is a PDF, and what reads those is not installed: pip install 'sulla-agent[pdf]'"
    )


async def test_a_pdf_that_takes_too_long_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def late(*given: object) -> Converted:
        raise TimeoutError

    monkeypatch.setattr(module, "run_converter", late)
    assert "could not be read within 40 s" in (await read(tmp_path, "a.pdf", pdf(["x"]))).fault


async def test_pages_that_are_left_out_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def some(path: Path, argument: str, raw: bytes, clock: Clock, time_s: float) -> Converted:
        return Converted(0, b'{"pages": ["one"], "count": 7}')

    monkeypatch.setattr(module, "run_converter", some)
    file = await read(tmp_path, "a.pdf", pdf(["x"]))
    assert (file.fault, file.remark) == ("", "is read in part, the first 1 of its 7 pages: split it")


def test_no_more_pages_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sulla.knowledge.pdf_pages.MAX_PAGES", 2)
    assert pages_of(pdf(["a", "b", "c"])) == {"pages": ["a\n", "b\n"], "count": 3}
    monkeypatch.setattr("sulla.knowledge.pdf_pages.MAX_PAGES", MAX_PAGES)
    monkeypatch.setattr("sulla.knowledge.pdf_pages.MAX_OUT_BYTES", 3)
    assert pages_of(pdf(["a", "b", "c"])) == {"pages": ["a\n"], "count": 3}


async def test_no_answer_comes_from_a_section_with_a_blank_in_it(tmp_path: Path) -> None:
    put(tmp_path, "help.md", "# Help\n\nRing us.\n\n## Number\n\n[[Fill in: number]]\n\n## [[fill in]]\n\nx\n")
    shelved = await shelf_of(tmp_path).read()
    assert [one.section.cut.text for file in shelved.files for one in file.sections] == ["Ring us."]
    (left_out,) = shelved.left_out
    assert left_out.why.startswith(
        "has blanks that nobody has filled in ([[fill in …]]), in the sections at line 7, 11"
    )
