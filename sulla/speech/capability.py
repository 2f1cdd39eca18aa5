"""What people say aloud, buffered into turns. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability, Command

CAPABILITY = Capability(
    name="speech",
    state=("sulla.speech.slice:OVERHEARD",),
    methods=("sulla.speech.rpc:METHODS",),
    settings="sulla.speech.settings:SpeechSettings",
    build="sulla.speech.build:build",
    commands={
        "speech": Command(
            "sulla.speech.cli.commands",
            "play recorded speech and say why each turn ended when it did",
            "see",
            ("sulla speech replay docs/recordings/hesitation.jsonl",),
        ),
    },
    compact="sulla.speech.compact:compact",
)
