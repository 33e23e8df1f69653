"""Every setting, in one table: name, environment variables, default, help (design, section 10).

Only `runtime` and `cli` read this; every other module receives values. `docs/settings.md` is
generated from the same table (`python -m bobctx.settings > docs/settings.md`).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from bobctx import places
from bobctx.core.budget import HISTORY_MAX, STEP
from bobctx.errors import ConfigurationError

PREFIX = "BOBCTX_"

Names = Annotated[tuple[str, ...], NoDecode]
"""A comma-separated list."""


def row(default: Any, help_text: str, *variables: str, **limits: Any) -> Any:
    """One line of the table; `variables` are complete names, the first that is set wins."""
    return Field(
        default, description=help_text, validation_alias=AliasChoices(*variables) if variables else None, **limits
    )


class Settings(BaseSettings):
    """One lane: one daemon, one database."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        env_ignore_empty=True,
    )

    # -- where things are --
    db: Path | None = row(
        None,
        "Database file. Unset: `bobclaw_context.db` beside `MEMORY_SQLITE_PATH`, else `bobctx/bobctx.db` in "
        "`$XDG_DATA_HOME` (`~/.local/share`).",
        "BOBCTX_DB",
        "CONTEXT_DB",
    )
    memory_sqlite_path: Path | None = row(
        None,
        "The host's memory database. Never opened: only its folder is used.",
        "BOBCTX_MEMORY_SQLITE_PATH",
        "MEMORY_SQLITE_PATH",
    )
    xdg_data_home: Path | None = row(None, "Base folder for data.", "BOBCTX_XDG_DATA_HOME", "XDG_DATA_HOME")
    key_file: Path | None = row(
        None, "File of hashed keys. Unset: beside the database, its name with `.keys.json`. Re-read when it changes."
    )
    synchronous: Literal["NORMAL", "FULL"] = row(
        "NORMAL", "SQLite's `synchronous`. `NORMAL`: a power cut may lose the last moments; `FULL` waits for the disk."
    )

    # -- the daemon --
    host: str = row("127.0.0.1", "Address to listen on.")
    port: int = row(8642, "Port to listen on; 0 takes a free one.", ge=0, le=65535)
    socket: Path | None = row(None, "Listen on this Unix socket (mode 0600) instead of an address.")
    allowed_hosts: Names = row(
        (), "Further names a request's `Host` may carry, comma-separated; loopback names and `host` always may."
    )
    allowed_origins: Names = row((), "Origins a browser page may call from, comma-separated; every other is refused.")
    url: str | None = row(
        None,
        "Where client libraries find the daemon; commands find it through the database. Unset: from `socket`, `host` "
        "and `port`.",
    )
    key: str | None = row(None, "Key that clients and CLI send. Unset: the default key's file beside the key file.")
    max_body_mb: int = row(64, "Largest request body, MB.", ge=1, le=1024)
    max_messages: int = row(10_000, "Most messages in one call.", ge=1)
    max_prompt_bytes: int = row(
        20_000_000, "Most bytes of an assembled message list, beside its tokens; media goes first.", ge=10_000
    )
    max_depth: int = row(64, "Deepest nesting of a request body.", ge=4, le=200)
    idempotency_ttl_s: float = row(
        86_400.0, "How long an `Idempotency-Key` is remembered, seconds; at most the newest 200,000.", gt=0
    )
    drain_timeout_s: float = row(10.0, "Longest wait for running requests and compactions on stop, seconds.", ge=0)
    log_level: Literal["debug", "info", "warning", "error"] = row("info", "Least severe event that is logged.")
    log_format: Literal["json", "console"] = row("json", "Log lines as JSON or for reading.")

    # -- modes --
    mode: Literal["off", "fit", "shadow", "live"] = row(
        "live",
        "`off` returns messages unchanged; `fit` neither compacts nor injects; `shadow` compacts but fits like `fit`; "
        "`live` shows claims.",
    )
    claims_in_prompt: bool = row(
        True, "Off: mode `live` acts as `shadow`.", "BOBCTX_CLAIMS_IN_PROMPT", "BOB_CLAIMS_IN_PROMPT"
    )
    compactor_enabled: bool = row(
        True,
        "Off: no new compactions; stored claims are still shown.",
        "BOBCTX_COMPACTOR_ENABLED",
        "BOB_COMPACTOR_ENABLED",
        "BOB_COMPACTOR_SHADOW",
    )
    context_fit_enabled: bool = row(
        True,
        "Off: the whole module off; assemble gives the last 20 messages or 8192 characters, the newest always.",
        "BOBCTX_CONTEXT_FIT_ENABLED",
        "BOB_CONTEXT_FIT_ENABLED",
    )

    # -- the reverse proxy --
    openai_upstream: str | None = row(
        None,
        "Where `/openai/v1/…` is forwarded: what the SDK takes as `base_url`, such as `https://api.openai.com/v1`. "
        "Unset: off.",
    )
    anthropic_upstream: str | None = row(
        None, "Where `/anthropic/v1/…` is forwarded, such as `https://api.anthropic.com`. Unset: off."
    )
    proxy_mode: Literal["off", "fit", "shadow", "live"] = row(
        "shadow",
        "Mode of proxied requests, at most `mode`. The key's or the conversation's own mode comes first.",
    )
    proxy_user: str | None = row(
        None,
        "Whose conversations proxied requests from this machine are that bring no `x-bobctx-key`. For machines with "
        "one user: every local program then counts as that user. Unset: a key is needed.",
        max_length=512,
    )
    holdout: float = row(
        0.0,
        "Share of conversations (0 to 1) that stay in `shadow` while the lane is `live`: what claims save is measured "
        "against them. A conversation's own mode comes first.",
        ge=0,
        le=1,
    )

    # -- fit --
    window: int | None = row(
        None, "Context window in tokens for every model. Unset: by model from the catalogue, else 32768.", gt=0
    )
    profile: Literal["default", "long"] = row("default", "`default`: history gets 50 % of the window; `long`: 75 %.")
    history_max_tokens: int = row(HISTORY_MAX, "Most tokens of history in one prompt.", ge=1_000)
    history_share: float | None = row(
        None, "Share of the window for history, 0.05 to 0.9. Unset: by profile.", ge=0.05, le=0.9
    )
    anchor_step: float = row(STEP, "How far the tail's start moves at once, as a share of the tail's room.", gt=0, le=1)
    policy: Literal["seed", "pinned", "ranked"] = row("pinned", "How claims are chosen when not all fit.")
    recall: bool = row(
        False, "Show claims for the newest user message before it: 3 % of the history, taken from the block's 15 %."
    )
    injected_prefixes: Names = row(
        (),
        "What texts of the host begin with, comma-separated: a user message whose every text begins so counts as "
        "`injected`, that is, it does not anchor the opening and gives no orders. Clients that are made with "
        "`runtime.daemon_of` fit by it too.",
    )
    style: Literal["seed", "compact"] = row("compact", "How the claims block is written.")
    assemble_deadline_ms: int = row(250, "After this, assemble answers by plain fit, milliseconds.", ge=1)
    client_timeout_ms: int = row(300, "After this, the client library fits locally, milliseconds.", ge=1)

    # -- choosing claims for a task --
    compile_per_kind: int | None = row(
        None,
        "Most claims of one type in a compiled context. Unset: any number.",
        ge=1,
    )
    vectors: bool = row(False, "Also find claims by meaning in `compile`; needs `pip install -e '.[vectors]'`.")
    recall_max_distance: float | None = row(
        None,
        "Leave out claims farther from the task than this cosine distance; ignored, with a warning, without "
        "vectors. Unset: off.",
        gt=0,
        le=2,
    )

    # -- compaction --
    compactor_model: str = row(
        "extractive",
        "Seat that compacts: `extractive` (no model), a model as litellm names it (`deepseek/deepseek-chat`), a model "
        "of `BOBCTX_COMPACTOR_BASE_URL`, or `scripted:FILE` for tests and drills.",
    )
    compactor_base_url: str | None = row(
        None, "OpenAI-compatible endpoint of the seat, with its version path; asked without any SDK."
    )
    compactor_api_key: str | None = row(
        None, "Key of the seat. Unset: none, or the provider's own variable where litellm knows one.", repr=False
    )
    compactor_fallbacks: Names = row((), "Further models, asked where a provider fails, comma-separated (litellm).")
    compactor_window: int | None = row(
        None, "Tokens the seat's model reads. Unset: by model from the catalogue, else 32768.", gt=0
    )
    compactor_place: Literal["auto", "local", "cloud"] = row(
        "auto",
        "Where the seat runs; `local` seats may read all text. `auto`: local where the endpoint is a loopback one.",
    )
    seat_profile: Literal["standard", "small"] = row(
        "standard",
        "How the seat is asked. `small`: for local models of a few billion parameters, in windows of a few messages "
        "(see docs/seats.md).",
    )
    compactor_allow: Names = row(
        (),
        "Rows `BACKEND=SEAT` (or `=PROVIDER`), comma-separated: a cloud seat that may read another provider's "
        "conversations.",
    )
    cloud_backends: Names = row(
        (), "Further backend names that count as cloud (`cloud_ok`), comma-separated; the known ones are built in."
    )
    compactor_region_tokens: int = row(
        12_000,
        "Largest region given to a seat, tokens.",
        "BOBCTX_COMPACTOR_REGION_TOKENS",
        "BOB_COMPACTOR_REGION_TOKENS",
        ge=500,
    )
    regions_per_run: int = row(4, "Regions compacted in one run.", ge=1)
    max_concurrent: int = row(2, "Runs at once in the lane.", ge=1)
    cooldown_s: float = row(300.0, "Pause of a conversation after a failed region, seconds.", ge=0)
    quiet_s: float = row(30.0, "Pause after an edit before its region is compacted again, seconds.", ge=0)
    seat_timeout_s: float = row(120.0, "Longest wait for one reply of a seat, seconds.", gt=0)
    compact_wait_s: float = row(
        300.0, "Longest wait of a call that compacts now, seconds; the run goes on without its caller.", gt=0
    )
    compactor_price: Names = row(
        (),
        "Dollars a million tokens the seat reads and writes, `IN,OUT`. Unset: by model from the catalogue; see "
        "`unknown_price`.",
    )
    unknown_price: Names = row(
        (),
        "What a seat without a price counts as at least, `IN,OUT` in dollars a million tokens. It counts as the "
        "dearest model of the catalogue, 150,600 or more, so that hardly any call passes the caps: set "
        "`compactor_price`.",
    )
    max_usd_per_day: float = row(
        5.0,
        "Most that seats may cost in the lane in 24 hours, US dollars; beyond it the extractor does the work.",
        ge=0,
    )
    max_usd_per_conversation_hour: float = row(
        1.0, "Most that seats may cost for one conversation in an hour, US dollars.", ge=0
    )
    store_secrets: bool = row(
        True, "Off: known secrets are replaced by placeholders before anything is stored; nobody can read them back."
    )
    retention_check_s: float = row(
        3_600.0, "How often messages past their user's retention are looked for, seconds.", gt=0
    )
    admins: Names = row((), "Speakers whose directives bind others, comma-separated. Empty: every user.")

    @field_validator(
        "allowed_hosts",
        "allowed_origins",
        "cloud_backends",
        "admins",
        "injected_prefixes",
        "compactor_fallbacks",
        "compactor_allow",
        "compactor_price",
        "unknown_price",
        mode="before",
    )
    @classmethod
    def _split(cls, value: Any) -> Any:
        return tuple(v.strip() for v in value.split(",") if v.strip()) if isinstance(value, str) else value

    @field_validator("openai_upstream", "anthropic_upstream")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        parts = urlsplit(value or "")
        if value is not None and (parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc):
            raise ValueError("an address is needed that begins with http:// or https:// and holds no password")
        return value

    @field_validator("db", "memory_sqlite_path", "key_file")
    @classmethod
    def _names_a_file(cls, value: Path | None) -> Path | None:
        if value is not None:
            try:
                resolved = value.expanduser().resolve()
            except (RuntimeError, ValueError, OSError) as exc:  # links in a circle, no home, a null character
                raise ValueError(f"{value} names no file: {exc}") from exc
            if not resolved.name:
                raise ValueError(f"{value} is a directory; name a file in a folder of its own")
        return value

    @property
    def db_path(self) -> Path:
        """The database file (design, section 3)."""
        named, memory, home = (
            None if p is None else str(p) for p in (self.db, self.memory_sqlite_path, self.xdg_data_home)
        )
        return Path(places.database(named, memory, home))

    @property
    def keys_path(self) -> Path:
        """The file of hashed keys."""
        return self.key_file.expanduser() if self.key_file else Path(places.key_file(str(self.db_path)))

    @property
    def daemon_path(self) -> Path:
        """Where a running daemon says how it is reached: the database's name with `.daemon.json`."""
        return Path(places.daemon_note(str(self.db_path)))

    @property
    def base_url(self) -> str:
        """Where clients find the daemon, without a running one to ask."""
        if self.url:
            return self.url.rstrip("/")
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


