"""The sections of the settings: one frozen model for each capability, which is handed its own values."""

from __future__ import annotations

from typing import Annotated, Literal, get_origin

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationInfo, field_validator

Port = Annotated[int, Field(ge=0, le=65535)]
Seconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]
Money = Annotated[float | None, Field(ge=0, le=1_000_000)]
Address = Annotated[str, Field(repr=False)]
"""A URL; never shown, because it can hold a password."""


class Section(BaseModel):
    """What all sections have in common."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _as_written(cls, value: object, info: ValidationInfo) -> object:
        """A variable holds a list as one text with commas; and `true` is no number, though Python says so."""
        wanted = cls.model_fields[info.field_name or ""].annotation
        if isinstance(value, bool) and wanted is not bool:
            raise ValueError("Input should not be true or false")
        if isinstance(value, str) and get_origin(wanted) is tuple:
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value


class GatewaySettings(Section):
    """Where clients connect."""

    host: str = "127.0.0.1"
    """The address to listen on. Anything but a loopback address lets other machines try, and needs `expose`."""
    expose: bool = False
    """Whether it is meant that other machines can reach the daemon; put a proxy with TLS before it then."""
    port: Port = 8137
    """The port; 0 picks a free one."""
    allowed_hosts: tuple[str, ...] = ()
    """Names, besides loopback ones, under which clients may address the daemon (the Host header)."""
    allowed_origins: tuple[str, ...] = ()
    """Web pages, besides the daemon's own, that may connect (the Origin header), e.g. `https://example.org`."""
    on_leave: Literal["go_on", "stop"] = "go_on"
    """What becomes of a turn whose client leaves while it is shown over REST: it goes on, or it is stopped."""


class StoreSettings(Section):
    """Where everything is kept."""

    url: Address = ""
    """`sqlite:///path`, in the home unless the path begins with `/` or `~`, a server's URL as in the next two, or
    `memory:`; empty for what those say, or else `sqlite:///sulla.db`.
    """
    redis_url: SecretStr = SecretStr("")
    """A Redis, `redis://user:password@host:port/database` (docs/redis.md); not used if `url` or `postgres_url` is."""
    redis_direct: bool = True
    """Whether commands to a Redis are written past its library, on the socket that it has connected: a call takes some
    hundredths of a millisecond less. False if a version of redis-py does not go along with that.
    """
    postgres_url: SecretStr = SecretStr("")
    """A PostgreSQL, `postgresql://user:password@host:port/database` (docs/postgres.md); not used if `url` is set."""
    lease_ttl_s: Annotated[float, Field(ge=1)] = 30.0
    """How long a thread stays somebody's without renewal, in seconds (seed 004 §4)."""
    thread_ttl_s: Annotated[float | None, Field(ge=60)] = None
    """How long a conversation is kept after its last word, in seconds; without it, for ever."""


class ModelSettings(Section):
    """Which language model answers."""

    name: str = ""
    """`anthropic:<model>`, `ollama:<model>`, `openai:<model>` or `offline`; empty to choose by what is configured."""
    anthropic_api_key: SecretStr = SecretStr("")
    """The key for Anthropic. It is never shown."""
    anthropic_base_url: Address = ""
    """Where Anthropic's API is; empty for the service's own address."""
    anthropic_model: str = "claude-sonnet-5-5"
    """The model that an Anthropic key alone selects."""
    ollama_host: Address = ""
    """Where Ollama is: `host`, `host:port` or a URL; empty for `http://127.0.0.1:11434`."""
    openai_api_key: SecretStr = SecretStr("")
    """The key for OpenAI, or for a server that speaks its API and asks for one. It is never shown."""
    openai_base_url: Address = ""
    """Where such a server is, e.g. `http://127.0.0.1:8000/v1`; empty for OpenAI's own address."""
    openai_form: Literal["chat", "responses"] = "chat"
    """Which of OpenAI's two APIs to speak, `chat` or `responses`; every server knows `chat`."""
    reply_tokens: Count = 8192
    """The most tokens that one reply may have; never more than a quarter of the model's window."""
    window_tokens: Annotated[int, Field(ge=0, le=10_000_000)] = 0
    """Tokens that the model takes in and gives out in one call; 0 for what its provider usually has. Ollama's window is
    made this large (16,384 with 0).
    """
    fallback: str = ""
    """The model that answers where the chosen one cannot be asked at all, written like `name`; empty for none."""
    fallback_reasons: tuple[Literal["key_missing", "unauthorized", "unreachable"], ...] = (
        "key_missing",
        "unauthorized",
        "unreachable",
    )
    """What it may answer for. It never answers in the place of a service that is overloaded or refuses a request."""
    summaries: bool = True
    """Whether the model sums up what lies further back in a long conversation."""


