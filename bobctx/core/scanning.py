"""The one pattern that finds where a literal may stand, less the kinds that a text has no sign of. Pure.

Linear: alternatives without nested quantifiers, one pass (design, section 6).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import regex

_DIGIT_MARKS = r",'\u2019\u00a0\u202f\u2013"
_COUNTERS = "楼樓层層階个個人名位天日年月周週元円块小时時分秒次回件台本封张張条條項项页頁倍"
_W = r"[\p{Latin}\p{Greek}\p{Cyrillic}\p{M}\p{Nd}_]"
_URL_END = r"[^\s<>\"`\u201c\u201d\u00ab\u00bb\u300c\u300d\u300e\u300f\uff0c\u3002\uff1b\u3001\uff08\uff09|]"
_GAP = r"\s,;!?()\[\]{}\"'<>|*=`"
"""Signs that neither begin a literal nor belong to one behind a plain word."""
_NO_LIST = r"(?!(?<=\.\d{1,2}|\.\d{4,9}|,(?!\d{3},)\d{1,9}),)(?!,\d{1,2}:\d\d(?!\d))(?!,(?!\d{3}\.)\d++\.\d)"
_NO_LIST += r"(?!,\d++e[-+]?\d)(?!(?<=[A-Za-z_][A-Za-z0-9_.-]{0,24}),)"
"""A comma that parts the cells of a line (`94.8,05:58`, `x,12,13`) joins no digits; `1,234.5` is one number."""
_NUMERALS: Final = "一二三四五六七八九十百千两兩"
_KINDS: Final = {
    "plain": rf"""(?P<plain>(?:(?<![\p{{L}}\p{{M}}\p{{N}}_@/\\.:+~$%-])
        (?:[A-Za-z\u00c0-\u00d6][a-z\u00df-\u00f6\u00f8-\u00ff]*+
        |[\u0410-\u044f\u0401\u0451][\u0430-\u044f\u0451]*+)(?=[{_GAP}]|\Z)|[{_GAP}]++)++)""",
    "url": rf"""(?P<url>\b[A-Za-z][A-Za-z0-9+.-]{{1,15}}://{_URL_END}++|(?<!{_W})www\.{_URL_END}++)""",
    "email": r"""(?P<email>(?<![\w.+@-])[A-Za-z0-9_.+-]{1,64}+@[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)++(?::[\w./-]++)?)""",
    "uuid": rf"""(?P<uuid>(?<!{_W})[0-9a-fA-F]{{8}}-[0-9a-fA-F]{{4}}-[0-9a-fA-F]{{4}}-[0-9a-fA-F]{{4}}
        -[0-9a-fA-F]{{12}}(?!{_W}))""",
    "datetime": rf"""(?P<datetime>(?<![\d.])\d{{4}}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?+)?+
        (?:Z|[+-]\d\d:?\d\d)?+(?!{_W}))""",
    "date": rf"""(?P<date>(?<![\d.])\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?![\d/-]|{_W})
        |(?<![\d./-])\d{{1,2}}[./]\d{{1,2}}[./]\d{{4}}(?![\d/])
        |\d{{4}}\s?[年년]\s?\d{{1,2}}\s?[月월](?:\s?\d{{1,2}}\s?[日号號일])?+|\d{{1,2}}\s?[月월]\s?\d{{1,2}}\s?[日号號일]?+)""",
    "path": rf"""(?P<path>(?<![\w/.])(?<!<(?=/\w{{1,24}}>))(?:~|\.{{1,2}}|[A-Za-z]:)?[/\\]\.?{_W}[\w.@+~%/\\-]*+
        |(?<![\w/.@+-])\.?{_W}[\w.@+-]{{0,120}}+(?:/[\w.@+-]++)++/?)""",
    "ip": r"""(?P<ip>(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5}|/\d{1,2})?+(?![\w.]*\d))""",
    "time": r"""(?P<time>(?<![\d:.])\d{1,2}:\d\d(?::\d\d(?:[.,]\d++)?+)?+(?![:\d])
        |(?<![\d:.,])\d{1,2}\s?h\s?\d\d(?!\d|\p{L})
        |(?<![\d:.,])\d{1,2}(?=[ ]?[ap]\.?m\b)
        |(?<![\d:.,])\d{1,2}\s?[时時点點시](?:\s?\d{1,2}\s?[分분])?+(?![间間간]))""",
    "flag": r"""(?P<flag>(?<![\w-])--[A-Za-z][\w-]*+)""",
    "env": r"""(?P<env>\$\{?[A-Z_][A-Z0-9_]*+\}?)""",
    "run": rf"""(?P<run>(?:(?<=[\s(=:\[{{,;<>~≈\uff08\uff1a]|^)[-\u2212+](?=\d))?+{_W}++
        (?:(?:[-.]|(?<=\d){_NO_LIST}[{_DIGIT_MARKS}](?=\d))
        {_W}++)*+)""",
    "cjk": rf"""(?P<cjk>(?<!第)(?<![{_NUMERALS}]{{32}})[{_NUMERALS}]++(?=[{_COUNTERS}]))""",
}
"""Alternatives of the scanning pattern in the order they are tried."""
_SIGNS: Final = (("url", ("://", "www.")), ("email", ("@",)), ("path", ("/", "\\")), ("env", ("$",)), ("flag", ("--",)))
"""Kinds that are looked for only in texts with one of these signs."""


def scanner(text: str) -> regex.Pattern[str]:
    """The pattern for this text; its last group names the kind of each match."""
    return _without(frozenset(kind for kind, signs in _SIGNS if not any(sign in text for sign in signs)))


@lru_cache(maxsize=32)
def _without(absent: frozenset[str]) -> regex.Pattern[str]:
    """The scanning pattern without the kinds that a text cannot have."""
    body = "|".join(alternative for kind, alternative in _KINDS.items() if kind not in absent)
    return regex.compile(body, regex.VERBOSE | regex.MULTILINE)
