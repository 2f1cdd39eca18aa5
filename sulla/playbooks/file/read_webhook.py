"""Reads how the messages of a webhook are signed and answered. Pure."""

from __future__ import annotations

import re
from typing import Final, Literal, cast

from sulla.definitions.yaml_text import YamlMap, YamlNode, YamlScalar
from sulla.playbooks.definition import WebhookForm
from sulla.playbooks.file.form import NAME, PARTS
from sulla.playbooks.file.read_sketch import Keys
from sulla.playbooks.file.read_values import FileReading

SIGNED: Final = ("standard", "github", "stripe", "slack")
"""Senders whose form is known; any other one is described."""
MAX_WITHIN_S: Final = 60
"""For how long an answer may wait: whoever sends, and proxies on the way, give up about then."""
MAX_TOLERANCE_S: Final = 3_600
_TIMELESS: Final = ("github", "hmac")
_HEADER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_HEADER_TOLD: Final = "the name of a header, such as x-signature"


def read_webhook(reading: FileReading, keys: Keys) -> WebhookForm | None:
    """How the messages of a trigger are signed and answered.

    Args:
        reading: takes what is wrong.
        keys: the trigger's.

    Returns:
        None for what is so unless said otherwise.
    """
    said: dict[str, object] = {}
    if "signed" in keys:
        said |= _signed(reading, keys["signed"][1])
    if "tolerance" in keys:
        key, node = keys["tolerance"]
        said["tolerance_s"] = reading.duration(node, "tolerance")
        if cast("float", said["tolerance_s"]) > MAX_TOLERANCE_S:
            reading.wrong(node, "tolerance", "an hour at the most: what somebody recorded is good for so long")
        if said.get("signed") in _TIMELESS:
            reading.fault(key.place, "value", f"tolerance: messages that are signed as {said['signed']!r} have no time")
    if "answer" in keys:
        said |= _answer(reading, keys["answer"][1])
    form = WebhookForm(**said)  # type: ignore[arg-type]  # by name, from the readers above
    return None if form == WebhookForm() else form


def _signed(reading: FileReading, node: YamlNode) -> dict[str, object]:
    if isinstance(node, YamlScalar):
        if node.text == "hmac":
            reading.wrong(node, "signed", "what the sender does, such as {header: x-signature, encoding: hex}")
            return {}
        word = reading.word_of(node, "signed", SIGNED)
        return {"signed": word} if word in SIGNED else {}
    found = reading.keys(node, PARTS["signed"], "signed") or {}
    said: dict[str, object] = {"signed": "hmac"}
    for name in ("header", "id"):
        if name in found:
            said[name] = reading.named(found[name][1], name, _HEADER, _HEADER_TOLD).lower()
    if "prefix" in found:
        said["prefix"] = reading.text(found["prefix"][1], "prefix")
    if "encoding" in found:
        said["encoding"] = cast(
            "Literal['hex', 'base64']", reading.word_of(found["encoding"][1], "encoding", ENCODINGS)
        )
    return said


ENCODINGS: Final = ("hex", "base64")


def _answer(reading: FileReading, node: YamlNode) -> dict[str, object]:
    said: dict[str, object] = {"answer": "run"}
    if not isinstance(node, YamlMap):
        reading.word_of(node, "answer", ("run",))
        return said
    found = reading.keys(node, PARTS["answer"], "answer") or {}
    if "output" in found:
        said["output"] = reading.named(found["output"][1], "output", NAME)
    if "within" in found:
        said["within_s"] = reading.duration(found["within"][1], "within")
        if cast("float", said["within_s"]) > MAX_WITHIN_S:
            reading.wrong(
                found["within"][1], "within", f"{MAX_WITHIN_S}s at the most, for whoever sends gives up about then"
            )
    return said
