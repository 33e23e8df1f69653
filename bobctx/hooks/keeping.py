"""`--keep FILE`: a rules file comes back into the context after a compaction, unless its text is there already."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LARGEST = 8_000
"""Bytes; hosts cut what a hook adds at about 10,000 characters."""
MARK = "bobctx keep {hash}"


class Kept:
    """What the rules files add now."""

    def __init__(self, texts: list[str], hashes: Mapping[str, str], problems: list[str]) -> None:
        """Texts for the model, path -> hash of what is in the context after this, and sentences for the user."""
        self.texts, self.hashes, self.problems = texts, hashes, problems


def files_to_bring(paths: Iterable[str], known: Mapping[str, str], context: str = "") -> Kept:
    """The files whose hash is not in the context.

    Args:
        paths: Rules files, as the user named them when the hook was installed.
        known: Path -> hash of the texts that were brought since the newest compaction.
        context: A text that is in the context for sure, such as the host's summary.
    """
    import hashlib

    texts: list[str] = []
    problems: list[str] = []
    hashes = dict(known)
    for path in paths:
        name = os.path.basename(path)
        try:
            with open(os.path.expanduser(path), "rb") as file:
                data = file.read(LARGEST + 1)
        except OSError as error:
            problems.append(f"{name} cannot be read ({error.strerror})")
            continue
        if len(data) > LARGEST:
            problems.append(f"{name} is larger than {LARGEST:,} bytes and was not brought back")
            continue
        digest = hashlib.sha256(data).hexdigest()[:16]
        if hashes.get(path) == digest or MARK.format(hash=digest) in context:
            continue
        hashes[path] = digest
        body = data.decode("utf-8", "replace").rstrip()
        texts.append(f"[{MARK.format(hash=digest)}: {name}, a file that the user keeps in this context]\n{body}")
    return Kept(texts, hashes, problems)
