"""Writes docs/inside/asyncapi.json as the daemon serves it.

``python -m tests.gateway.asyncapi_page``
"""

from __future__ import annotations

from pathlib import Path

from sulla.gateway.contract_docs.asyncapi import document

PAGE = Path(__file__).resolve().parents[2] / "docs" / "inside" / "asyncapi.json"

if __name__ == "__main__":
    PAGE.write_bytes(document())
