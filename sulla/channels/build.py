"""Channels in a daemon."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sulla.agent.door import Door
from sulla.channels.rpc import METHODS
from sulla.channels.settings import AccountSettings, ChannelsSettings
from sulla.channels.tools import channel_tools
from sulla.core.late import late
from sulla.host.host import Built, Host
from sulla.notify.ways import Ways

if TYPE_CHECKING:
    from sulla.channels.lines import Lines


def build(host: Host) -> Built:
    """Make what goes over channels; see `host.Built`. Without any nothing is at work, or loaded."""
    wanted = host.settings.section(ChannelsSettings)
    if not wanted.accounts:  # who may write can be looked at all the same
        return Built(methods=(METHODS.done_by(late(lambda: _lines(host, wanted))),))
    lines = _lines(host, wanted)
    host.needed(Ways).add("channel", lines.notify)
    return Built(
        methods=(METHODS.done_by(lines),),
        tools=channel_tools(lines.send_file),
        tasks={f"channel {name}": one.run for name, one in lines.every.items()},
        woken=(lines,),
        status=lines.status,
        troubles={"channels": lines.trouble},
    )


def _lines(host: Host, wanted: ChannelsSettings) -> Lines:
    """All channels; what they are made of is loaded now."""
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

    async def agents() -> tuple[str, ...]:
        await host.agents.look()  # a folder that was made just now is one, too
        return host.agents.team.ids

    around = Around(
        host.store,
        host.threads,
        place.clock,
        host.tally,
        people,
        lambda: door.keeper,
        agents,
        place.owner,
        place.make_id,
        host.settings.workspace,
        place.redactor.text,
    )
    bounds = FileBounds(wanted.file_bytes, wanted.message_files, wanted.total_bytes)
    heard = None
    if wanted.recognizer:
        from sulla.channels.run.recognizer import Recognizer

        key = wanted.recognizer_key.get_secret_value()
        heard = Recognizer(wanted.recognizer, key, wanted.recognizer_model)
    inbox = Inbox(host.settings.workspace, host.agents.marks, place.clock, bounds, heard)

    def line(said: AccountSettings) -> Line:
        rules = Rules(said.name, frozenset(said.places), dict(said.people), said.strangers)
        make = making(said, kind_of(said, known), place.clock)
        return Line(LineRules(said.name, said.kind, rules), make, inbox, around)

    return Lines({one.name: line(one) for one in wanted.accounts}, people)
