"""What people's words mean while a question is open."""

from __future__ import annotations

from dataclasses import replace

from sulla.channels.machine import asking, replying
from sulla.channels.machine.people import Person
from sulla.core.ids import CallId
from sulla.threads.log.waits import Wait

WAIT = Wait("approval:x", CallId("c"), "May I?", tool="post", target="host:a")


def test_a_word_that_is_no_choice_is_called_that_and_told_how_to_choose() -> None:
    ann, rita = Person("ann"), Person("rita", ("read", "write"))
    question = asking.question_of(WAIT, "p", "t", "secret", 3)
    open_, token = {question.id: question}, question.choices[0].token
    assert replying.picked(open_, token, "p", ann, buttons=True) == asking.Answered(question, question.choices[0])
    pressing, saying = (replying.picked(open_, "Allow\nit", "p", ann, buttons=buttons) for buttons in (True, False))
    assert pressing == f"'Allow it' is no choice of what is asked here now. {replying.PRESS}"
    assert saying == f"'Allow it' is no choice of what is asked here now. {replying.SAY}"
    for word, number in (("allow", 0), ("Refuse.", 1), ("3", 2)):
        assert replying.picked(open_, word, "p", ann, buttons=True) == asking.Answered(
            question, question.choices[number]
        )
    twice = open_ | {"again": replace(question, id="again")}
    told = replying.picked(twice, "Allow", "p", ann, buttons=True)
    assert told == f"'Allow' is more than one choice of what is asked here now. {replying.PRESS}"
    assert replying.picked(open_, token, "q", ann, buttons=True) == asking.NOTHING
    assert replying.picked(open_, "Allow", "p", rita, buttons=True) == asking.NOT_YOURS
    assert replying.picked(open_, token, "p", rita, buttons=True) == asking.NOT_YOURS
    words = asking.question_of(Wait("answer:y", CallId("c"), "How many?"), "p", "t", "secret", 3)
    told = replying.picked({words.id: words}, "seven", "p", ann, buttons=True)
    assert told == "'seven' is no choice of what is asked here now. Reply to the question with your answer."


def test_a_reply_that_says_nothing_else_chooses_by_number_or_label() -> None:
    ann, rita = Person("ann"), Person("rita", ("read", "write"))
    question = replace(asking.question_of(WAIT, "p", "t", "secret", 0), ref="r")
    open_ = {question.id: question}
    allow, _, always = question.choices
    good = (("1", allow), (" Allow ", allow), ("ALLOW\n", allow), ("3", always), ("always  allow", always))
    for said, choice in good:
        assert replying.replied(open_, said, "r", "p", ann) == asking.Answered(question, choice), said
    for said in ("tak", "0", "4", "01", "1 2", "1, please", "Allow?", "I do not allow", "", "-1", "yes, but", "always"):
        assert replying.replied(open_, said, "r", "p", ann) == "", said
    assert replying.replied(open_, "1", "r", "p", rita) == asking.NOT_YOURS
    assert replying.replied(open_, "tell me more", "r", "p", rita) == ""
    for reply_to, place in (("other", "p"), ("r", "q"), ("", "p")):
        assert replying.replied(open_, "1", reply_to, place, ann) == ""
    unsent = replace(question, ref="")
    assert replying.replied({unsent.id: unsent}, "1", "", "p", ann) == ""


def test_where_a_choice_is_a_number_it_is_meant_by_that_and_by_no_other() -> None:
    wait = Wait("answer:x", CallId("c"), "How many?", choices=("3", "2", "many", "Many"))
    question = replace(asking.question_of(wait, "p", "t", "secret", 0), ref="r")
    open_ = {question.id: question}
    assert replying.replied(open_, "2", "r", "p", Person("ann")) == asking.Answered(question, question.choices[1])
    for said in ("1", "4", "many"):
        assert replying.replied(open_, said, "r", "p", Person("ann")) == "", said
    assert "- 3: " in asking.shown_of(question, button_chars=0).exact[1]
    assert "the number" not in asking.shown_of(question, button_chars=0).text
    for label in ("1)", "1\ufe0f\u20e3", "**1**"):
        wait = Wait("answer:x", CallId("c"), "How many?", choices=("two", label))
        question = asking.question_of(wait, "p", "t", "secret", 3)
        assert replying.meant(question, "1") == replying.meant(question, label) == [question.choices[1]], label
    named = asking.question_of(WAIT, "p", "t", "secret", 0)
    assert "2. Refuse: /pick" in asking.shown_of(named, button_chars=0).exact[1]


