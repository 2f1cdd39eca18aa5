"""The console in a daemon. Pure."""

from __future__ import annotations

from sulla.console.files import WebFiles
from sulla.console.place import WEB
from sulla.host.host import Built, Host


def build(host: Host) -> Built:
    """Make what serves it; see `host.Built`. A build that is made later is served without a restart."""
    return Built(pages=WebFiles(WEB))
