"""What `./dev setup` installs is held to hashes: what makes the environment, and each package in it."""

from __future__ import annotations

import re
import tomllib

from tests.house.source import ROOT


def test_what_makes_the_environment_is_one_version_with_hashes() -> None:
    lines = (ROOT / "uv-requirements.txt").read_text(encoding="utf-8").replace("\\\n", "").splitlines()
    (wanted,) = [line for line in lines if not line.startswith("#")]
    assert re.fullmatch(r"uv==[0-9.]+( +--hash=sha256:[0-9a-f]{64})+", wanted)
    assert "--require-hashes" in (ROOT / "dev").read_text(encoding="utf-8")


def test_every_package_of_the_lock_has_hashes() -> None:
    packages = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    files = {
        one["name"]: [*one.get("wheels", ()), *([one["sdist"]] if "sdist" in one else [])]
        for one in packages
        if "registry" in one["source"]
    }
    assert len(files) > 50
    assert [name for name, some in files.items() if not some or any("hash" not in file for file in some)] == []
