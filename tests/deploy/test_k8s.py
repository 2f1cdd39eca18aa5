"""The manifests of deploy/k8s, as kustomize puts them together and as Kubernetes' own schemas judge them."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.house.source import ROOT

K8S = ROOT / "deploy" / "k8s"
OVERLAYS = ["single", "cluster"]
VERSION = "1.34"
MADE_BY_PEOPLE = {("Secret", "sulla")}
"""What the manifests name and do not bring (secrets.example.yaml says what is in it)."""

Manifest = dict[str, Any]
_NAMES = {
    "configMapRef": "ConfigMap",
    "configMap": "ConfigMap",
    "secretRef": "Secret",
    "secret": "Secret",
    "serviceAccountName": "ServiceAccount",
    "serviceName": "Service",
    "claimName": "PersistentVolumeClaim",
}
"""The kinds that fields name."""

needs_kustomize = pytest.mark.skipif(
    shutil.which("kubectl") is None, reason="kubectl is not installed, so the overlays cannot be put together"
)


@cache
def _whole(overlay: str) -> tuple[Manifest, ...]:
    run = subprocess.run(
        ["kubectl", "kustomize", K8S / "overlays" / overlay], capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0, run.stderr
    return tuple(yaml.safe_load_all(run.stdout))


def _pods(overlay: str) -> dict[str, Manifest]:
    """The pods' specifications and labels, by what makes them."""
    return {
        one["metadata"]["name"]: one["spec"]["template"] for one in _whole(overlay) if "template" in one.get("spec", {})
    }


def _named(found: object) -> Iterator[tuple[str, str]]:
    """What a manifest names: kinds and names."""
    if isinstance(found, list):
        for one in found:
            yield from _named(one)
    if not isinstance(found, dict):
        return
    for key, value in found.items():
        if (what := _NAMES.get(key)) is not None:
            yield what, value["name"] if isinstance(value, dict) else value
        elif key == "scaleTargetRef":
            yield value["kind"], value["name"]
        yield from _named(value)


def _selectors(one: Manifest) -> Iterator[dict[str, str]]:
    spec = one.get("spec", {})
    if one["kind"] == "Service":
        yield spec["selector"]
    if one["kind"] in ("PodDisruptionBudget", "Deployment", "StatefulSet"):
        yield spec["selector"]["matchLabels"]
    if one["kind"] == "NetworkPolicy":
        yield spec["podSelector"]["matchLabels"]


def _validate(path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kubernetes_validate", "--strict", "-k", VERSION, str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@needs_kustomize
@pytest.mark.skipif(
    importlib.util.find_spec("kubernetes_validate") is None, reason="kubernetes-validate is not installed"
)
@pytest.mark.parametrize("overlay", OVERLAYS)
def test_kubernetes_knows_every_field(overlay: str, tmp_path: Path) -> None:
    path = tmp_path / "whole.yaml"
    path.write_text(yaml.safe_dump_all(_whole(overlay)))
    run = _validate(path)
    assert run.returncode == 0, run.stdout + run.stderr
    path.write_text(path.read_text().replace("terminationGracePeriodSeconds", "terminationGrace"))
    assert _validate(path).returncode != 0, "the judge sees a wrong field"


@needs_kustomize
@pytest.mark.parametrize("overlay", OVERLAYS)
def test_everything_that_is_named_is_there(overlay: str) -> None:
    there = {(one["kind"], one["metadata"]["name"]) for one in _whole(overlay)} | MADE_BY_PEOPLE
    named = {one for manifest in _whole(overlay) for one in _named(manifest)}
    assert ("ServiceAccount", "sulla") in named
    assert named - there == set()


@needs_kustomize
@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_selector_finds_a_pod_and_every_pod_is_behind_the_wall(overlay: str) -> None:
    labels = [set(pod["metadata"]["labels"].items()) for pod in _pods(overlay).values()]
    for one in _whole(overlay):
        for selector in _selectors(one):
            assert any(selector.items() <= some for some in labels), (one["kind"], one["metadata"]["name"])
    assert all(("app.kubernetes.io/name", "sulla") in some for some in labels)


@needs_kustomize
@pytest.mark.parametrize("overlay", OVERLAYS)
def test_a_pod_has_no_rights_and_all_probes_and_a_home(overlay: str) -> None:
    for made in (one for one in _whole(overlay) if "template" in one.get("spec", {})):
        spec = made["spec"]["template"]["spec"]
        (container,) = spec["containers"]
        assert spec["securityContext"]["runAsNonRoot"]
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert {"startupProbe", "livenessProbe", "readinessProbe"} <= container.keys()
        claimed = {one["metadata"]["name"] for one in made["spec"].get("volumeClaimTemplates", ())}
        volumes = {one["name"] for one in spec["volumes"]} | claimed
        assert {mount["name"] for mount in container["volumeMounts"]} <= volumes, made["metadata"]["name"]


@needs_kustomize
def test_a_worker_is_called_like_its_pod() -> None:
    (container,) = _pods("cluster")["sulla-worker"]["spec"]["containers"]
    variables = {one["name"]: one for one in container["env"]}
    assert variables["SULLA_WORK__EXECUTOR"]["valueFrom"]["fieldRef"]["fieldPath"] == "metadata.name"
    assert "sulla/door" not in _pods("cluster")["sulla-worker"]["metadata"]["labels"], "the proxy leads to no worker"


@needs_kustomize
def test_all_workers_have_one_workspace_which_several_nodes_can_write_to() -> None:
    spec = _pods("cluster")["sulla-worker"]["spec"]
    (container,) = spec["containers"]
    place = next(one["value"] for one in container["env"] if one["name"] == "SULLA_AGENT__WORKSPACE")
    mounted = {one["mountPath"]: one["name"] for one in container["volumeMounts"]}
    volumes = {one["name"]: one for one in spec["volumes"]}
    claim = volumes[mounted[place]]["persistentVolumeClaim"]["claimName"]
    made = {(one["kind"], one["metadata"]["name"]): one for one in _whole("cluster")}
    assert made["PersistentVolumeClaim", claim]["spec"]["accessModes"] == ["ReadWriteMany"]
