"""What `sulla init` asks somebody at a terminal. Each question is answered by Enter with what is in its brackets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from sulla.core.dataclass import dataclass
from sulla.core.errors import SettingsError
from sulla.daemon.models.inference import Around, Question, answered, infer, of_ollama, question
from sulla.daemon.settings.starter import Inferred
from sulla.models.catalog import parse_model
from sulla.models.ollama.probe import address
from sulla.models.wire.keys import check_key, service_of
from sulla.terminal.table import one_line
from sulla.tools.zones import no_zone

Find = Callable[[str], Awaitable[tuple[str, ...] | None]]
"""Asks which models the Ollama at an address has; None if none answers there."""

Read = Callable[[str], Awaitable[str | None]]
"""Shows a prompt and gives the line that was typed; None if it was left open (Ctrl-D)."""

_TRIES = 3
"""So often a person is asked the same."""

_ANTHROPIC, _OPENAI = "Anthropic ({})", "OpenAI, or a service that speaks its API ({})"
_OLLAMA, _LATER = "Ollama", "none for now"
_ASKED = "this was the answer to its question"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What somebody wants of a new home; what is empty stays as it is without a word."""

    model: Inferred | None = None
    key: str = ""
    """For the model's service. It is never shown."""
    addresses: tuple[tuple[str, str], ...] = ()
    """Where services are, or will be, by their settings."""
    workspace: str = ""
    zone: str = ""

    def settings(self) -> list[Inferred]:
        """What of it stands in `sulla.toml`."""
        found = [self.model] if self.model is not None else []
        found += [Inferred("model", key, address, _ASKED) for key, address in self.addresses]
        found += [Inferred("agent", "workspace", self.workspace, _ASKED)] if self.workspace else []
        return found + ([Inferred("daemon", "zone", self.zone, _ASKED)] if self.zone else [])


class Wizard:
    """Asks. It lives as long as one `sulla init`.

    Args:
        around: what was found.
        read: reads an answer.
        read_secret: the same for what must not be seen; a paste is welcome.
        say: shows a line.
        find: looks for an Ollama.
    """

    def __init__(self, around: Around, read: Read, read_secret: Read, say: Callable[[str], None], find: Find) -> None:
        self._around = around
        self._read = read
        self._read_secret = read_secret
        self._say = say
        self._find = find
        self._addresses: dict[str, str] = {}
        """Where services are, by their settings, as somebody has said here."""

    async def ask(self, workspace: Path, zone: str) -> Wishes:
        """Ask for everything.

        Args:
            workspace: what it is without an answer.
            zone: the system's time zone; empty if it is not known.
        """
        model = await self._model()
        key = await self.key(model) if model is not None and not self._has_key(model) else ""
        folder = await self._until_right(f"Folder for the files that agents work on [{workspace}]: ", check_folder)
        wanted = await self._until_right(f"Your time zone, for work at set times [{zone or 'UTC'}]: ", check_zone)
        return Wishes(model, key, tuple(self._addresses.items()), folder, wanted or zone)

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
        around, found = self._around, infer(self._around)
        if (asked := question(around)) is not None:
            return await self._of_openai(asked) or found
        if around.is_settled:
            return found
        where = address(around.model.ollama_host)
        state = f"none answers at {where} now" if around.ollama is None else f"{where} has no model yet"
        models = [f"ollama:{name}" for name in around.usable]
        services = [name.format(self._key_state(of)) for name, of in ((_ANTHROPIC, "anthropic"), (_OPENAI, "openai"))]
        elsewhere = [] if models else [_OLLAMA]
        offers = [*models, *services, *(f"Ollama, here or on another machine ({state})" for _ in elsewhere), _LATER]
        does = [*models, _ANTHROPIC, _OPENAI, *elsewhere, _LATER]
        usual = _ANTHROPIC if around.key("anthropic") else does[0] if models else _LATER
        self._list("Which model should answer?", tuple(offers))
        for _ in range(_TRIES):
            said = await self._read(f"{does.index(usual) + 1} if you just press Enter, or a name: ")
            if said is None or not (said := said.strip()):
                said = str(does.index(usual) + 1)
            what = does[int(said) - 1] if said.isdecimal() and 1 <= int(said) <= len(does) else said
            if what == _ANTHROPIC:
                return Inferred("model", "name", f"anthropic:{around.model.anthropic_model}", _ASKED)
            if what == _OPENAI:
                return await self._of_openai(Question("Which of the service's models? (e.g. gpt-5-mini)"))
            if what == _OLLAMA:
                return await self._of_ollama(where)
            if what == _LATER:
                return None
            if (name := _named(what, around.usable)) is not None:
                return Inferred("model", "name", name, _ASKED)
            example = f"anthropic:{around.model.anthropic_model}"
            expected = f"expected a number from 1 to {len(does)}, or a name such as {example}"
            self._say(one_line(f"{said!r} is none of them: {expected}"))
        return found

    def _key_state(self, provider: str) -> str:
        return "its key is there" if self._around.key(provider) else "needs a key"

    async def _of_openai(self, asked: Question) -> Inferred | None:
        """One of a service's that speaks OpenAI's API, wherever that is. A key that looks like OpenAI's says where."""
        model = self._around.model
        if not model.openai_base_url and service_of(model.openai_api_key.get_secret_value()) != "OpenAI":
            prompt = "The service's address, e.g. https://openrouter.ai/api/v1 [OpenAI's own]: "
            if given := await self._until_right(prompt, check_base_url):
                self._addresses["openai_base_url"] = given
        return await self._chosen(asked)

    async def _of_ollama(self, where: str) -> Inferred | None:
        """One of an Ollama's, which may be elsewhere, or not there yet."""
        around = self._around
        if around.ollama is None:
            given = await self._until_right(f"Where it is, or will be [{where}]: ", _check_address)
            if given:
                self._addresses["ollama_host"] = given
            around = replace(around, ollama=await self._find(given or around.model.ollama_host))
            if around.ollama is None:
                self._say(f"no Ollama answers at {address(given) if given else where} yet: `ollama serve` starts one")
        return await self._chosen(of_ollama(around)) or infer(around)

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

    def _has_key(self, model: Inferred) -> bool:
        """Whether a key for it is there, or none is needed."""
        provider = parse_model(model.value).provider
        return provider not in ("anthropic", "openai") or bool(self._around.key(provider))

    async def key(self, model: Inferred) -> str:
        """A key for a model's service; empty if nobody gives one.

        Args:
            model: the model.
        """
        provider = parse_model(model.value).provider
        elsewhere = provider == "openai" and bool(self._addresses or self._around.model.openai_base_url)
        whose, none = ("that service", "if it takes none, or ") if elsewhere else (provider, "")
        for _ in range(_TRIES):
            key = (
                await self._read_secret(f"The key for {whose} (it is not shown; Enter {none}to give it later): ") or ""
            ).strip()
            try:
                check_key("it", key)
            except SettingsError as error:
                self._say(error.message)
                continue
            if not elsewhere and (service := service_of(key)) and service.lower() != provider:
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