class LimitSettings(Section):
    """Bounds that are always on (design §4.8). A day goes from midnight to midnight, UTC."""

    model_calls: Count = 50
    """Model calls per run."""
    run_tokens: Count = 500_000
    """Tokens per run."""
    run_cost: Money = None
    """Money per run, in the unit that `[prices]` speaks of; without it only tokens are counted."""
    thread_day_tokens: Count = 2_000_000
    """Tokens per thread and day."""
    agent_day_tokens: Count = 4_000_000
    """Tokens per agent and day, over all its threads."""
    day_tokens: Count = 5_000_000
    """Tokens per day, of all agents together."""
    day_cost: Money = None
    """Money per day, of all agents together; without it only tokens are counted."""
    run_wall_s: Seconds = 1800.0
    """Seconds per run."""
    history_tokens: Count = 96_000
    """Tokens that a model is shown: the conversation, the prompt and the tools (seed 004 §1)."""
    waiting_inputs: Count = 100
    """Inputs that may wait in one thread."""
    runs: Count = 16
    """Runs at once."""
    runs_per_agent: Count = 5
    """Runs of one agent at once (seed 001), its sub-agents apart."""
    sub_agents: Count = 8
    """Sub-agents at work at once, of all runs together; more of them wait for their turn."""
    approval_s: Seconds = 86_400.0
    """Seconds that a question whether a call may be made waits for its answer; then it is a no."""
    always_s: Seconds = 2_592_000.0
    """Seconds that an `always` is good: what it allows is asked about again then."""
    message_interval_ms: Annotated[int, Field(ge=0, le=60_000)] = 400
    """Milliseconds between two messages of one thread (seed 004); 0 for none."""
    message_burst: Annotated[int, Field(ge=1, le=1_000)] = 12
    """Messages that one thread takes within `message_window_s` (seed 004)."""
    message_window_s: Annotated[float, Field(ge=0.001, le=3600)] = 10.0
    """The window of `message_burst` and `token_burst`, in seconds (seed 004)."""
    token_burst: Annotated[int, Field(ge=1, le=10_000)] = 60
    """Messages of one token, over all its threads, that are taken within `message_window_s`."""


class DaemonSettings(Section):
    """The process itself."""

    drain_s: Seconds = 10.0
    """How long a stop waits for turns to reach a step border, in seconds."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """`debug`, `info`, `warning` or `error`: this and what is worse goes to the log (docs/operations.md)."""
    log_form: Literal["auto", "json", "plain"] = "auto"
    """What the log looks like on standard error: `plain` for people, `json` for machines; with `auto` the first on a
    terminal and else the second. The file in the home is always JSON.
    """


class AgentSettings(Section):
    """The home's own agent."""

    workspace: str = ""
    """The folder that its file tools work in; in the home, unless it begins with `/` or `~`. Empty for `workspace`."""
    completion: Literal["wrapper", "plain"] = "wrapper"
    """How it says that it is done: `wrapper`, by a tag that is asked for once if it is missing, or `plain`, by a reply
    without tool calls.
    """


class ShellSettings(Section):
    """How the commands of agents are run."""

    sandbox: bool = True
    """Whether commands run in bubblewrap, where it is installed and works: without network, and able to write in the
    workspace alone. Without it a person is asked before each command.
    """
    path: str = ""
    """The folders that programs are looked for in, with colons between; empty for the system's own."""


