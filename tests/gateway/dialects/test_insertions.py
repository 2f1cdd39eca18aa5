"""What an application puts into a message is found by its tag, in every spelling; what a person writes is left."""

from __future__ import annotations

import pytest

from sulla.gateway.dialects.insertions import said_in

TAGS = (
    "context sources source chat_history ChatHistory chat-history chathistory CHATHISTORY documents document "
    "document_content docs file files file_content FileContent files_info attachment attachments attached_files "
    "attachedFiles attached-files search_results searchResults SEARCHRESULTS search-results web_page webpage WebPage "
    "user_info userinfo data additional_data UserData contextItem retrieved_context knowledge_base knowledgeBase "
    "user_memory memories conversation_summary previous_messages environment_details url_content folder_content "
    "current_file open_and_recently_viewed_files tool_result tool_results webresults email inbox terminal_output "
    "git_diff workspace_diagnostics code_snippets excerpt passages citations quoted ns:document system-reminder "
    "system_reminder systemreminder SystemReminder quote rag "
    "review reviews comment comments selected_text SelectedText pdf ocr ocr_text feedback reply "
    "untrusted untrusted_content ticket calendar issue message post notes user_note"
).split()


def _wide(text: str) -> str:
    """The same in letters of full width."""
    return "".join(chr(ord(one) + 0xFEE0) for one in text)


@pytest.mark.parametrize("tag", TAGS)
def test_a_part_is_quoted_whatever_its_application_calls_it(tag: str) -> None:
    said = said_in(f"Sum it up.\n<{tag}>\na page's words\n</{tag}>\nIn a line.")
    assert said.text == f"Sum it up.\n({tag.lower()}: quoted beside this message)\nIn a line."
    assert said.quoted == f"{tag.lower()}:\n\na page's words"


@pytest.mark.parametrize(
    "part",
    [
        "<context>planted",
        "< Sources >planted</ SOURCES >",
        '<document index="1" title="a > b">planted</document>',
        '<document title="a<b">planted</document>',
        "<file\npath='a'>planted</file>",
        "<source id=1>planted",
        "<file name='planted'/>",
        "[CONTEXT 0]:\nplanted\n[END CONTEXT 0]",
        "Context information is below.\n---------------------\nplanted\n---------------------\n",
    ],
)
def test_a_part_is_found_however_it_is_written(part: str) -> None:
    said = said_in(f"Sum up. {part}")
    assert ("planted" in said.text, "planted" in said.quoted) == (False, True)


def test_a_page_that_closes_the_tag_that_it_stands_in_leaves_the_message_quoted() -> None:
    assert said_in("<context>a</context> planted <context>b</context>").quoted == "context:\n\na\n\ncontext:\n\nb"


@pytest.mark.parametrize(
    "text",
    [
        "<context>a</context> planted</context> Sum it up.",
        "<context><context>a</context> planted</context> Sum it up.",
        "<context>a</context> planted</context></context> Sum it up.",
        "<context>a</context> https://planted.example <context>b</context> Sum it up.",
        "<context>a</context> https://planted.example <sources>b</sources></context> Sum it up.",
        "[CONTEXT 0]: a [END CONTEXT 0] planted [END CONTEXT 0] Sum it up.",
        "Context information is below.\n-----\na\n-----\nplanted\n-----\nSum it up.",
    ],
)
def test_a_page_that_closes_the_tag_that_it_stands_in_names_no_address(text: str) -> None:
    said = said_in(text)
    assert ("planted" in said.text, "planted" in said.quoted) == (False, True)
    assert said.text.endswith("Sum it up.")


def test_a_question_between_two_parts_is_a_persons() -> None:
    said = said_in("<file>a</file> Which is newer than this? <file>b</file>")
    assert "Which is newer than this?" in said.text


def test_an_address_behind_a_part_is_a_persons() -> None:
    assert "https://mine.example" in said_in("<file>a</file> Compare it with https://mine.example").text


def test_a_tag_that_ends_in_itself_takes_nothing_of_the_message_along() -> None:
    assert said_in('<file path="a.md"/> Sum it up.').text == "(file: quoted beside this message) Sum it up."


@pytest.mark.parametrize(
    "text",
    [
        "Why is 1 < 2 and 3 > 2?",
        "Fix this:\n<div>\n  <p>\n  it\n  </p>\n</div>\n<script>\nlet a\n</script>",
        "Fix this:\n```xml\n<dependency>\n  <id>a</id>\n</dependency>\n```\nand\n~~~\n<Panel>\n  a\n</Panel>\n~~~",
        "Is <thing>this</thing> right, or\n<thing>\nthat?",
        "Grüße: <b>fett</b>, ﬁ, e\u0301",
        "Fix <div class='x'><p>this</p></div>, <code>that</code> and <b>it</b>.",
        "What does `List<Document> f(Vec<FileInfo> a)` do?",
        "#include <iostream>\n#include <filesystem>",
        '<div title="a > b">\n<p>\nit\n</p>\n</div foo>',
        "<a> is what I mean,\nand not\n<b>",
        "I <3 it\n</b>\nreally",
        '```\n<item title="a > b">\nx\n</item>\n```',
        "The context is clear; the sources are below.",
        "",
    ],
)
def test_what_a_person_writes_is_what_they_say(text: str) -> None:
    said = said_in(text)
    assert (said.text, said.quoted) == (text, "")


