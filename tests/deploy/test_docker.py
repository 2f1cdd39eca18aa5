"""The files of deploy/docker, by tools where they are. No builder of images is needed, and none is used."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.house.source import ROOT

DOCKER = ROOT / "deploy" / "docker"
COMPOSE = sorted(DOCKER.glob("compose.*.yaml"))
DOCKERFILE = (DOCKER / "Dockerfile").read_text()


def _services(path: Path) -> dict[str, dict[str, Any]]:
    services: dict[str, dict[str, Any]] = yaml.safe_load(path.read_text())["services"]
    return services


def _ours() -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{path.name}: {name}", one) for path in COMPOSE for name, one in _services(path).items() if "build" in one
    ]


@pytest.mark.skipif(
    shutil.which("hadolint") is None, reason="hadolint is not installed, so no tool judges the Dockerfile"
)
def test_hadolint_finds_nothing_wrong_with_the_dockerfile() -> None:
    run = subprocess.run(["hadolint", DOCKER / "Dockerfile"], capture_output=True, text=True, timeout=60, check=False)
    assert run.stdout + run.stderr == ""


@pytest.mark.parametrize("path", COMPOSE, ids=lambda path: path.name)
def test_a_compose_file_is_as_the_specification_says(path: Path) -> None:
    compose_spec = pytest.importorskip("compose_spec")
    merged = yaml.safe_load(path.read_text())
    compose_spec.PyCompose.from_yaml(yaml.safe_dump(merged)).validate()
    merged["services"]["grafana" if "grafana" in merged["services"] else "sulla"]["restartt"] = "always"
    with pytest.raises(ValueError, match="restartt"):
        compose_spec.PyCompose.from_yaml(yaml.safe_dump(merged))


def test_the_image_runs_as_nobody_in_particular_and_says_how_it_is() -> None:
    final = DOCKERFILE[DOCKERFILE.rindex("\nFROM ") :]
    assert re.search(r"^USER 10001:10001$", final, re.MULTILINE)
    assert "HEALTHCHECK" in final
    assert DOCKERFILE.count("\nFROM ") == 3


def test_all_that_the_dockerfile_copies_is_let_into_its_context() -> None:
    ignore = (DOCKER / "Dockerfile.dockerignore").read_text().splitlines()
    let_in = {line[1:] for line in ignore if line.startswith("!")}
    lines = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    copied = {word for line in lines for word in line.split()}
    assert {name for name in copied if not (ROOT / name).exists()} == set()
    assert {name for name in copied if not any(name == one or name.startswith(f"{one}/") for one in let_in)} == set()


@pytest.mark.parametrize(("name", "service"), _ours())
def test_a_container_of_ours_can_do_no_more_than_it_has_to(name: str, service: dict[str, Any]) -> None:
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert any(volume.endswith(":/var/lib/sulla") for volume in service["volumes"])
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ())), "a proxy with TLS stands before it"


@pytest.mark.parametrize("path", COMPOSE, ids=lambda path: path.name)
def test_no_compose_file_has_a_secret_in_it_or_a_name_that_leads_nowhere(path: Path) -> None:
    whole = yaml.safe_load(path.read_text())
    for name, service in whole["services"].items():
        said = service.get("environment") or {}
        assert [key for key in said if re.search(r"(PASSWORD|KEY|TOKEN)$", key)] == [], name
        mounted = [volume.partition(":")[0] for volume in service.get("volumes", ())]
        assert {one for one in mounted if not one.startswith(".")} <= whole["volumes"].keys(), name
        assert {one for one in mounted if one.startswith(".") and not (path.parent / one).exists()} == set(), name
        assert set(service.get("secrets", ())) <= whole.get("secrets", {}).keys(), name
        assert set(service.get("depends_on", ())) <= whole["services"].keys(), name


def test_no_two_workers_have_one_executor_id() -> None:
    services = _services(DOCKER / "compose.cluster.yaml")
    workers = [
        one["environment"]["SULLA_WORK__EXECUTOR"] for one in services.values() if "worker" in one.get("command", ())
    ]
    assert len(workers) == len(set(workers)) == 2


def test_all_workers_have_one_workspace_on_a_volume_that_the_image_gives_to_their_user() -> None:
    workers = [one for one in _services(DOCKER / "compose.cluster.yaml").values() if "worker" in one.get("command", ())]
    places = {one["environment"]["SULLA_AGENT__WORKSPACE"] for one in workers}
    mounts = {volume for one in workers for volume in one["volumes"] if volume.startswith("workspace:")}
    assert len(workers) == 2
    assert mounts == {f"workspace:{place}" for place in places}
    assert all(mounts & set(one["volumes"]) for one in workers)
    (place,) = places
    assert re.search(rf"install --directory --owner sulla .*{place}$", DOCKERFILE, re.MULTILINE)


@pytest.mark.skipif(shutil.which("uv") is None, reason="uv is not on the PATH, so no list of packages can be made")
def test_the_bill_of_materials_lists_what_an_installation_with_all_extras_has(tmp_path: Path) -> None:
    subprocess.run([ROOT / "deploy" / "sbom.sh", tmp_path], check=True, timeout=120)
    bill = json.loads((tmp_path / "sulla.cdx.json").read_text())
    names = {component["name"] for component in bill["components"]}
    assert bill["bomFormat"] == "CycloneDX"
    assert {"pydantic", "uvicorn", "redis", "psycopg"} <= names
    assert "pytest" not in names
    if shutil.which("npm") is not None:
        console = json.loads((tmp_path / "console.cdx.json").read_text())
        wanted = json.loads((ROOT / "console" / "package.json").read_text())["dependencies"].keys()
        assert wanted <= {component["name"] for component in console["components"]}
