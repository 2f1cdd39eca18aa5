"""Writes the tables of docs/playbooks.md, and sulla/playbooks/file/playbook.schema.json, from the code.

``python -m tests.playbooks.playbooks_page``
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import sulla.playbooks.file.schema
from sulla.playbooks.expression.filters import FILTERS, TESTS
from sulla.playbooks.file.check_fault import RULES, WARNINGS
from sulla.playbooks.file.form import (
    KINDS,
    LOOP_FIELDS,
    PARTS,
    PLAYBOOK,
    RUN_FIELDS,
    STEP,
    STEP_FIELDS,
    TRIGGER_INPUTS,
    TRIGGERS,
    Key,
)
from sulla.playbooks.file.schema import SCHEMA_FILE, SHAPES, schema_text
from sulla.playbooks.machine import failures
from sulla.playbooks.machine.decide import pause_before_next_s
from sulla.playbooks.rehearsal.cases_form import CASE, ERROR, EXPECT, FIXTURE

PAGE = Path(__file__).resolve().parents[2] / "docs" / "playbooks.md"
SCHEMA = Path(sulla.playbooks.file.schema.__file__).with_name(SCHEMA_FILE)
BEGIN = "<!-- From here on the page is written by tests/playbooks/playbooks_page.py. -->\n"
_FAILURES = """
## How steps fail

A step is tried again as its `retry` says, and without one as the kind of its failure does. A tool's call that is
declared `once` is never tried again by itself, for what it does could be done twice: `bash`, and an `http` with `POST`
or `PATCH` that has no `Idempotency-Key` of its author's among its `headers`. A `retry` at such a step is a fault. A
command that does no harm when it is done twice stands in a loop:

```yaml
steps:
  - id: tries
    loop:
      count: 3
      steps:
        - {id: fetch, tool: bash, with: {command: git fetch}, on_failure: go_on}
        - {id: fine, when: "${{ steps.fetch.error is none }}", break: true}
        - {id: pause, wait: 30s}
  - {id: failed, when: "${{ steps.fetch.error is not none }}", fail: "${{ steps.fetch.error.message }}"}
```

### Kinds of failures

| kind | tried in all | waits before the next try | when |
| --- | --- | --- | --- |
"""
_REASONS = """

### Reasons

`steps.<id>.error.reason`. How the work of an agent or a model ended is told
with other words, too: `provider_…`, `stopped`, `deleted`, and a limit by its name among [all limits](limits.md), such
as `limit_history_tokens` where the task or the question does not fit its model's window.

| reason | of | kind | what it means |
| --- | --- | --- | --- |
"""


def _takes(key: Key) -> str:
    takes = SHAPES[key.takes][0]
    return f"{takes}, {key.low} to {key.high}" if key.high else takes


def _keys(title: str, keys: Iterable[Key]) -> str:
    rows = [f"| `{key.name}`{' *' if key.required else ''} | {_takes(key)} | {key.about} |" for key in keys]
    return f"\n{title}\n\n| key | takes | what it is |\n| --- | --- | --- |\n" + "\n".join(rows) + "\n"


def _list(title: str, head: str, rows: Mapping[str, str]) -> str:
    lines = [f"| `{name}` | {about} |" for name, about in rows.items()]
    return f"\n{title}\n\n| {head} | |\n| --- | --- |\n" + "\n".join(lines) + "\n"


def _failures() -> str:
    """Kinds of failures with what follows by itself, and reasons."""
    kinds, reasons = [], []
    for kind, about in failures.KINDS.items():
        waits: list[float] = []
        while (pause_s := pause_before_next_s(None, [kind] * (len(waits) + 1), repeatable=True)) is not None:
            waits.append(pause_s)
        told = ", ".join(f"{wait_s:g}s" if wait_s else "at once" for wait_s in waits) or "none"
        kinds.append(f"| `{kind}` | {len(waits) + 1} | {told} | {about} |")
    for reason, one in failures.REASONS.items():
        of = ", ".join(f"`{kind}`" for kind in one.kinds) if len(one.kinds) < len(failures.KINDS) else "any"
        reasons.append(f"| `{reason}` | {one.of} | {of} | {one.about} |")
    return f"{_FAILURES}{chr(10).join(kinds)}{_REASONS}{chr(10).join(reasons)}\n"


def tables() -> str:
    """Every key, name, filter and rule, as Markdown."""
    filters = {f"{name}({', '.join(how.takes)})" if how.takes else name: how.about for name, how in FILTERS.items()}
    rules = {rule: about + (" (A warning.)" if rule in WARNINGS else "") for rule, about in RULES.items()}
    return "".join(
        [
            "\n## Every key\n\nThose with a * have to be there.\n",
            _keys("### The file", PLAYBOOK),
            _keys("### Every step", STEP),
            *(_keys(f"### `{kind}`", keys) for kind, keys in KINDS.items()),
            *(_keys(f"### Within `{part}`", keys) for part, keys in PARTS.items()),
            *(_keys(f"### `on: {{{kind}: …}}`", (*keys, TRIGGER_INPUTS)) for kind, keys in TRIGGERS.items()),
            "\n## Every key of a test\n",
            _keys("### A case", CASE),
            _keys("### A fixture", FIXTURE),
            _keys("### Within `error`", ERROR),
            _keys("### Within `expect`", EXPECT),
            _failures(),
            "\n## Every name in an expression\n",
            _list("### `steps.<id>`", "field", STEP_FIELDS),
            _list("### `loop`", "field", LOOP_FIELDS),
            _list("### `run`", "field", RUN_FIELDS),
            _list("### Filters: `value | name`", "filter", filters),
            f"\n### Tests: `value is name`\n\n{', '.join(f'`{name}`' for name in TESTS)}\n",
            _list("## Every rule", "rule", rules),
        ]
    )


def wanted(page: str) -> str:
    """The page as it has to be: what people wrote, and the tables."""
    written, _, _ = page.partition(BEGIN)
    return written + BEGIN + tables()


if __name__ == "__main__":
    PAGE.write_text(wanted(PAGE.read_text()))
    SCHEMA.write_text(schema_text())
