"""What `sulla doctor` says of the console. Pure."""

from __future__ import annotations

from sulla.console.place import HOW, is_built
from sulla.host.checks import Check, CheckContext
from sulla.host.findings import Finding, ok


async def console(of: CheckContext) -> list[Finding]:
    """Whether there is a page to open."""
    return ok("built" if is_built() else f"not built, so browsers are shown what Sulla is instead: {HOW}")


CHECKS = (Check("console", console),)
