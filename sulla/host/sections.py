"""The sections of the settings that are no capability's own. Pure."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, SecretStr

from sulla.host.section import Address, Count, Money, Port, Seconds, Section
from sulla.tools.shell.bounds import NO_SETTINGS, CommandBounds


def _native(tool: dict[str, Any]) -> dict[str, Any]:
    """Hold a table for a service's own tool against what every such table has."""
    if not isinstance(tool.get("type"), str) or not isinstance(tool.get("name", ""), str):
        raise ValueError('expected a table with the tool\'s `type`, e.g. {type = "web_search"}, and words for names')
    return tool


def native_name(tool: dict[str, Any]) -> str:
    """The name by which agents' lists know a tool that a service runs itself."""
    return str(tool.get("name") or tool["type"])


NativeTool = Annotated[dict[str, Any], AfterValidator(_native)]


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
    direct: bool = True
    """Whether text for clients on WebSockets is written past the layers of the web server, straight to the connection:
    a token costs a quarter less of the processor. False if a version of uvicorn does not go along with that.
    """
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


class WorkSettings(Section):
    """Who runs turns, where several daemons share a store (docs/scale.md)."""

    role: Literal["all", "gateway", "worker"] = "all"
    """What this daemon is there for: `gateway` serves clients and runs no turn, `worker` runs turns and serves nobody
    but who watches it, `all` does both.
    """
    engine: Literal["local", "dbos"] = "local"
    """How daemons on one store share turns: `local`, by looking for them in the store; `dbos`, by a queue in a
    PostgreSQL, which lets gateways be without workers. It needs the extra `cluster`.
    """
    database_url: SecretStr = SecretStr("")
    """The PostgreSQL of that queue, `postgresql://user:password@host:port/database`; empty for the store's."""
    executor: str = ""
    """What this worker is called among the others: the same after each start, and no other one's. Empty for the host's
    name and the home.
    """
    places: Count | None = None
    """How many of `limits.runs`, which counts over all workers of that queue, this worker runs at once at the most;
    without it, all of them.
    """
    poll_s: Annotated[float, Field(ge=0.01, le=60)] = 2.0
    """How often each worker looks into that queue for what nobody was told of, in seconds: workers hear of a wish over
    the store, so this only finds those that were lost on the way. The worker that started last says so for all.
    """


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
    native_tools: dict[Literal["anthropic", "openai"], tuple[NativeTool, ...]] = Field(default={})
    """The tools that a service runs itself, by service, each as the service wants it (docs/models.md)."""
    list_prices: bool = True
    """Whether a model that `[prices]` has not costs what its service's list says, in US dollars (docs/models.md)."""


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
    nudge_tokens: Count = 200
    """Tokens of the answer when an agent is asked for the completion wrapper that its reply lacked; a model that has
    thought before that reply gets as many as for a reply."""
    waiting_inputs: Count = 100
    """Inputs that may wait in one thread."""
    runs: Count = 16
    """Runs at once; with `work.engine = "dbos"` in all workers together, as for the next two."""
    runs_per_agent: Count = 5
    """Runs of one agent at once (seed 001), by who speaks; its sub-agents apart."""
    sub_agents: Count = 8
    """Sub-agents at work at once, of all runs together; more of them wait for their turn."""
    approval_s: Seconds = 86_400.0
    """Seconds that a question whether a call may be made waits for its answer; then it is a no."""
    always_s: Seconds = 2_592_000.0
    """Seconds that an `always` is good: what it allows is asked about again then."""
    message_interval_ms: Annotated[int, Field(ge=0, le=60_000)] = 400
    """Milliseconds between two messages of one thread (seed 004); 0 for none."""
    message_burst: Annotated[int, Field(ge=1, le=1_000)] = 12
    """Messages that one thread takes within `message_window_s`, 1,000 at the most (seed 004)."""
    message_window_s: Annotated[float, Field(ge=0.001, le=3600)] = 10.0
    """The window of `message_burst` and `token_burst`, in seconds (seed 004)."""
    token_burst: Annotated[int, Field(ge=1, le=10_000)] = 60
    """Messages of one token, over all its threads, that are taken within `message_window_s`, 10,000 at the most."""


class DaemonSettings(Section):
    """The process itself."""

    live: ClassVar[frozenset[str]] = frozenset({"log_level"})

    zone: str = ""
    """The time zone of schedules, heartbeats and what agents are told, where nothing else is said, e.g.
    `Europe/Berlin`; empty for the system's.
    """
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
    program_files: tuple[str, ...] = ()
    """Further files and folders of a workspace that your programs run or take orders from, by name or path, e.g.
    `deploy.sh` or `ops/*.yaml`: an agent that has read text from outside asks before it writes them (docs/safety.md).
    """
    max_processes: Annotated[int, Field(ge=16, le=1_000_000)] = NO_SETTINGS.max_processes
    """Processes and threads that one command may have at once, all that it starts taken together, as with all of these
    bounds; one that reaches it is ended, and its result says why.
    """
    max_memory_mb: Annotated[int, Field(ge=64, le=10_000_000)] = NO_SETTINGS.max_memory_mb
    """Memory that the processes of one command may take together, in MB. A command is also ended when the machine's
    free memory has fallen to a tenth of what it was when the command began.
    """
    max_file_mb: Annotated[int, Field(ge=1, le=10_000_000)] = NO_SETTINGS.max_file_mb
    """How large a file may become that a command writes, in MB."""
    max_disk_mb: Annotated[int, Field(ge=1, le=100_000_000)] = NO_SETTINGS.max_disk_mb
    """How much less may be free on the workspace's disk than when a command began, in MB; what other programs write at
    the same time counts, too. Nine tenths of what was free, and of the files that it had room for, are the most.
    """
    max_tmp_mb: Annotated[int, Field(ge=1, le=10_000_000)] = NO_SETTINGS.max_tmp_mb
    """How much fits into the `/tmp` of a command in the sandbox, which is in memory, and into its `/dev/shm`, in MB."""
    max_open_files: Annotated[int, Field(ge=64, le=1_000_000)] = NO_SETTINGS.max_open_files
    """How many files each process of a command may have open."""

    @property
    def bounds(self) -> CommandBounds:
        """What one command may use of the machine."""
        return CommandBounds(
            self.max_processes,
            self.max_memory_mb,
            self.max_file_mb,
            self.max_disk_mb,
            self.max_tmp_mb,
            self.max_open_files,
        )


class WebSettings(Section):
    """How agents read the web and search it (docs/web.md)."""

    live: ClassVar[frozenset[str]] = frozenset({"allow_hosts"})

    search: Literal["", "brave", "searxng"] = ""
    """What searches: `brave`, with `brave_api_key`, or `searxng`, with `searxng_url`; empty for nothing."""
    brave_api_key: SecretStr = SecretStr("")
    """The key for Brave's search. It is never shown."""
    searxng_url: Address = ""
    """Where a SearXNG is, e.g. `http://127.0.0.1:8888`; it must have `json` among its `search.formats`."""
    allow_hosts: tuple[str, ...] = ()
    """Hosts on your own network that agents may read, each `host` or `host:port`; all others on it are refused."""


class TelemetrySettings(Section):
    """What the daemon sends to whoever watches it (docs/operations.md)."""

    otlp_endpoint: Address = ""
    """Where a collector takes spans by OTLP over HTTP, e.g. `http://127.0.0.1:4318/v1/traces`; empty for none. It needs
    the extra `otel`.
    """