def load(**overrides: Any) -> Settings:
    """Settings from the environment, `overrides` first. Raises `ConfigurationError`, naming the variable."""
    try:
        return Settings(**{k: v for k, v in overrides.items() if v is not None})
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_input=False)[0]
        place = str(first["loc"][0]) if first["loc"] else "?"
        variable = place if place not in Settings.model_fields else _names(place)[0]
        raise ConfigurationError(f"{variable}: {first['msg']}", field=place) from exc


def _names(name: str) -> tuple[str, ...]:
    """The environment variables of one setting; the first that is set wins."""
    alias = Settings.model_fields[name].validation_alias
    if isinstance(alias, AliasChoices):
        return tuple(str(choice) for choice in alias.choices)
    return (PREFIX + name.upper(),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One setting as documented."""

    name: str
    env: tuple[str, ...]
    default: str
    help: str


def table() -> tuple[Row, ...]:
    """Every setting in the order of the class."""
    return tuple(
        Row(name=name, env=_names(name), default=_shown(field.default), help=field.description or "")
        for name, field in Settings.model_fields.items()
    )


def _shown(value: Any) -> str:
    if value is None or value == ():
        return "unset"
    return str(value).lower() if isinstance(value, bool) else str(value)


OF_COMMANDS = {
    f"{PREFIX}CONVERSATION": "The conversation that a command is about: `-c` (also of `bobctx mcp`).",
    f"{PREFIX}USER": "Whose it is: `-u`. Hooks take it too, else the name of the account.",
}
"""Variables that only commands read, as what an option says."""


def unknown_variables() -> list[str]:
    """Names in the environment with our prefix that are no setting: most likely misspelt."""
    known = {name for item in table() for name in item.env} | OF_COMMANDS.keys()
    return sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known)


def as_markdown() -> str:
    """The table as `docs/settings.md` shows it."""
    lines = [
        "# Settings",
        "",
        "Each is read from the environment; where several variables are named, the first that is set wins.",
        "",
        "| name | environment | default | what it does |",
        "|---|---|---|---|",
    ]
    for item in table():
        env = ", ".join(f"`{e}`" for e in item.env)
        lines.append(f"| {item.name} | {env} | {item.default} | {item.help.replace('|', '/')} |")
    lines += ["", "Read by commands alone, in place of an option:", "", "| environment | what it does |", "|---|---|"]
    lines += [f"| `{name}` | {text} |" for name, text in OF_COMMANDS.items()]
    lines += ["", "Another name that begins with `BOBCTX_` is most likely misspelt: `serve` and `doctor` say so."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(as_markdown(), end="")
