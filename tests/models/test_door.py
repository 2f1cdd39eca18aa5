"""What the door brings with it."""

from __future__ import annotations

import subprocess
import sys


def test_the_door_loads_no_services_library() -> None:
    heavy = ("anthropic", "ollama", "httpx", "httpx2", "aiohttp", "pydantic", "tiktoken")
    code = f"import sys, sulla.models; print([name for name in {heavy} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
