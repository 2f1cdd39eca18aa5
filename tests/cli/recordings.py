"""The recordings that come along, and how to write others."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SHIPPED = Path(__file__).resolve().parents[2] / "docs" / "recordings"
HESITATION = SHIPPED / "hesitation.jsonl"
PHONE_NUMBER = SHIPPED / "phone-number.jsonl"
BARGE_IN = SHIPPED / "barge-in.jsonl"


def line(at_ms: int, text: str, seq: int = 1, kind: str = "cumulative", name: str = "u") -> dict[str, Any]:
    """A chunk."""
    return {"at_ms": at_ms, "utterance_id": name, "seq": seq, "kind": kind, "text": text}


def written(path: Path, lines: Iterable[object]) -> str:
    """A recording of these lines; its name."""
    path.write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    return str(path)