def test_a_plain_yes_or_no_to_a_call_is_one_in_many_languages_and_never_more() -> None:
    question = asking.question_of(WAIT, "p", "t", "secret", 3)
    allow, refuse, _ = question.choices
    for choice, every in (
        (allow, "yes Yes. OK Ja! oui S\u00ed sim \u0434\u0430 \u597d \u662f\u3002".split()),
        (refuse, "no No. Nein non n\u00e3o nee nej nie \u043d\u0435\u0442 \u4e0d".split()),
    ):
        for said in every:
            assert replying.meant(question, said) == [choice], said
    japanese, hands = ("\u306f\u3044", "\u3044\u3044\u3048\u3002"), ("\U0001f44d", "\U0001f44e\U0001f3fd")
    for choice, more in (
        (
            allow,
            (
                japanese[0],
                hands[0],
                "\U0001f44d\U0001f3fb",
                "\U0001f44d\ufe0f",
                "**Allow**",
                "*Allow.*",
                "_yes_!",
                "__ok__",
            ),
        ),
        (allow, ("1)", "1\ufe0f\u20e3", "1\u20e3", "**1**", "**1)**")),
        (refuse, (japanese[1], hands[1], "2)", "2\ufe0f\u20e3", "***Refuse***")),
    ):
        for said in more:
            assert replying.meant(question, said) == [choice], said
            assert replying.is_stray([question], said, ()), said
    for said in (
        "yes, thanks",
        "**Allow** it",
        "*Allow",
        "**Allow*",
        "1))",
        "(1)",
        "12\u20e3",
        hands[0] * 2,
        "** **",
        "**",
    ):
        assert replying.meant(question, said) == [], said
    colors = asking.question_of(Wait("answer:x", CallId("c"), "Which?", choices=("red", "No")), "p", "t", "s", 3)
    assert replying.meant(colors, "yes") == replying.meant(colors, "nein") == []
    assert replying.meant(colors, "no.") == [colors.choices[1]]
    assert replying.meant(colors, "red" * 1_000) == []
    refusing = asking.refusing(question, WAIT)
    assert (replying.meant(refusing, "yes"), replying.meant(refusing, "1")) == ([], [refuse])


def test_words_that_would_agree_later_to_something_else_are_no_message() -> None:
    call = asking.question_of(WAIT, "p", "t", "secret", 3)
    colors = asking.question_of(Wait("answer:x", CallId("c"), "Which?", choices=("red", "no color")), "p", "g", "s", 3)
    words = asking.question_of(Wait("answer:y", CallId("c"), "How many?"), "p", "t", "s", 3)
    for question, said, plays, stray in (
        (call, "yes", (), True),
        (call, "2", (), True),
        (call, "Always allow.", (), True),
        (call, "what for?", (), False),
        (words, "No!", (), True),
        (words, "seven", (), False),
        (colors, "no color", ("g",), True),
        (colors, "yes", ("g",), False),  # no turn waits for it: the agent may have asked something meanwhile
        (colors, "yes", (), True),
    ):
        assert replying.is_stray([question], said, plays) is stray, (question.prompt, said)
    assert not replying.is_stray([], "yes", ())


def test_it_is_said_how_to_answer_or_who_may() -> None:
    ann, rita = Person("ann"), Person("rita", ("read", "write"))
    call = asking.question_of(WAIT, "p", "t", "secret", 3)

    def told(person: Person, *, asks_all: bool = True, held_up: bool = True) -> str:
        return replying.waits(call, person, ("ann",), buttons=True, asks_all=asks_all, held_up=held_up)

    assert told(ann) == f"A question waits for its answer here. {replying.PRESS} {replying.KEPT}"
    assert told(ann, held_up=False).endswith(replying.PASSED)
    assert "somebody who may answer it (ann)" in told(rita)
    assert "somebody who may answer it (ann)" in told(ann, asks_all=False)
    assert replying.PRESS in replying.stray([call], ann, ("ann",), buttons=True)
    assert replying.SAY in replying.stray([call], ann, ("ann",), buttons=False)
    assert "somebody who may answer it (ann)" in replying.stray([call], rita, ("ann",), buttons=True)
