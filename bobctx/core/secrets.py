"""Known shapes of secrets as typed placeholders, the same one for the same secret. Pure.

`<secret:kind:8hex>` carries a keyed hash, so that a claim about a secret still matches its source while neither
holds it (design, section 5, Secrets). Only shapes that are certain to be secrets are known; a scan never fails.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import replace

import regex

from bobctx.core.identity import ENVELOPE_FIELDS
from bobctx.core.parts import parts_of, text_of
from bobctx.core.types import Json, Message, PriorClaim, Region

PEM_CHARS = 20_000
"""Characters of one key block; one that never ends is hidden up to here."""

_B64 = r"[A-Za-z0-9+/=_-]"
_ID = r"[A-Za-z0-9]"
_TOKENS: Mapping[str, str] = {
    "anthropic": rf"sk-ant-{_B64}{{20,}}+",
    "openai": rf"sk-(?:proj-|svcacct-|admin-|or-v1-)?{_B64}{{20,}}+",
    "stripe": rf"(?:sk|rk|pk)_(?:live|test)_{_ID}{{16,}}+|whsec_{_B64}{{20,}}+",
    "github": rf"gh[pousr]_{_ID}{{30,}}+|github_pat_\w{{40,}}+",
    "gitlab": rf"gl(?:pat|ptt|dt|rt|cbt|soat)-{_B64}{{18,}}+",
    "slack": rf"xox[abeoprs]-{_B64}{{10,}}+|xapp-\d-{_B64}{{20,}}+|https://hooks\.slack\.com/services/[A-Za-z0-9/]{{20,}}+",
    "aws": r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",
    "google": rf"AIza{_B64}{{35}}|ya29\.{_B64}{{20,}}+|GOCSPX-{_B64}{{20,}}+",
    "huggingface": rf"hf_{_ID}{{30,}}+",
    "npm": rf"npm_{_ID}{{36}}",
    "pypi": rf"pypi-AgE{_B64}{{40,}}+",
    "sendgrid": rf"SG\.{_B64}{{16,}}+\.{_B64}{{16,}}+",
    "digitalocean": r"do[opr]_v1_[a-f0-9]{64}",
    "shopify": r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
    "telegram": rf"\d{{8,10}}:AA{_B64}{{33}}",
    "discord": rf"[MNO]{_ID}{{23,25}}\.{_B64}{{6}}\.{_B64}{{27,}}+",
    "databricks": r"dapi[a-f0-9]{32}",
    "groq": rf"gsk_{_ID}{{40,}}+",
    "xai": rf"xai-{_ID}{{40,}}+",
    "twilio": r"SK[a-f0-9]{32}",
    "mailgun": r"key-[a-f0-9]{32}",
    "age": r"AGE-SECRET-KEY-1[A-Z0-9]{58}",
    "vault": rf"hv[sb]\.{_B64}{{24,}}+",
    "jwt": rf"eyJ{_B64}{{10,}}+\.eyJ{_B64}{{10,}}+(?:\.{_B64}*+)?",
}
_SECRET_NAME = regex.compile(
    r"(?:^|[_-])(?:secret|passw(?:or)?d|passwd|pwd|passphrase|token|api[_-]?key|access[_-]?key|private[_-]?key"
    r"|credentials?|auth[_-]?key|account[_-]?key|encryption[_-]?key|signing[_-]?key|secret[_-]?key"
    r"|connection[_-]?string)(?:$|[_-])|(?:apikey|password|passwd|secret|token|accesskey|privatekey|secretkey)$",
    regex.IGNORECASE,
)
"""Names whose value is a secret; `max_tokens` and `tokenizer` are not among them."""
_SCAN = regex.compile(
    r"(?P<mark><secret:[a-z]++:[0-9a-f]{8}>)"
    r"|(?P<pem>-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    rf"(?:(?!-----END )[\s\S]){{0,{PEM_CHARS}}}+(?:-----END (?:[A-Z0-9]+ ){{0,3}}PRIVATE KEY(?: BLOCK)?-----)?)"
    r"|(?<![\w-])(?=[A-Za-z0-9_])(?:"
    + "|".join(rf"(?P<{kind}>(?:{shape})(?![A-Za-z0-9]))" for kind, shape in _TOKENS.items())
    + r"|[a-z][a-z0-9+.-]{1,15}+://[^\s/:@\"'<>]{0,128}+:(?P<url>[^\s/@\"'<>]{1,256}+)@(?=[\w.-])"
    r"|(?i:authorization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?:bearer|basic|token)[ \t]{1,4})"
    r"(?P<header>[A-Za-z0-9+/=_.~-]{8,}+)"
    r"|(?P<name>[A-Za-z_][\w-]{2,79}+)(?:\\?[\"'`])?+[ \t]{0,8}+(?:=>|:=|[:=])[ \t]{0,8}+"
    r"(?:(?P<open>\\?[\"'`])(?P<quoted>[^\s\"'`\\]{4,512}+)(?P=open)"
    r"|(?P<bare>[^\s\"'`,;<>(){}\[\]\\]{6,512}+)(?![(\[{])))",
)
_NO_SECRET = regex.compile(
    r"^(?:\$\{?|%\(|\{\{|<|\*{3,}|x{4,}|\.{3,}|your|my[_-]|example|placeholder|changeme|redacted|none|null|true|false"
    r"|undefined|required|optional|string|str|secret$|password$|process\.env|os\.environ|env\.)",
    regex.IGNORECASE,
)


def redact(text: str, key: bytes) -> str:
    """`text` with every known secret as a placeholder; doing it twice changes nothing more.

    Args:
        text: Any text.
        key: The database's own key, so that a hash cannot be compared across databases.
    """
    if not text:
        return text
    return _SCAN.sub(lambda match: _replaced(match, key), text)


def _replaced(match: regex.Match[str], key: bytes) -> str:
    groups = match.groupdict()
    if groups["mark"] is not None:
        return match.group()
    name = groups["name"]
    if name is None:
        kind = next(k for k in ("pem", "url", "header", *_TOKENS) if groups[k] is not None)
        return _with(match, kind, kind, key)
    group = "quoted" if groups["quoted"] is not None else "bare"
    if _SECRET_NAME.search(name) is None or not _is_value(name, groups[group], group):
        # Only the name was looked at: what follows it may hold a secret of its own.
        head = match.end("name") - match.start()
        return match.group()[:head] + redact(match.group()[head:], key)
    return _with(match, group, "pair", key)


def _is_value(name: str, value: str, form: str) -> bool:
    """Whether what stands behind a secret's name looks like one, not like code, a type or a placeholder."""
    if _NO_SECRET.match(value):
        return False
    if form == "quoted" or name.isupper():
        return True
    return any(c.isdigit() for c in value) and "." not in value[:-1]


