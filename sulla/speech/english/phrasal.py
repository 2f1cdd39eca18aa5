"""English verbs with "up", "off", "on": which of them can end a sentence. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech.english.lexicon import forms

TAKES_OFF: Final = forms(
    "talk think push pull count slide screw throw slot turn switch put take log sign come go get carry hold hang try "
    "pass move plug let bring zoom stay keep leave fill hand join drop check stand break fit tune give cave barge "
    "hurry catch call stir fold rub mix knock stick shut lock write type slip send squeeze fence read lay lift load "
    "hoover iron key nail pencil phone pin pump rope sew sort start strap tie tuck wipe work beat cut draw phase "
    "rule swap"
) | frozenset("is are was were be been light lights still both all".split())


PHRASAL_ALONE: Final = frozenset(
    f"{form} {particle}"
    for bases, particle in (
        (
            (
                "get keep give show hang meet sign line make build hold call pick break add wake turn blow clean "
                "start fill heat warm catch mess throw tidy wash back cheer close split dress hurry go come grow "
                "show stand sit lie speak light freeze dry open sober stock team boot lock own perk pop queue rise "
                "run save settle shape shut sign slip step summon sum top type use wait wind wrap buckle bottle "
                "bulk burn double drive ease face eat crop curl drink fess level listen mount move muck patch pile "
                "pull saddle screw split sprout stay swell"
            ),
            "up",
        ),
        (
            (
                "take set lift log get drop pay kick switch shut send run wear go come break doze nod drive fall "
                "fly cool peel rub show sleep slip sign stop tail tee trail veer wander whizz bounce call head hop"
            ),
            "off",
        ),
        (
            (
                "cut check move log pull leak run sell work turn pass drop burn miss lose go come get give eat "
                "chill fade fall branch bail back bottom bow clear climb conk cop crash die dine drop even fall "
                "fizzle freak fill help hide jump kick lash light look opt own pan phase play print ride sign sit "
                "speak split spread stand start step stick stretch stress swear tap throw thin time trip tune wash "
                "watch wear wimp zone hang"
            ),
            "out",
        ),
        (
            (
                "break shut close cool calm go slow sit lie lay come fall settle burn die kneel crash get back "
                "boil bog climb crouch die dress fall quiet run simmer step stand touch wind bow duck"
            ),
            "down",
        ),
        ("get move throw run walk go fade fly drift pass melt stay turn", "away"),
        ("call write get come hold report go step stand turn ring reply fight lie lean sit text answer bounce", "back"),
        ("look turn come gather stay sit shop ask", "round"),
    )
    for form in forms(bases)
)

BY_ITSELF: Final = forms("turn switch come go")


ENDED_BY: Final = {
    "on": forms(
        "let read come go carry keep hang hold log move live drag hurry press pass push wear catch hop jump climb get "
        "walk drive ride soldier ramble"
    ),
    "in": forms(
        "come log check sign move zoom join plug get break barge cave give tune let lock kick walk settle drop fit "
        "chip stay eat dial call pop sleep go squeeze step tuck dig jump hop pitch phone clock sink fall butt muck "
        "turn book fly roll set sneak"
    ),
    "over": forms(
        "come start turn move fall roll run pull go boil tip hand knock pop stop drop fly sleep spill brim blow "
        "cross lean freeze step change switch"
    ),
    "through": forms("get go come pull fall scroll read break log sail walk pass soak"),
    "along": forms("come get move play sing tag go run hum walk bring drag"),
    "by": forms("drop come stop get pass swing fly walk drive stand"),
}


PLUGS: Final = forms("let plug stir fold move log hand bring drop")
SWITCHES: Final = forms("have turn switch leave keep put plug") | frozenset(("got", "let"))