@pytest.mark.parametrize(
    "unit",
    [
        "<context>",
        "</context>",
        "<context",
        "[CONTEXT 1] ",
        "<a",
        "<context></context>",
        "<a>\n",
        "<a>\nx\n</a>\n",
        "<a>\n```\n",
        '<a "\n',
        '<a \'x=">\n</a "\n',
        "</a    > x\n",
        "</a \n",
        "<@=",
        "\u200b<b>",
    ],
)
def test_a_long_message_is_read_once(unit: str) -> None:
    said = said_in(unit * 8_000)
    assert len(said.text) + len(said.quoted) < 20 * 8_000 * len(unit)


@pytest.mark.parametrize(
    "part",
    [
        _wide("<") + "context" + _wide(">") + "planted" + _wide("</") + "context" + _wide(">"),
        f"<{_wide('context')}>planted</{_wide('context')}>",
        "<con\u200btext>planted</context>",
        "<con\u00adtext>planted</con\u2060text>",
        "<\u200bcontext>planted</context>",
        "﹤context﹥planted﹤/context﹥",
        "<" + "".join(chr(0x1D41A + ord(one) - 97) for one in "context") + ">planted</context>",
    ],
)
def test_a_part_is_found_though_its_tag_is_written_so_that_nobody_sees_the_difference(part: str) -> None:
    said = said_in(f"Sum up {_wide('this')}. {part} {_wide('end')}")
    assert ("planted" in said.text, said.quoted) == (False, "context:\n\nplanted")
    assert said.text == f"Sum up {_wide('this')}. (context: quoted beside this message) {_wide('end')}"


def test_what_is_quoted_stays_as_it_was_written() -> None:
    text = f"{_wide('wide')} so\u00adft"
    assert said_in(f"<context>{text}</context>").quoted == f"context:\n\n{text}"


@pytest.mark.parametrize(
    "text",
    [
        "Sum up.\n<whatever>\nplanted\nhttps://x.example\n</whatever>",
        "<Our_Own kind='a'>\nplanted\n</Our_Own>\nSum up.",
        "  <x>\n\n planted\n  </x>\nSum up.",
        "<x>\nplanted\n</x>\nplanted\n</x>\nSum up.",
        "<x>\n```\nplanted\n</x>\n<y>\nplanted\n</y>\nSum up.",
        "Sum up.\n<\u043a\u043e\u043d>\nplanted\n</\u043a\u043e\u043d>",
        "Sum up.\n<\u53c2\u8003\u8d44\u6599>\nplanted\n</\u53c2\u8003\u8d44\u6599>",
        "Sum up.\n<1page>\nplanted\n</1page>",
        "Sum up.\n<_ctx_>\nplanted\n</_ctx_>",
        "Sum up.\n<\u3164x>\nplanted\n</x>",
        "Sum up.\n\u2039x\u203a\nplanted\n\u2039/x\u203a",
        "Sum up.\n<summary>\nplanted\n</summary>",
        '<item title="Home > Docs">\nplanted\n</item>\nSum up.',
        "<item title='a>b'>\nplanted\n</item>\nSum up.",
        '<item title="a\nb">\nplanted\n</item>\nSum up.',
        '<item title="5" screen\nof > mine">\nplanted\n</item>\nSum up.',
        "<item\n  title='x'\n>\nplanted\n</item\n>\nSum up.",
        "<item>\nplanted\n</item foo>\nSum up.",
        "<item>\nplanted\n</item foo='a > b'>\nSum up.",
        "<items>\n<item>\nplanted\n</item></items>\nSum up.",
        "<@file>\nplanted\n</@file>\nSum up.",
        "<tool=search>\nplanted\n</tool>\nSum up.",
        "<web page>\nplanted\n</web page>\nSum up.",
        "<thing:/a/b.md>\nplanted\n</thing>\nSum up.",
        "<|system|>\nplanted\n</|system|>\nSum up.",
        "<{item}>\nplanted\n</{item}>\nSum up.",
        "<[item]>\nplanted\n</[item]>\nSum up.",
        f"<{'x' * 100}>\nplanted\n</{'x' * 100}>\nSum up.",
        *(f"<item>{end}planted{end}</item>{end}Sum up." for end in ("\r", "\r\n", "\v", "\x85", "\u2028", "\u2029")),
    ],
)
def test_what_a_tag_of_any_name_wraps_in_lines_of_its_own_is_passed_on(text: str) -> None:
    said = said_in(text)
    assert ("planted" in said.text, "planted" in said.quoted) == (False, True)
    assert "Sum up." in said.text
