"""Servers as the settings describe them: what cannot work is refused with the setting's name."""

from __future__ import annotations

import pytest

from sulla.core.errors import SettingsError
from sulla.mcp.server import McpServer, check_server


@pytest.mark.parametrize(
    "server",
    [
        McpServer("notes", "npx", ("-y", "x"), {"KEY": "a=b c"}),
        McpServer("n2-x", url="https://example.org/mcp", headers={"Authorization": "Bearer x"}),
    ],
)
def test_a_right_one_is_taken(server: McpServer) -> None:
    check_server(server)


@pytest.mark.parametrize(
    ("server", "said"),
    [
        (McpServer("Notes", "x"), "'Notes' cannot be a server's name"),
        (McpServer("a__b", "x"), "cannot be a server's name"),
        (McpServer("a" * 25, "x"), "cannot be a server's name"),
        (McpServer("a"), "mcp.servers.a: expected either `command`"),
        (McpServer("a", "x", url="http://x"), "mcp.servers.a: expected either `command`"),
        (McpServer("a", url="ftp://x"), "mcp.servers.a.url"),
        (McpServer("a", url="http://x", args=("b",)), "`args` and `env` are for"),
        (McpServer("a", "x", headers={"b": "c"}), "`headers` are for"),
        (McpServer("a", url="http://x", headers={"b": "c\r\nd: e"}), "mcp.servers.a.headers: 'b'"),
        (McpServer("a", url="http://x", headers={"b c": "d"}), "mcp.servers.a.headers: 'b c'"),
        (McpServer("a", "x", env={"1=": "c"}), "mcp.servers.a.env: '1='"),
        (McpServer("a", "x", env={"b": "\0"}), "mcp.servers.a.env: 'b'"),
        (McpServer("a", "x\0"), "zero byte"),
    ],
)
def test_a_wrong_one_is_refused(server: McpServer, said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        check_server(server)
    assert said in refused.value.message


def test_a_server_that_is_shown_shows_no_secret() -> None:
    shown = repr(McpServer("a", "x", env={"K": "s3cret"}, headers={"H": "s3cret"}, url="http://u:s3cret@x"))
    assert "s3cret" not in shown
