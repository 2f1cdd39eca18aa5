"""Channels in a daemon. Pure."""

from __future__ import annotations

from sulla.agent.door import Door
from sulla.channels.settings import ChannelSettings, ChannelsSettings
from sulla.host.host import Built, Host


def build(host: Host) -> Built:
    """Make what goes over channels; see `host.Built`. Without any nothing is at work, or loaded."""
    wanted = host.settings.section(ChannelsSettings)
    if not wanted.accounts:
        return Built()
    from sulla.channels.kinds import kinds
    from sulla.channels.lines import Lines
    from sulla.channels.machine.admission import Rules
    from sulla.channels.opened import kind_of, making
    from sulla.channels.run.files import FileBounds, Inbox
    from sulla.channels.run.held import Around
    from sulla.channels.run.line import Line, LineRules
    from sulla.channels.run.people_book import PeopleBook

    place, door, known = host.place, host.needed(Door), kinds()
    people = PeopleBook(host.store, place.clock, place.make_id)
    around = Around(
        host.store,
        host.threads,
        place.clock,
        host.tally,
        people,
        lambda: door.keeper,
        lambda: tuple(host.agents.team.ids),
        place.owner,
        place.make_id,
    )
    bounds = FileBounds(wanted.file_bytes, wanted.message_files, wanted.total_bytes)
    inbox = Inbox(host.settings.workspace, host.agents.marks, place.clock, bounds)

    def line(said: ChannelSettings) -> Line:
        rules = Rules(said.name, frozenset(said.places), dict(said.people), said.strangers)
        make = making(said, kind_of(said, known), place.clock)
        return Line(LineRules(said.name, said.kind, rules), make, inbox, around)

    lines = Lines({one.name: line(one) for one in wanted.accounts}, people)
    return Built(
        tasks={f"channel {name}": one.run for name, one in lines.every.items()},
        woken=(lines,),
        status=lines.status,
        troubles={"channels": lines.trouble},
    )
