"""A playbook that is saved can be run; what could not be is never written."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.core.errors import Conflict, InvalidInput, NotFound
from sulla.daemon.console.playbook_files import PlaybookFiles
from sulla.definitions.text_file import text_digest
from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.file.check_known import KnownNames

TEA = "name: tea\nsteps:\n  - {id: a, wait: 3s}\n"
LONGER = TEA.replace("3s", "5s")


@pytest.fixture
def catalog(tmp_path: Path) -> PlaybookCatalog:
    return PlaybookCatalog((tmp_path,), KnownNames)


@pytest.fixture
def files(tmp_path: Path, catalog: PlaybookCatalog) -> PlaybookFiles:
    return PlaybookFiles(tmp_path, catalog)


async def test_a_new_one_can_be_run_at_once_and_changed_by_who_has_it(
    files: PlaybookFiles, catalog: PlaybookCatalog, tmp_path: Path
) -> None:
    made = await files.save("tea", TEA, None)
    assert (made.playbook, made.file) == ("tea", f"{tmp_path.name}/tea.yaml")
    assert catalog.get("tea").source == TEA
    changed = await files.save("tea", LONGER, made.saved)
    assert catalog.get("tea").source == LONGER
    with pytest.raises(Conflict):
        await files.save("tea", TEA, made.saved)
    with pytest.raises(Conflict):
        await files.delete("tea", made.saved)
    await files.delete("tea", changed.saved)
    with pytest.raises(NotFound):
        catalog.get("tea")


async def test_one_in_a_file_of_another_name_stays_there(
    files: PlaybookFiles, catalog: PlaybookCatalog, tmp_path: Path
) -> None:
    (tmp_path / "kitchen.yml").write_text(TEA)
    with pytest.raises(Conflict, match="is there already"):
        await files.save("tea", LONGER, None)
    await files.save("tea", LONGER, text_digest(TEA))
    assert [path.name for path in tmp_path.iterdir()] == ["kitchen.yml"]
    assert catalog.get("tea").source == LONGER


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("tea", "name: tea\n", r"tea\.yaml:1:1: .*missing-key"),
        ("tea", TEA.replace("wait", "wiat"), r"tea\.yaml:3:"),
        ("tea", "name: coffee\nsteps:\n  - {id: a, wait: 3s}\n", "calls itself 'coffee'"),
        ("tea.test", TEA, "file of tests"),
    ],
)
async def test_what_could_not_be_run_is_refused_with_its_place_and_not_written(
    files: PlaybookFiles, tmp_path: Path, name: str, text: str, why: str
) -> None:
    with pytest.raises(InvalidInput, match=why):
        await files.save(name, text, None)
    assert list(tmp_path.iterdir()) == []


async def test_one_with_faults_can_be_mended(files: PlaybookFiles, catalog: PlaybookCatalog, tmp_path: Path) -> None:
    (tmp_path / "tea.yaml").write_text("name: tea\n")
    await files.save("tea", TEA, text_digest("name: tea\n"))
    assert catalog.get("tea").source == TEA
