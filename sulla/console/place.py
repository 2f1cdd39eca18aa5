"""Where the built console lies, and whether it was built."""

from __future__ import annotations

from pathlib import Path
from typing import Final

WEB: Final = Path(__file__).parent / "web"
"""What `./dev setup` builds of the folder `console/`, and what an installed package has."""
PAGE: Final = "index.html"
HOW: Final = "`./dev setup` builds it where Node 20.19 or newer is installed"
"""What is said wherever it was not built."""


def is_built(folder: Path = WEB) -> bool:
    """Whether there is a page to serve.

    Args:
        folder: where it would be.
    """
    return (folder / PAGE).is_file()
