"""What `sulla init` asks somebody at a terminal. Each question is answered by Enter with what is in its brackets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from zoneinfo import ZoneInfo

from sulla.core.dataclass import dataclass
from sulla.core.errors import SettingsError
from sulla.daemon.models.inference import Around, Question, answered, infer, question
from sulla.daemon.settings.starter import Inferred
from sulla.models.catalog import parse_model
from sulla.models.wire.keys import check_key, service_of
from sulla.terminal.table import one_line

Read = Callable[[str], Awaitable[str | None]]
"""Shows a prompt and gives the line that was typed; None if it was left open (Ctrl-D)."""

_TRIES = 3
"""So often a person is asked the same."""

_ANTHROPIC, _OPENAI, _LATER = "Anthropic (needs a key)", "OpenAI, or a service that speaks its API", "none for now"
_ASKED = "this was the answer to its question"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What somebody wants of a new home; what is empty stays as it is without a word."""

    model: Inferred | None = None
    key: str = ""
    """For the model's service. It is never shown."""
    workspace: str = ""
    zone: str = ""

    def settings(self) -> list[Inferred]:
        """What of it stands in `sulla.toml`."""
        found = [self.model] if self.model is not None else []
        found += [Inferred("agent", "workspace", self.workspace, _ASKED)] if self.workspace else []
        return found + ([Inferred("daemon", "zone", self.zone, _ASKED)] if self.zone else [])


class Wizard:
    """Asks. It lives as long as one `sulla init`.

    Args:
        around: what was found.
        read: reads an answer.
        read_secret: the same for what must not be seen; a paste is welcome.
        say: shows a line.
    """

    def __init__(self, around: Around, read: Read, read_secret: Read, say: Callable[[str], None]) -> None:
        self._around = around
        self._read = read
        self._read_secret = read_secret
        self._say = say

    async def ask(self, workspace: Path, zone: str) -> Wishes:
        """Ask for everything.

        Args:
            workspace: what it is without an answer.
            zone: the system's time zone; empty if it is not known.
        """
        model = await self._model()
        key = await self._key(model) if model is not None else ""
        folder = await self._until_right(f"Folder for the files that agents work on [{workspace}]: ", _no_check)
        wanted = await self._until_right(f"Your time zone, for work at set times [{zone or 'UTC'}]: ", check_zone)
        return Wishes(model, key, folder, wanted or zone)

    async def sure(self, what: str, *, usually: bool) -> bool:
        """Whether somebody wants it.

        Args:
            what: the question.
            usually: what Enter says.
        """
        answer = await self._read(f"{what} [{'Y/n' if usually else 'y/N'}]: ")
        return usually if answer is None or not answer.strip() else answer.strip().lower() in ("y", "yes")

    async def _model(self) -> Inferred | None:
        """The one that was found, or that somebody names."""
        if (asked := question(self._around)) is not None:
            return await self._chosen(asked) or infer(self._around)
        if (found := infer(self._around)) is not None:
            return found
        offers = (_ANTHROPIC, _OPENAI, _LATER)
        self._list("Which service's model should answer?", offers)
        match (await self._read("3 if you just press Enter: ") or "").strip():
            case "1":
                return Inferred("model", "name", f"anthropic:{self._around.model.anthropic_model}", _ASKED)
            case "2":
                return await self._chosen(Question("Which of the service's models? (e.g. gpt-5-mini)"))
        return None

    async def _chosen(self, asked: Question) -> Inferred | None:
        self._list(asked.text, asked.choices)
        hint = "1 if you just press Enter: " if asked.choices else "nothing to decide later: "
        for _ in range(_TRIES):
            answer = await self._read(hint)
            if answer is None:
                break
            try:
                return answered(asked, answer)
            except SettingsError as error:
                self._say(one_line(error.message))
        return None

    async def _key(self, model: Inferred) -> str:
        """A key for it, unless one is there or none is needed."""
        provider = parse_model(model.value).provider
        if provider not in ("anthropic", "openai") or self._around.key(provider):
            return ""
        for _ in range(_TRIES):
            key = (
                await self._read_secret(f"The key for {provider} (not shown; Enter to give it later): ") or ""
            ).strip()
            try:
                check_key("it", key)
            except SettingsError as error:
                self._say(error.message)
                continue
            if (service := service_of(key)) and service.lower() != provider:
                self._say(f"that begins like a key of {service}'s; it was not taken")
                continue
            return key
        return ""

    async def _until_right(self, prompt: str, check: Callable[[str], None]) -> str:
        for _ in range(_TRIES):
            answer = (await self._read(prompt) or "").strip()
            try:
                check(answer)
            except SettingsError as error:
                self._say(error.message)
            else:
                return answer
        return ""

    def _list(self, text: str, choices: tuple[str, ...]) -> None:
        self._say(text)
        for number, choice in enumerate(choices, 1):
            self._say(f"  {number}. {one_line(choice)}")


def _no_check(text: str) -> None:
    """Any folder can be one."""


def check_zone(text: str) -> None:
    """Do nothing for a time zone, or none.

    Raises:
        SettingsError: there is no such zone.
    """
    try:
        if text:
            ZoneInfo(text)
    except (OSError, ValueError, LookupError):
        raise SettingsError(f"there is no time zone {text[:80]!r}: expected one such as Europe/Berlin") from None


def system_zone(link: Path = Path("/etc/localtime")) -> str:
    """The system's time zone; empty if it does not say by name.

    Args:
        link: leads to the zone's file.
    """
    try:
        return str(link.resolve(strict=True)).partition("zoneinfo/")[2]
    except OSError:
        return ""
