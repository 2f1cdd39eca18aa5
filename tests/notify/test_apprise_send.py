"""What the library sends to a real mail server and a real HTTP endpoint, and what is told where they refuse."""

from __future__ import annotations

import io
import json
import logging
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from sulla.core.errors import SettingsError
from sulla.notify.apprise_send import without_secrets
from sulla.notify.sending import send

# What the library imports on old Pythons; nothing of ours.
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")

SECRET = "geheim-91xz"


class _Http(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append(json.loads(body))  # type: ignore[attr-defined]  # put there by the fixture
        self.send_response(self.server.status)  # type: ignore[attr-defined]  # the same
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


class _Smtp(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        while line := self.rfile.readline():
            word = line[:4].upper()
            if word == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                lines = []
                while (one := self.rfile.readline()) not in (b".\r\n", b""):
                    lines.append(one)
                self.server.got.append(b"".join(lines).decode())  # type: ignore[attr-defined]  # put there by the fixture
                self.wfile.write(b"250 taken\r\n")
            elif word == b"QUIT":
                self.wfile.write(b"221 bye\r\n")
                return
            elif word == b"EHLO":
                self.wfile.write(b"250-here\r\n250 8BITMIME\r\n")
            else:
                self.wfile.write(b"250 well\r\n")


class _SmtpServer(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


def served(server: Any) -> Iterator[Any]:
    server.got, server.status = [], 200
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join(50)
    server.server_close()


@pytest.fixture
def daemon_log() -> Iterator[io.StringIO]:
    """What the daemon's log would get; pytest's own hears loggers that tell nobody, too."""
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    logging.getLogger().addHandler(handler)
    yield text
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def http() -> Iterator[Any]:
    yield from served(ThreadingHTTPServer(("127.0.0.1", 0), _Http))


@pytest.fixture
def smtp() -> Iterator[Any]:
    yield from served(_SmtpServer(("127.0.0.1", 0), _Smtp))


def test_an_http_endpoint_gets_title_and_text(http: Any) -> None:
    assert send(f"json://127.0.0.1:{http.server_address[1]}/{SECRET}", "Sulla: a notice", "the frost\nis over") == ""
    assert [(one["title"], one["message"]) for one in http.got] == [("Sulla: a notice", "the frost\nis over")]


def test_a_mail_server_gets_a_mail(smtp: Any) -> None:
    address = f"mailto://127.0.0.1:{smtp.server_address[1]}?from=sulla@example.org&to=ann@example.org&mode=insecure"
    assert send(address, "Sulla: a notice", "the frost is over, see http://example.org") == ""
    (mail,) = smtp.got
    assert "Subject: Sulla: a notice" in mail
    assert "To: ann@example.org" in mail


def test_an_endpoint_that_refuses_is_told_without_the_secret(http: Any, daemon_log: io.StringIO) -> None:
    http.status = 500
    why = send(f"json://ann:{SECRET}@127.0.0.1:{http.server_address[1]}/", "t", "x")
    assert why
    assert SECRET not in why + daemon_log.getvalue()


def test_what_is_told_of_one_message_is_of_it_alone_and_begins_with_the_reason(
    http: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = threading.Barrier(2)

    def late(self: _Http) -> None:  # answers once the other one has come as well
        self.rfile.read(int(self.headers["Content-Length"]))
        both.wait(50)
        self.send_response(500)
        self.end_headers()

    monkeypatch.setattr(_Http, "do_POST", late)
    port = http.server_address[1]
    addresses = (f"json://127.0.0.1:{port}/", f"xml://127.0.0.1:{port}/")
    with ThreadPoolExecutor(2) as pool:
        by_json, by_xml = pool.map(lambda address: send(address, "t", "x"), addresses)
    assert "JSON" in by_json
    assert "XML" not in by_json
    assert "XML" in by_xml
    assert "JSON" not in by_xml
    assert by_json.startswith("Failed to send JSON")


def test_one_that_is_not_there_is_told_without_the_secret(daemon_log: io.StringIO) -> None:
    why = send(f"json://ann:{SECRET}@127.0.0.1:9/", "t", "x")
    assert why
    assert SECRET not in why + daemon_log.getvalue()


def test_an_address_that_is_none_names_its_scheme_and_nothing_else(daemon_log: io.StringIO) -> None:
    with pytest.raises(SettingsError) as raised:
        send(f"nosuch://{SECRET}/", "t", "x")
    assert "'nosuch'" in raised.value.message
    assert SECRET not in raised.value.message + daemon_log.getvalue()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("", "the service did not take it"),
        ("refused for ann with geheim-91xz at example.org", "refused for [redacted] with [redacted] at [redacted]"),
        ("x" * 1000, "x" * 300),
    ],
)
def test_no_part_of_an_address_is_told(said: str, told: str) -> None:
    assert without_secrets(said, f"json://ann:{SECRET}@example.org/") == told


def test_the_library_is_not_loaded_before_the_first_message() -> None:
    code = "import sys, sulla.notify.build; print('apprise' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apprise", None)
    monkeypatch.delitem(sys.modules, "sulla.notify.apprise_send", raising=False)
    with pytest.raises(SettingsError, match=r"pip install 'sulla-agent\[notify\]'"):
        send("json://127.0.0.1/", "t", "x")
