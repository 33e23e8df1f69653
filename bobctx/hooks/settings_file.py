"""A settings file of a host: read, changed by splicing, written in one step with a copy of what it was."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from bobctx.errors import InvalidInput

COPY = ".before-bobctx"
"""Suffix of the copy that is made before the first change."""


class SettingsFile:
    """One file; a link is followed, so that it stays one."""

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path.expanduser()))
        self.copy = self.path.with_name(self.path.name + COPY)

    def read(self) -> str | None:
        """Its text, None where there is none. Raises `InvalidInput`."""
        try:
            return self.path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            return None
        except UnicodeDecodeError as error:
            raise InvalidInput(f"{self.path} is not UTF-8 text; nothing was changed", field="settings") from error
        except OSError as error:
            raise InvalidInput(f"{self.path} cannot be read: {error.strerror}", field="settings") from error

    def write(self, text: str, *, instead_of: str | None, copy: bool = True) -> None:
        """Replace the text, if it is still the one that was read; the mode stays. Raises `InvalidInput`.

        Args:
            text: The new one.
            instead_of: The one that was read, None where there was no file.
            copy: Keep what the file was, where no copy is kept yet.
        """
        if self.read() != instead_of:
            raise InvalidInput(f"{self.path} was changed meanwhile; run the command again", field="settings")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if copy and instead_of is not None and not self.copy.exists():
                shutil.copy2(self.path, self.copy)
            handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=self.path.name)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(text.encode())
                    file.flush()
                    os.fsync(file.fileno())
                if instead_of is not None:
                    shutil.copymode(self.path, name)
                os.replace(name, self.path)
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise InvalidInput(f"{self.path} cannot be written: {error.strerror}", field="settings") from error

    def copied(self) -> str | None:
        """What the file was before the first change, where a copy was made."""
        try:
            return self.copy.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def forget_copy(self) -> None:
        """After an uninstall."""
        self.copy.unlink(missing_ok=True)
