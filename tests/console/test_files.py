"""What browsers are served: the page and what it loads, with headers that keep others out, and nothing else."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import httpx
import pytest

from sulla.console import files
from sulla.console.files import WebFiles
from sulla.rpc.pages import PageRequest
from tests.console.house import PAGE, SCRIPT, House, small_build


async def get(house: House, path: str, verb: str = "GET", **headers: str) -> httpx.Response:
    async with httpx.AsyncClient(base_url=house.url) as client:
        return await client.request(verb, path, headers={"Accept-Encoding": "identity"} | headers)


async def test_the_page_is_served_and_asked_for_anew_each_time(house: House) -> None:
    answer = await get(house, "/")
    assert (answer.status_code, answer.text) == (200, PAGE)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"


async def test_no_other_page_frames_it_and_it_loads_from_nowhere_else(house: House) -> None:
    headers = (await get(house, "/")).headers
    host = house.url.removeprefix("http://")
    assert headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"font-src 'self'; connect-src 'self' ws://{host} wss://{host}; manifest-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )
    said = {name: headers[name] for name in SAFE}
    assert said == SAFE
    assert headers["permissions-policy"].startswith("microphone=(self), ")
    assert "camera=()" in headers["permissions-policy"]
    named = [part.partition("=")[0] for part in headers["permissions-policy"].split(", ")]
    assert set(named) <= FEATURES_OF_BROWSERS  # a name that it does not know has Chromium warn on every page
    assert len(set(named)) == len(named)


async def test_a_script_calls_nobody_and_loads_nothing_as_a_worker(house: House) -> None:
    assert (await get(house, f"/{SCRIPT}")).headers["content-security-policy"] == "default-src 'none'"


FEATURES_OF_BROWSERS = {
    *("accelerometer", "autoplay", "camera", "display-capture", "encrypted-media", "fullscreen", "geolocation"),
    *("gyroscope", "hid", "magnetometer", "microphone", "midi", "payment", "picture-in-picture", "screen-wake-lock"),
    *("serial", "usb", "web-share", "xr-spatial-tracking"),
}
"""Those of the Permissions Policy that Chromium knows."""


SAFE = {
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@pytest.mark.parametrize(
    ("name", "kind", "kept"),
    [
        (SCRIPT, "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"),
        ("assets/index-0a1b2c3d.css", "text/css; charset=utf-8", "public, max-age=31536000, immutable"),
        ("assets/icon-9f8e7d6c.png", "image/png", "public, max-age=31536000, immutable"),
        ("icon.svg", "image/svg+xml", "no-cache"),
        ("assets/plain.txt", "text/plain; charset=utf-8", "no-cache"),
    ],
)
async def test_what_it_loads_is_kept_for_ever_if_its_name_has_a_hash(
    house: House, web: Path, name: str, kind: str, kept: str
) -> None:
    answer = await get(house, f"/{name}")
    assert (answer.status_code, answer.content) == (200, (web / name).read_bytes())
    assert (answer.headers["content-type"], answer.headers["cache-control"]) == (kind, kept)
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_it_is_sent_packed_to_whoever_takes_that(house: House, web: Path) -> None:
    packed = await get(house, f"/{SCRIPT}", **{"Accept-Encoding": "br, gzip"})
    assert (packed.headers["content-encoding"], packed.headers["vary"]) == ("gzip", "accept-encoding")
    assert packed.content == (web / SCRIPT).read_bytes()
    assert int(packed.headers["content-length"]) < len(packed.content)
    for refused in ("identity", "gzip;q=0", "br"):
        assert "content-encoding" not in (await get(house, f"/{SCRIPT}", **{"Accept-Encoding": refused})).headers
    image = await get(house, "/assets/icon-9f8e7d6c.png", **{"Accept-Encoding": "gzip"})
    assert "content-encoding" not in image.headers


async def test_head_says_the_same_without_the_body_and_a_known_tag_is_not_sent_again(house: House) -> None:
    path, tag = "", ""
    for path in ("/", f"/{SCRIPT}"):
        full, head = await get(house, path), await get(house, path, "HEAD")
        assert (head.status_code, head.content, head.headers) == (200, b"", full.headers)
        tag = full.headers["etag"]
        for known in (tag, f'W/{tag}, "other"', "*"):
            again = await get(house, path, **{"If-None-Match": known})
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    packed = await get(house, path, **{"Accept-Encoding": "gzip", "If-None-Match": tag})
    assert (packed.status_code, packed.headers["content-encoding"]) == (200, "gzip")
    assert (await get(house, "/", "POST")).status_code == 405


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../index.html",
        "/assets/../../secret.txt",
        "/assets/%2e%2e/%2e%2e/secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "/assets/..%5c..%5csecret.txt",
        "/assets//etc/passwd",
        "/assets/%2fetc%2fpasswd",
        "/assets/link-aaaaaaaa.js",
        "/assets/%00",
        "/assets/",
        "/assets/nothing-12345678.js",
        f"/assets/{'a/' * 2000}",
        "/assets/plain.txt/",
        "/assets/PLAIN.TXT",
        "/favicon.ico",
    ],
)
async def test_nothing_outside_the_folder_is_served(house: House, path: str) -> None:
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    host, _, port = house.url.removeprefix("http://").partition(":")
    source, sink = await asyncio.open_connection(host, int(port))  # a client would tidy the path up
    sink.write(head.encode())
    answer = await source.read()
    sink.close()
    await sink.wait_closed()
    assert answer.startswith(b"HTTP/1.1 404"), answer[:300]
    assert b"outside" not in answer


async def test_where_it_was_not_built_the_page_says_how_to(house: House, web: Path) -> None:
    for name in ("index.html", SCRIPT):
        (web / name).unlink()
    answer = await get(house, "/")
    assert answer.status_code == 200
    assert "./dev setup" in answer.text
    assert "Node\n20.19 or newer" in answer.text
    assert (await get(house, f"/{SCRIPT}")).status_code == 404


async def test_a_new_build_is_served_without_a_restart(house: House, web: Path) -> None:
    old = await get(house, "/")
    assert (await get(house, f"/{SCRIPT}")).status_code == 200
    (web / SCRIPT).unlink()
    (web / "assets/index-ZZZZZZZZ.js").write_text("console.log('newer');")
    (web / "index.html").write_text(PAGE.replace(SCRIPT, "assets/index-ZZZZZZZZ.js"))
    os.utime(web / "index.html", ns=(1, 1))
    new = await get(house, "/")
    assert "ZZZZZZZZ" in new.text
    assert new.headers["etag"] != old.headers["etag"]
    assert (await get(house, "/assets/index-ZZZZZZZZ.js")).text == "console.log('newer');"
    assert (await get(house, f"/{SCRIPT}")).status_code == 404


async def test_what_is_kept_in_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    web = WebFiles(small_build(tmp_path / "web"))
    monkeypatch.setattr(files, "KEPT_BYTES", 3000)
    for path in ("/", f"/{SCRIPT}", "/assets/index-0a1b2c3d.css", "/assets/icon-9f8e7d6c.png"):
        assert await web.answer(PageRequest(path, "127.0.0.1")) is not None
        assert web.kept_bytes <= 3000


async def test_a_file_that_is_too_large_is_not_served_and_the_log_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    web = WebFiles(small_build(tmp_path / "web"))
    monkeypatch.setattr(files, "FILE_BYTES", 1000)
    assert await web.answer(PageRequest(f"/{SCRIPT}", "127.0.0.1")) is None
    assert "has more than 1000 bytes" in caplog.text


async def test_of_too_many_files_the_rest_is_not_served_and_the_log_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    web = WebFiles(small_build(tmp_path / "web"))
    monkeypatch.setattr(files, "MOST_FILES", 2)
    assert await web.answer(PageRequest("/", "127.0.0.1")) is not None
    assert "more than 2 files" in caplog.text
