"""Requests about speech."""

from __future__ import annotations

from collections.abc import Callable

from sulla.core.ids import MessageId, ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.gateway import wire_speech as wire
from sulla.speech import Chunk, Playing, SpeechOffice

SpeechRequest = wire.SpeechChunk | wire.SpeechFlush | wire.SpeechCancel | wire.SpeechStatus


async def perform_speech(
    office: SpeechOffice, params: SpeechRequest, caller: str, taken: Callable[[], None] | None = None
) -> JsonObject:
    """Take in what was said, end or drop the turn that is open, or say how it stands.

    Args:
        office: does it.
        params: what is asked for.
        caller: the name of the token that it came with.
        taken: is called when a chunk has its place, before it is kept; None for nobody.
    """
    thread_id = ThreadId(params.thread_id)
    match params:
        case wire.SpeechChunk(utterance_id=utterance_id, seq=seq, kind=kind, text=text, stable_chars=stable_chars):
            chunk = Chunk(utterance_id, seq, kind, text, stable_chars)
            open_turn = await office.add_speech_chunk(thread_id, chunk, _playing(params.playing), caller, taken)
            return wire.SpeechTaken(turn_id=open_turn.turn_id, state=open_turn.state, late=open_turn.late).model_dump()
        case wire.SpeechFlush():
            done = await office.force_flush_buffer(thread_id)
            return wire.SpeechFlushed(turn_id=done.turn_id, text=done.text, run_id=done.run_id or None).model_dump()
        case wire.SpeechCancel():
            return wire.SpeechCancelled(turn_id=await office.drop_speech(thread_id)).model_dump()
        case wire.SpeechStatus():
            now = await office.get_buffer_status(thread_id)
            return wire.SpeechStanding(
                exists=now.exists,
                content=now.text,
                age_ms=now.age_ms,
                state=now.state,
                turn_id=now.turn_id,
                silent_ms=now.silent_ms,
            ).model_dump()


def _playing(said: wire.SpeechPlaying | None) -> Playing | None:
    return None if said is None else Playing(MessageId(said.message_id), said.played_chars)