def _named(text: str, models: tuple[str, ...]) -> str | None:
    """The model that somebody has typed the name of; None if it is none.

    Args:
        text: a name with its service, or one of an Ollama's.
        models: what the Ollama has.
    """
    try:
        return str(parse_model(f"ollama:{text}" if text in models else text))
    except SettingsError:
        return None


def check_folder(text: str) -> None:
    """Refuse what no folder can be made at.

    Raises:
        SettingsError: it is a file, or lies below one.
    """
    found = Path(text).expanduser()
    there = next((one for one in (found, *found.parents) if one.exists()), None)
    if text and there is not None and not there.is_dir():
        raise SettingsError(f"{str(there)!r} is a file: name a folder, there already or to be made")


def check_base_url(text: str) -> None:
    """Refuse what is no address of a service that speaks OpenAI's API; nothing stands for OpenAI's own.

    Raises:
        SettingsError: it is no URL, or has a password in it.
    """
    try:
        parts = urlsplit(text)
        right = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and not parts.username
    except ValueError:
        right = False
    if text and (not right or any(char.isspace() for char in text)):
        raise SettingsError(
            f"{text[:80]!r} is no address of a service: "
            "expected one such as http://127.0.0.1:1234/v1, without a password"
        )


def _check_address(text: str) -> None:
    """Refuse what is no address of an Ollama."""
    address(text)


def check_zone(text: str) -> None:
    """Do nothing for a time zone, or none.

    Raises:
        SettingsError: there is no such zone.
    """
    try:
        if text:
            ZoneInfo(text)
    except (OSError, ValueError, LookupError):
        raise SettingsError(no_zone(text).message) from None


def system_zone(link: Path = Path("/etc/localtime")) -> str:
    """The system's time zone; empty if it does not say by name.

    Args:
        link: leads to the zone's file.
    """
    try:
        return str(link.resolve(strict=True)).partition("zoneinfo/")[2]
    except OSError:
        return ""