class WebSettings(Section):
    """How agents read the web and search it (docs/web.md)."""

    search: Literal["", "brave", "searxng"] = ""
    """What searches: `brave`, with `brave_api_key`, or `searxng`, with `searxng_url`; empty for nothing."""
    brave_api_key: SecretStr = SecretStr("")
    """The key for Brave's search. It is never shown."""
    searxng_url: Address = ""
    """Where a SearXNG is, e.g. `http://127.0.0.1:8888`; it must have `json` among its `search.formats`."""
    allow_hosts: tuple[str, ...] = ()
    """Hosts on your own network that agents may read, each `host` or `host:port`; all others on it are refused."""


class JournalSettings(Section):
    """Copies of conversations as lines of JSON, in the folder `journal` of the home (docs/journal.md)."""

    enabled: bool = True
    """Whether every event of every thread is written to `conversations.jsonl`."""
    training: bool = False
    """Whether finished runs are written to `training.jsonl` too, as examples for fine-tuning."""
    training_outcomes: tuple[Literal["done", "blocked", "failed", "cancelled"], ...] = ("done",)
    """Runs that ended in one of these ways become examples: `done`, `blocked`, `failed`, `cancelled`."""
    file_bytes: Annotated[int, Field(ge=65_536)] = 16 * 1024 * 1024
    """The most bytes of one file; then another one is begun."""
    keep_files: Annotated[int, Field(ge=1, le=10_000)] = 10
    """Older files that are kept of each of the two; the oldest one goes first."""


class SpeechSettings(Section):
    """What people say aloud (docs/speech.md)."""

    profile: Literal["classic", "adaptive"] = "classic"
    """When a turn ends: by fixed silences, or by how complete the words read."""
    max_live: Annotated[int, Field(ge=1, le=100_000)] = 1000
    """Threads that are spoken in at once; each takes some 20 KB. Another one is refused until one is silent."""
    ttl_s: Annotated[float, Field(ge=60)] = 3600.0
    """How long it is known which chunks of a silent thread are late, in seconds; none comes later than minutes."""


class McpServerSettings(Section):
    """One MCP server (docs/mcp.md): a program that is started, or an address."""

    command: str = ""
    """The program; empty for a server that has an address."""
    args: tuple[str, ...] = ()
    """Its arguments."""
    env: dict[str, SecretStr] = {}
    """What it sees of an environment, beside what every program needs. It is never shown."""
    url: Address = ""
    """Where it is asked over HTTP, e.g. `https://example.org/mcp`; empty for a program."""
    headers: dict[str, SecretStr] = {}
    """What each request to it carries, e.g. `Authorization`. They are never shown."""
    tools: tuple[str, ...] | None = None
    """The tools that agents may use, by the server's own names; without it, all."""
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0
    """How long one call may take, in seconds."""
    reach: Literal["outward", "inward"] = "outward"
    """`inward` is your word that its tools change nothing outside the daemon: then they are used without a question."""


class BeatSettings(Section):
    """One more schedule by which an agent works by itself; what is not said here is as `[heartbeat]` says."""

    agent: str = ""
    """The agent; empty for the home's own."""
    project: str = ""
    """The project that it is to work on; empty to choose by itself."""
    period_s: Annotated[int | None, Field(ge=60, le=31_622_400)] = None
    """Seconds from one beat to the next."""
    jitter_s: Annotated[int | None, Field(ge=0)] = None
    """Seconds by up to which each is put off."""
    cron: str = ""
    """When, as a cron expression instead."""
    active_hours: str = ""
    """When it may work, e.g. `mon-fri 09:00-18:00`."""
    zone: str = ""
    """The time zone of both."""
    missed: Literal["", "skip", "once"] = ""
    """What becomes of beats at which no daemon ran."""


