"""What templates of a playbook are for, in a dry run. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sulla.core.dataclass import dataclass
from sulla.playbooks.definition import Given, Template
from sulla.playbooks.machine.data_flow import templates_in


@dataclass(slots=True)
class TemplateRole:
    """What a template is for."""

    step: str
    what: str


@dataclass(slots=True)
class ArgumentRoles:
    """Which arguments of tools hang on a placeholder."""

    of: dict[int, tuple[str, str]] = field(default_factory=dict, init=False)
    """The step and the argument that a template is for."""
    unknown: dict[str, set[str]] = field(default_factory=dict, init=False)
    """Those arguments, by step."""

    def learn(self, step: str, args: Mapping[str, Given]) -> None:
        """Note what the templates of a tool's step are for."""
        self.of |= {id(it): (step, name) for name, given in args.items() for it in templates_in(given)}

    def note(self, template: Template) -> None:
        """Note that a template hangs on one."""
        if id(template) in self.of:
            step, name = self.of[id(template)]
            self.unknown.setdefault(step, set()).add(name)
