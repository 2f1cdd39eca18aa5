"""What lists and commands say of a playbook. Pure."""

from __future__ import annotations

from sulla.core.jsontypes import Json
from sulla.playbooks.catalog import CatalogEntry
from sulla.playbooks.definition import Definition, InputSpec, Trigger
from sulla.playbooks.rpc_forms import PlaybookRow


def listed(shelved: CatalogEntry) -> PlaybookRow:
    """A playbook as a row of a list."""
    of = shelved.sketched
    errors = [said for said in shelved.told if ": warning: " not in said] if shelved.definition is None else []
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return PlaybookRow(
        shelved.name,
        of.description if of is not None else "",
        shelved.definition.digest if shelved.definition is not None else "",
        str(shelved.file),
        _count(shelved.definition) if shelved.definition is not None else 0,
        tuple(map(trigger_told, of.on)) if of is not None else (),
        {name: _input_row(spec) for name, spec in of.inputs.items()} if of is not None else {},
        errors[0] + more if errors else "",
    )


def trigger_told(trigger: Trigger) -> str:
    """What starts a playbook, in a line: ``schedule 0 9 * * 1-5 (Europe/Berlin)``."""
    zone = f" ({trigger.zone})" if trigger.kind == "schedule" and trigger.zone else ""
    return f"{trigger.kind} {trigger.text}".strip() + zone


def _count(definition: Definition) -> int:
    """Its steps, those within loops and branches included."""
    ahead, count = list(definition.all_steps), 0
    while ahead:
        does = ahead.pop().does
        count += 1
        ahead += getattr(does, "body", ())
        ahead += [step for branch in getattr(does, "branches", {}).values() for step in branch]
    return count


def _input_row(spec: InputSpec) -> dict[str, Json]:
    return {
        "type": spec.type,
        "required": spec.required,
        "default": spec.default,
        "description": spec.description,
        **({"choices": list(spec.choices)} if spec.choices else {}),
    }
