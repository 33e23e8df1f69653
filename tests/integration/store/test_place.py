"""Where a database may be: private, on a local disk, a file of its own."""

from __future__ import annotations

import asyncio
import errno
import os
from pathlib import Path

import pytest

from bobctx.errors import StoreRefused
from bobctx.store import place
from tests.integration.store.making import (
    opened,
    put,
    turns,
)


def make_wide(path: Path, mode: int) -> None:
    path.chmod(mode)


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


async def test_directory_and_files_are_private_whatever_the_umask(tmp_path: Path) -> None:
    path = tmp_path / "new" / "lane" / "x.db"
    old = os.umask(0)
    try:
        store = await opened(path)
        await put(store, turns(1, 1))
        modes = {p.name: mode_of(p) for p in (path.parent, path, *place.siblings(path), place.lock_path(path))}
        await store.close()
    finally:
        os.umask(old)
    assert modes.pop("lane") == 0o700
    assert set(modes.values()) == {0o600}


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o701, 0o777])
async def test_a_wider_directory_is_refused_with_what_to_do(path: Path, mode: int) -> None:
    make_wide(path.parent, mode)
    with pytest.raises(StoreRefused) as caught:
        await opened(path)
    assert f"a folder of its own (--db {path.parent / 'bobctx' / path.name})" in caught.value.message
    assert f"chmod 700 {path.parent}" in caught.value.message
    assert caught.value.data["reason"] == "mode"


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o606])
async def test_a_wider_file_is_refused_for_reading_too(path: Path, mode: int) -> None:
    await (await opened(path)).close()
    make_wide(path, mode)
    for readonly in (False, True):
        with pytest.raises(StoreRefused) as caught:
            await opened(path, readonly=readonly)
        assert f"chmod 600 {path}" in caught.value.message


MOUNTS = """\
/dev/vda / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
tmpfs /home/local tmpfs rw 0 0
//box/share /mnt/my\\040share cifs rw 0 0
me@host: /home/far fuse.sshfs rw 0 0
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/var/lib", "ext4"),
        ("/home/ana", "nfs4"),
        ("/home/local/x", "tmpfs"),
        ("/homes", "ext4"),
        ("/mnt/my share/x", "cifs"),
        ("/home/far", "fuse.sshfs"),
    ],
)
def test_the_file_system_is_that_of_the_nearest_mount(folder: str, kind: str) -> None:
    assert place.file_system_of(Path(folder), MOUNTS) == kind


async def test_a_network_file_system_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "file_system_of", lambda *_: "nfs4")
    with pytest.raises(StoreRefused) as caught:
        await opened(path)
    assert caught.value.data["reason"] == "network_file_system"


async def test_a_file_of_another_kind_is_called_so_whatever_its_folder_lets_others_do(path: Path) -> None:
    """Fails if who mistypes a path is told to change the mode of a folder."""
    await asyncio.to_thread(path.write_text, "# A page\n")
    make_wide(path.parent, 0o755)
    with pytest.raises(StoreRefused) as caught:
        await opened(path, readonly=True)
    assert f"{path} is no database" in caught.value.message
    assert caught.value.data["reason"] == "not_a_database"


async def test_a_directory_in_place_of_the_file_is_refused(path: Path) -> None:
    await asyncio.to_thread(path.mkdir)
    with pytest.raises(StoreRefused):
        await opened(path)


def test_the_lock_is_taken_on_a_full_disk_too(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails if the note in the lock file, which others may read, is taken for the lock."""

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    lock = place.Lock(path)
    lock.acquire({"url": "http://127.0.0.1:1"})
    assert place.holder(path) == {}
    lock.release()
