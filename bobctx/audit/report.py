"""The audit of one transcript: every replacement with its findings and the source line of each claim."""

from __future__ import annotations

import bisect
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bobctx.audit.extracting import Extracting
from bobctx.audit.summaries import Replacement, find
from bobctx.core.comparing import Finding, Status, Summary, judge
from bobctx.core.tokens import Count
from bobctx.core.types import Json, Message

PROBE = 48
"""Characters of a text that are looked for in a file; more would run into its escapes and line ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One finding with its place."""

    finding: Finding
    line: int | None
    """In the transcript, of the newest message that the claim cites; None where it cannot be told."""

    def as_json(self) -> dict[str, Json]:
        """As one row of `findings`."""
        claim = self.finding.stated.claim
        return {
            "status": self.finding.status,
            "type": claim.type,
            "importance": self.finding.stated.importance,
            "claim": claim.text,
            "line": self.line,
            "message": self.finding.stated.cited[-1].id if self.finding.stated.cited else None,
            "reason": self.finding.reason,
            "summary": self.finding.sentence,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionAudit:
    """What one summary kept."""

    replacement: Replacement
    rows: tuple[Row, ...]
    tokens_before: int
    tokens_after: int

    def count(self, status: Status) -> int:
        """Claims with this status."""
        return sum(row.finding.status == status for row in self.rows)

    def as_json(self) -> dict[str, Json]:
        """Counts and findings."""
        return {
            "kind": self.replacement.kind,
            "line": self.replacement.line,
            "conversation": self.replacement.conversation,
            "messages_before": len(self.replacement.before),
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
            "claims": len(self.rows),
            "found": self.count("found"),
            "not_found_verbatim": self.count("not_found_verbatim"),
            "contradicted": self.count("contradicted"),
            "findings": [row.as_json() for row in self.rows],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAudit:
    """One transcript."""

    path: Path
    format: str
    messages: int
    compactions: tuple[CompactionAudit, ...]

    def count(self, status: Status) -> int:
        """Claims with this status over all compactions."""
        return sum(c.count(status) for c in self.compactions)

    def as_json(self) -> dict[str, Json]:
        """With its compactions."""
        return {
            "path": str(self.path),
            "format": self.format,
            "messages": self.messages,
            "compactions": [c.as_json() for c in self.compactions],
        }


ORDER: dict[Status, int] = {"contradicted": 0, "not_found_verbatim": 1, "found": 2}


def audit_file(
    path: Path, count: Count, *, last: int | None = None, advance: Callable[[int], object] = int
) -> FileAudit:
    """Audit one transcript.

    Args:
        path: In any format that can be imported.
        count: Token counter.
        last: Messages that a last-N window keeps; asks for one whatever the format.
        advance: Called with messages read since the last call.

    Raises `InvalidInput` where the file cannot be read as a transcript.
    """
    found = find(path, last=last)
    lines = _Lines(found.source.text)
    reading: dict[tuple[str, int], Extracting] = {}
    audits = []
    for replacement in found.replacements:
        key = (replacement.kind, replacement.conversation)
        extracting = reading.setdefault(key, Extracting(count=count, advance=advance))
        stated = extracting.read(replacement.before)
        summary = Summary(replacement.text, contradicts=replacement.kind == "summary")
        findings = [judge(s, summary) for s in stated]
        findings.sort(key=lambda f: (ORDER[f.status], -f.stated.importance))
        audits.append(
            CompactionAudit(
                replacement=replacement,
                rows=tuple(Row(finding=f, line=lines.of_claim(f)) for f in findings),
                tokens_before=sum(m.tokens for m in extracting.messages),
                tokens_after=count(replacement.text),
            )
        )
    return FileAudit(path=path, format=found.format, messages=found.messages, compactions=tuple(audits))


class _Lines:
    """Line numbers of messages in the file they came from."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(i + 1 for i, c in enumerate(text) if c == "\n")]

    def of_claim(self, finding: Finding) -> int | None:
        """The line of the newest message that the claim cites."""
        cited: Sequence[Message] = finding.stated.cited
        if not cited:
            return None
        for probe in _probes(cited[-1], finding.stated.claim.text):
            place = self._text.find(probe)
            if place >= 0:
                return bisect.bisect_right(self._starts, place)
        return None


def _probes(message: Message, claim: str) -> Iterator[str]:
    """What the message's line holds: its own id, the claim's words, its first words; as JSON may write them."""
    yield f'"uuid":{json.dumps(message.id)}'
    yield f'"uuid": {json.dumps(message.id)}'
    for text in (claim, message.text):
        words = " ".join(text.split("\n", 1)[0].split(" "))[:PROBE].strip()
        if len(words) >= 8:
            yield words
            yield json.dumps(words, ensure_ascii=False)[1:-1]
            yield json.dumps(words)[1:-1]
