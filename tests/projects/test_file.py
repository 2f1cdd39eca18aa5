"""A project's file is changed line by line, and nothing that is not understood is touched."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.core.errors import Conflict, InvalidInput, NotFound
from sulla.projects.file import (
    MOST_CHARS,
    MOST_TASKS,
    add_task,
    block_task,
    comment_task,
    complete_task,
    patch_section,
    read_project,
    section_of,
    set_field,
)

ROME = """---
title: Trip to Rome   # with the family
status: active
priority: p1
tags: [travel, 2026]
owner: 'Anna O''Hara'
---
# Rome

We want to see the Forum.

## Tasks

- [ ] Book the train
  > 2026-11-21 sulla: the night train is full
  - [ ] Compare prices
    - [x] Ask the station
- [x] Ask for days off
* [ ] Pay (blocked: the card has expired)

## Notes

```markdown
- [ ] this is code
## so is this
```

### Deeper

End.
"""


def test_what_a_file_says() -> None:
    project = read_project(ROME)
    assert (project.title, project.status, project.priority) == ("Trip to Rome", "active", "p1")
    assert project.fields["owner"] == "Anna O'Hara"
    assert project.fields["tags"] == "[travel, 2026]"
    assert [(task.text, task.done, task.blocked, task.depth) for task in project.tasks] == [
        ("Book the train", False, "", 0),
        ("Compare prices", False, "", 1),
        ("Ask the station", True, "", 2),
        ("Ask for days off", True, "", 0),
        ("Pay", False, "the card has expired", 0),
    ]
    assert [task.number for task in project.tasks] == [1, 2, 3, 4, 5]
    assert [task.text for task in project.open_tasks] == ["Book the train", "Compare prices"]
    assert project.headings == ("Tasks", "Notes")
    assert project.warnings == ()


def test_a_file_without_front_matter_is_called_like_its_first_heading() -> None:
    project = read_project("# Garden\n\n- [ ] Dig\n")
    assert (project.title, project.status, project.priority, len(project.tasks)) == ("Garden", "active", "p2", 1)


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("---\nstatus: doing\n---\n", "status: got 'doing', expected one of active, "),
        ("---\npriority: high\n---\n", "priority: got 'high', expected one of p0, "),
        ("---\ntitle: a\ntitle: b\n---\n", "line 3: a second 'title'; the first counts"),
        ("---\ntitle: a\n", "the front matter has no end"),
        ("---\ntitle: >-\n  Long\n  words\n---\n", "line 2: 'title' goes over several lines: expected it in one"),
        ("- [ ] x\n" * (MOST_TASKS + 1), f"only the first {MOST_TASKS} are known"),
    ],
)
def test_what_is_not_understood_is_said(text: str, warning: str) -> None:
    assert any(warning in said for said in read_project(text).warnings)


def test_a_value_of_several_lines_is_a_persons_own_and_no_title() -> None:
    project = read_project("---\ntitle: |\n  Long\nwhy: >\n  so\n---\n# Garden\n")
    assert (project.title, len(project.warnings), "why" in project.fields) == ("Garden", 1, False)


def test_too_long_a_file_is_refused() -> None:
    with pytest.raises(InvalidInput, match="expected at most"):
        read_project("x" * (MOST_CHARS + 1))


# ------------------------------------------------------------------------------------------------------------- changes


def changed(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines that are gone, and those that are new."""
    old, new = before.split("\n"), after.split("\n")
    return [line for line in old if line not in new], [line for line in new if line not in old]


def test_a_task_is_ticked_in_its_own_line() -> None:
    after = complete_task(ROME, "Compare prices")
    assert changed(ROME, after) == (["  - [ ] Compare prices"], ["  - [x] Compare prices"])


def test_a_task_that_is_done_stays_done() -> None:
    assert complete_task(ROME, "Ask for days off") == ROME