class HeartbeatSettings(Section):
    """When agents work by themselves, and for how much (docs/heartbeat.md)."""

    enabled: bool = False
    """Whether they do."""
    agent: str = ""
    """Who does by this section; empty for the home's own agent."""
    period_s: Annotated[int, Field(ge=60, le=31_622_400)] = 1800
    """Seconds from one beat to the next."""
    jitter_s: Annotated[int, Field(ge=0)] = 30
    """Seconds by up to which each beat is put off, so that not all begin at once; less than `period_s`."""
    cron: str = ""
    """When, as a cron expression instead of a period, e.g. `*/30 9-17 * * mon-fri`, or a word such as `@hourly`."""
    active_hours: str = ""
    """When agents may work, e.g. `mon-fri 09:00-18:00` or `22:00-06:00`; empty for always."""
    zone: str = "UTC"
    """The time zone of `cron` and `active_hours`, e.g. `Europe/Berlin`."""
    missed: Literal["skip", "once"] = "skip"
    """What becomes of beats at which no daemon ran: with `skip` nothing, with `once` one makes up for all of them."""
    prompt: str = ""
    """What an agent is told to do with its time; empty for working on its owner's projects."""
    model: str = ""
    """`provider:model` for beats, e.g. a cheaper one; empty for the agent's own."""
    cycles: Annotated[int, Field(ge=1, le=30)] = 10
    """The most cycles of one beat (seed 004)."""
    wall_s: Seconds = 3600.0
    """How long after its beginning a beat may still begin a cycle."""
    tokens: Annotated[int, Field(ge=12_000)] = 200_000
    """The most tokens of one beat."""
    day_tokens: Annotated[int, Field(ge=0)] = 1_000_000
    """Of an agent's beats on one day (UTC); 0 for none at all."""
    month_tokens: Annotated[int, Field(ge=0)] = 20_000_000
    """The same in one month."""
    cost: Money = None
    """The most money of one beat, in the unit of `prices`; unset for no limit."""
    day_cost: Money = None
    """The same on one day."""
    month_cost: Money = None
    """The same in one month."""
    standing: Annotated[int, Field(ge=1, le=100)] = 3
    """Beats in a row that change nothing before they come less often, and people are told."""
    schedules: Annotated[dict[str, BeatSettings], Field(repr=False)] = {}
    """More of them, for other agents or projects, each in a section of its own, `[heartbeat.schedules.<name>]`."""


class McpSettings(Section):
    """Servers whose tools agents can use (docs/mcp.md)."""

    servers: Annotated[dict[str, McpServerSettings], Field(repr=False)] = {}
    """Each in a section of its own, `[mcp.servers.<name>]`."""


class PlaybookSettings(Section):
    """Playbooks, the prepared ways to do something (docs/playbooks.md)."""

    runs: Count = 10
    """Playbooks at work at once (seed 001); those that wait for time, people or agents hold no place."""
    steps: Count = 50
    """Agents that work on their steps at once."""
    run_tokens: Count = 5_000_000
    """Tokens of one run of a playbook that has no budget of its own, with all that it sets to work."""
    secrets: Annotated[dict[str, SecretStr], Field(repr=False)] = {}
    """Secrets that playbooks use by their names, in a section of its own, `[playbooks.secrets]`, or each in a variable
    `SULLA_SECRET_<NAME>`."""


class MemorySettings(Section):
    """What agents remember of earlier conversations (docs/memory.md)."""

    enabled: bool = True
    """Whether finished turns are remembered, and agents can remember, recall and forget."""
    window: Annotated[int, Field(ge=0, le=1_000)] = 20
    """The newest turns of an agent that it is told of at the beginning of a conversation (seed 001)."""
    section_chars: Annotated[int, Field(ge=500, le=100_000)] = 8_000
    """Characters of all that it is told of its memory there; four make about one token."""
    episodes: Annotated[int, Field(ge=1, le=1_000_000)] = 50_000
    """Turns that are remembered of each agent; the oldest one goes first."""
    facts: Annotated[int, Field(ge=1, le=100_000)] = 2_000
    """Facts that each agent may remember; one more is refused."""


class TelemetrySettings(Section):
    """What the daemon sends to whoever watches it (docs/operations.md)."""

    otlp_endpoint: Address = ""
    """Where a collector takes spans by OTLP over HTTP, e.g. `http://127.0.0.1:4318/v1/traces`; empty for none. It needs
    the extra `otel`.
    """
