"""Looks at how the commands of agents would run."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from sulla.daemon.doctor.probes import Patient
from sulla.daemon.settings.config import Settings
from sulla.daemon.tools import LAYERS
from sulla.host.findings import Finding, ok, warning
from sulla.tools.shell.layer import Layers, mount_trouble
from sulla.tools.shell.sandbox import Shell

INSTALL = "install bubblewrap (the package has this name with apt, dnf, pacman, apk and zypper)"

OVERLAYS = "see that this user may mount overlays in a namespace of its own"
UNMOUNT = "unmount what is mounted within the workspace, or mount it elsewhere"
ROOT = "Sulla runs as root, so what gets out of a command's bounds can do anything to this machine"
RESCUED = "somebody changed it while a command's changes were put there, and they could not be put back"
MOVE = "move what is missed back to where it was, and remove that folder"
OTHER_USER = "run Sulla as a user of its own"


async def shell(patient: Patient) -> list[Finding]:
    """The sandbox, tried like the daemon tries it at its start, in a folder that is gone afterwards; and what keeps a
    command's bounds."""
    asked = patient.settings.shell
    folder = await asyncio.to_thread(TemporaryDirectory, prefix="sulla-doctor-")
    workspace = Path(folder.name, "workspace")
    try:
        await asyncio.to_thread(workspace.mkdir)
        layers = Layers(Path(folder.name, "layers"))
        found = Shell(asked.path, wanted=asked.sandbox, layers=layers, bounds=asked.bounds)
        await found.open(workspace, patient.clock)
    finally:
        await asyncio.to_thread(folder.cleanup)
    mounted = await asyncio.to_thread(lambda: mount_trouble(os.path.realpath(patient.settings.workspace)))
    layer_trouble = (found.layer_trouble or mounted) if found.sealed else ""
    judged = judge_shell(found.trouble, layer_trouble, wanted=asked.sandbox, root=os.geteuid() == 0)
    told = [replace(finding, found=f"{finding.found}; one may use {found.bounded}") for finding in judged]
    rescued = await asyncio.to_thread(_rescued, patient.settings)
    return [*told, *(warning(f"files of a workspace lie in {folder}: {RESCUED}", MOVE) for folder in rescued)]


def _rescued(settings: Settings) -> tuple[Path, ...]:
    """Folders with files that could not be put back: in the home, or in the workspace where that is on another disk."""
    beside = settings.workspace / ".sulla"
    found = (folder / "rescued" for folder in beside.glob("layer-*"))
    there = (folder for folder in found if folder.is_dir() and any(folder.iterdir()))
    return (*Layers(settings.home / LAYERS).rescued(), *there)


def judge_shell(trouble: str, layer_trouble: str = "", *, wanted: bool, root: bool = False) -> list[Finding]:
    """Whether commands run in a sandbox.

    Args:
        trouble: why not; empty if they do.
        layer_trouble: why what they write cannot be looked through first; empty if it can.
        wanted: whether the settings want one.
        root: whether the daemon runs as root.
    """
    if not trouble:
        sealed = "commands run in a sandbox: without network, and able to write in the workspace alone"
        if layer_trouble:
            said = "where a conversation holds text from outside, a person is asked before each command"
            remedy = UNMOUNT if "is mounted within" in layer_trouble else OVERLAYS
            return [warning(f"{sealed}; {said}: {layer_trouble}", f"{remedy}; then start the daemon again")]
        sealed = f"{sealed}, on a layer over it where a conversation holds text from outside"
        return [warning(f"{sealed}; {ROOT}", OTHER_USER)] if root else ok(sealed)
    said = f"commands run without a sandbox, so a person is asked before each one: {trouble}"
    if root:
        said = f"{said}; {ROOT}"
    if not wanted:
        return ok(said)
    remedy = INSTALL if "is not installed" in trouble else "see that this user may make namespaces"
    return [warning(said, f"{remedy}; then start the daemon again")]
