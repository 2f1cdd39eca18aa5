"""Abbreviations of English, and what begins its sentences. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech.sentences.end import Abbreviations

ABBREVIATIONS: Final = Abbreviations(
    never=frozenset(
        """
        mr mrs ms mx dr prof rev fr hon messrs mme mlle gen col lt capt cmdr sgt cpl pvt adm gov sen rep pres supt
        e.g eg i.e ie cf viz vs ca approx resp incl excl esp w.r.t p.s n.b
        """.split()
    ),
    behind_titles=frozenset("med dent vet phil rer nat jur iur pol oec soc ing habil h.c theol techn mont".split()),
    closing=frozenset(
        """
        etc b.c a.d c.e b.c.e no nos nr fig figs eq eqs ref refs vol vols ch chap sec sect art arts p pp pg par para ex
        ext tel tab ver v app rm apt ste bldg min max avg dept op ser pt pts c ft in lb lbs oz yd mi hr hrs yr yrs mo
        temp wt qty
        Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun
        """.split()
    ),
    times=frozenset("a.m p.m pm".split()),
    behind_times=frozenset(
        """
        monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
        september october november december est edt cst cdt mst mdt pst pdt gmt utc cet cest et ct mt pt bst
        """.split()
    ),
    either=frozenset(
        """
        inc ltd co corp llc plc bros jr sr esq st mt ave blvd rd hwy univ assn dist est al b.sc m.sc ph.d u.s.a
        a.k.a misc intl natl govt mgmt
        """.split()
    ),
    loud=frozenset("yahoo jeopardy kahoot wham".split()),
    beginnings=frozenset(
        """
        the this that these those there then they he she it we you i if in on at as and but or so for when while what
        who why how where which however also after before because although though his her its our my your their a an
        not no yes yeah please let let's now here once since with without to do does did is are was were can could would
        should have has had some many most all each every both another today tomorrow yesterday maybe perhaps finally
        first second next instead still thanks thank sure okay ok well meanwhile therefore thus moreover even only just
        i'm i'll i've i'd it's that's there's he's she's we're we've we'll you're you'll you've they're don't didn't
        isn't aren't wasn't what's who's here's from by unlike despite during until under over about nobody everyone
        someone something nothing everything other others such two three four five
        """.split()
    ),
)
"""A word that is in none of them ends a sentence with its full stop."""
