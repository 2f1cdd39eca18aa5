"""The page at `/`: what this is, and how to get in. It is the same for everybody, so it holds nothing that only some
know: no path, no name, no version.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

_STYLE: Final = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 42rem; margin: 3rem auto; padding: 0 1rem; }
code { font-family: ui-monospace, monospace; }
dt { margin-top: .75rem; font-weight: 600; }
dd { margin: 0; }
"""

_PAGE: Final = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sulla</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>Sulla</h1>
<p>This is the address of a Sulla daemon: it holds conversations with language models and works for the person who
started it. Programs talk to it here.</p>
<p>The console, a page to see it and to talk to it, was not built here: <code>./dev setup</code> builds it where Node
20.19 or newer is installed, and then it is at this address.</p>
<h2>How to get in</h2>
<dl>
<dt>In a terminal, on the machine that it runs on</dt>
<dd><code>sulla chat</code> talks to it, <code>sulla status</code> says how it is.</dd>
<dt>In a browser</dt>
<dd>Install Open WebUI, and add this address with <code>/v1</code> behind it as an OpenAI connection. Its key is a token
of the daemon.</dd>
<dt>From a program</dt>
<dd>Send a token as <code>Authorization: Bearer …</code>. What can be asked stands in
<a href="/openapi.json">openapi.json</a> (HTTP) and <a href="/asyncapi.json">asyncapi.json</a> (WebSocket).</dd>
<dt>A token</dt>
<dd><code>sulla token</code> prints the owner's; <code>sulla token create NAME</code> makes one that may do less and
can be taken back. The machine's own terminal is where it is printed, and nowhere here.</dd>
</dl>
<p>Whether it is alive: <a href="/healthz">/healthz</a>. Whether it can work: <a href="/readyz">/readyz</a>.</p>
</body>
</html>
"""

_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

_HEADERS: Final = {
    "content-security-policy": f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


async def landing(request: Request) -> Response:
    """The page; no token is asked for, and no script runs on it."""
    return Response(_PAGE, media_type="text/html; charset=utf-8", headers=_HEADERS)