def test_a_blocked_task_that_is_done_is_blocked_no_more() -> None:
    after = complete_task(ROME, "pay")
    assert changed(ROME, after) == (["* [ ] Pay (blocked: the card has expired)"], ["* [x] Pay"])


def test_what_is_in_the_way_stands_behind_the_task_and_can_be_taken_away() -> None:
    after = block_task(ROME, "Book the train", "no money")
    assert changed(ROME, after)[1] == ["- [ ] Book the train (blocked: no money)"]
    assert block_task(after, "Book the train", "") == ROME
    with pytest.raises(Conflict, match="is done"):
        block_task(ROME, "Ask for days off", "x")


def test_a_task_goes_behind_the_last_one_of_its_list_with_all_that_is_part_of_it() -> None:
    after = add_task(ROME, "Pack")
    assert "* [ ] Pay (blocked: the card has expired)\n- [ ] Pack\n\n## Notes" in after
    within = add_task(ROME, "Find a seat", "Book the train")
    assert "    - [x] Ask the station\n  - [ ] Find a seat\n- [x] Ask" in within


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "## Tasks\n\n- [ ] Dig\n"),
        ("# Garden", "# Garden\n\n## Tasks\n\n- [ ] Dig\n"),
        ("# Garden\n\n", "# Garden\n\n## Tasks\n\n- [ ] Dig\n"),
        ("## Tasks\n", "## Tasks\n\n- [ ] Dig\n"),
        ("## tasks\n\nSoon.\n", "## tasks\n\n- [ ] Dig\n\nSoon.\n"),
        ("# G\r\n", "# G\r\n\r\n## Tasks\r\n\r\n- [ ] Dig\r\n"),
    ],
)
def test_the_list_is_made_where_there_is_none(before: str, after: str) -> None:
    assert add_task(before, "Dig") == after


def test_a_task_goes_behind_the_code_of_the_one_before_it() -> None:
    text = "## Tasks\n- [ ] a\n  ```\nnot indented\n  ```\nprose\n"
    assert add_task(text, "b") == text.replace("prose", "- [ ] b\nprose")


@pytest.mark.parametrize("text", ["```\n", "## Tasks\n- [ ] a\n  ```\n"])
def test_nothing_is_added_to_code_that_has_no_end(text: str) -> None:
    with pytest.raises(Conflict, match="not closed"):
        add_task(text, "b")


def test_there_is_one_open_task_of_the_same_words() -> None:
    with pytest.raises(Conflict, match="already"):
        add_task(ROME, "Book the train")
    assert len(read_project(add_task(ROME, "Ask for days off")).tasks) == 6


def test_a_remark_stands_below_the_others() -> None:
    after = comment_task(ROME, "Book", "sulla", "2026-11-22", "found\none")
    assert "is full\n  > 2026-11-22 sulla: found one\n  - [ ] Compare" in after


@pytest.mark.parametrize("wanted", ["", "Fly", "this is code"])
def test_a_task_that_is_not_there_is_not_found(wanted: str) -> None:
    with pytest.raises(NotFound, match="no task"):
        complete_task(ROME, wanted)


def test_a_beginning_that_fits_several_tasks_is_not_enough() -> None:
    with pytest.raises(Conflict, match="'Dig here', 'Dig there'"):
        complete_task("- [ ] Dig here\n- [ ] Dig there\n", "Dig")
    assert complete_task("- [ ] Dig\n- [ ] Dig there\n", "Dig") == "- [x] Dig\n- [ ] Dig there\n"


@pytest.mark.parametrize("words", ["", " ", "two\nlines", "x" * 501])
def test_a_task_is_one_line_with_something_in_it(words: str) -> None:
    with pytest.raises(InvalidInput, match="one line"):
        add_task(ROME, words)