def _with(match: regex.Match[str], group: str, kind: str, key: bytes) -> str:
    """The match with one group replaced."""
    start, end = match.span(group)
    whole, base = match.group(), match.start()
    mark = hmac.new(key, b"secret\0" + match.group(group).encode(), hashlib.sha256).hexdigest()[:8]
    return f"{whole[: start - base]}<secret:{kind}:{mark}>{whole[end - base :]}"


def _deep(value: Json, key: bytes) -> Json:
    if isinstance(value, str):
        return redact(value, key)
    if isinstance(value, Mapping):
        return {k: _deep(v, key) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_deep(v, key) for v in value]
    return value


def redact_body(body: Mapping[str, Json], key: bytes) -> Mapping[str, Json]:
    """A posted body without secrets, for a lane that does not store them; its ids and times stay."""
    return {k: v if k in ENVELOPE_FIELDS else _deep(v, key) for k, v in body.items()}


def redact_message(message: Message, key: bytes) -> Message:
    """The message as seats and validator see it; its stored hash and size stay, and it is the same object if clean."""
    body = _deep(dict(message.body), key)
    if body == message.body:
        return message
    parts = parts_of(body)
    return replace(message, body=body, parts=parts, text=text_of(parts))


def redact_region(region: Region, key: bytes) -> Region:
    """Every message of a region without secrets."""
    return replace(region, messages=tuple(redact_message(m, key) for m in region.messages))


def redact_prior(claim: PriorClaim, key: bytes) -> PriorClaim:
    """An earlier claim and the texts it cites without secrets."""
    return replace(claim, text=redact(claim.text, key), cited_text=redact(claim.cited_text, key))