def test_a_section_is_replaced_and_its_neighbours_stay() -> None:
    after = patch_section(ROME, "notes", "New.\n\n### Sub\n\nMore.")
    assert after == ROME[: ROME.index("```markdown")] + "New.\n\n### Sub\n\nMore.\n"
    assert section_of(after, "Notes") == "\nNew.\n\n### Sub\n\nMore.\n"
    assert patch_section(ROME, "Tasks", "None.").count("## Notes") == ROME.count("## Notes")


@pytest.mark.parametrize("body", ["## Other", "x\n# Top", "```\ncode"])
def test_a_section_cannot_swallow_the_rest(body: str) -> None:
    with pytest.raises(InvalidInput):
        patch_section(ROME, "Notes", body)


def test_a_section_that_is_not_there_is_told_with_the_nearest() -> None:
    with pytest.raises(NotFound, match="did you mean 'Notes'"):
        section_of(ROME, "Note")
    with pytest.raises(NotFound):
        section_of(ROME, "so is this")


def test_a_field_is_set_in_its_line_or_added() -> None:
    assert changed(ROME, set_field(ROME, "status", "done")) == (["status: active"], ["status: done"])
    assert changed(ROME, set_field(ROME, "last_activity_at", "2026-11-21T18:00:00Z"))[1] == [
        "last_activity_at: '2026-11-21T18:00:00Z'"
    ]
    assert set_field("# Garden\n", "status", "done") == "---\nstatus: done\n---\n# Garden\n"
    with pytest.raises(InvalidInput):
        set_field(ROME, "a b", "c")
    with pytest.raises(InvalidInput):
        set_field(ROME, "status", "a\nb: c")


# ---------------------------------------------------------------------------------------------------------- properties

LINES = st.sampled_from(
    [
        "---", "title: a", "status: done", "  nested: x", "# A", "## Tasks", "## B", "### C", "text", "", "```", "~~~~",
        "- [ ] one", "- [x] two", "  - [ ] three", "\t* [ ] four", "  > said", "- [ ]", "-[ ] no", "\x0b", "\u2028",
    ]
)  # fmt: skip
TEXTS = st.builds(
    lambda lines, newline, end: newline.join(lines) + end,
    st.lists(LINES),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\n"]),
)


def kept(before: str, after: str) -> bool:
    """Whether every line of `before` is still there, in its order."""
    rest = iter(after.splitlines())
    return all(any(line == other for other in rest) for line in before.splitlines())


@settings(max_examples=300)
@given(TEXTS)
def test_adding_keeps_every_line_and_adds_one_task(text: str) -> None:
    before = read_project(text)
    try:
        after = add_task(text, "something new")
    except Conflict:
        assert "```" in text or "~~~~" in text, "there is a place for it everywhere but inside code"
        return
    assert kept(text, after)
    grown = read_project(after)
    assert [task.text for task in grown.tasks].count("something new") == 1
    assert len(grown.tasks) == len(before.tasks) + 1


@settings(max_examples=300)
@given(TEXTS, st.data())
def test_ticking_changes_one_line_and_no_other_task(text: str, data: st.DataObject) -> None:
    tasks = [task for task in read_project(text).tasks if not task.done]
    if not tasks:
        return
    task = data.draw(st.sampled_from(tasks))
    if [one.text for one in tasks].count(task.text) > 1:
        with pytest.raises(Conflict):
            complete_task(text, task.text)
        return
    after = complete_task(text, task.text)
    was, now = text.split("\n"), after.split("\n")
    assert [index for index in range(len(was)) if was[index] != now[index]] == [task.line]
    assert [one.done for one in read_project(after).tasks] == [
        one.done or one.number == task.number for one in read_project(text).tasks
    ]


@settings(max_examples=300)
@given(TEXTS, st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=20))
def test_a_field_that_was_set_is_read_again(text: str, value: str) -> None:
    value = value.strip(" \t")
    after = set_field(text, "owner", value)
    assert kept(text, after)
    assert read_project(after).fields["owner"] == value
    assert set_field(after, "owner", value) == after
