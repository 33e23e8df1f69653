"""Search in one scope: folded words, pairs of characters, identifiers, and queries full of operators."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bobctx.core.types import Scope
from bobctx.store import SqliteStore
from tests.integration.store.making import SCOPE, posted, put, turns

TEXTS = {
    "en": "Never enable zeta-sync on the staging cluster",
    "path": "see /etc/nginx/conf.d/site-available.conf and src/app/main_window.py for the handler",
    "uuid": "request 3f2504e0-4f89-11d3-9a0c-0305e82c3301 failed with E4711",
    "camel": "call fetchUserProfile() before renderAvatar()",
    "fr": "La clé d'accès a été révoquée à Besançon",
    "de": "Die Straße wird für die Größe gesperrt",
    "zh": "请不要修改生产环境的配置文件",
    "ja": "サーバーの設定を変更しないでください",
    "ko": "서버의 설정을 변경하지 마세요",
    "th": "ห้ามเปลี่ยนการตั้งค่า",
    "ru": "Никогда не включайте синхронизацию",
    "ar": "لا تُفَعِّل المُزامَنة أبدا",
    "version": "pin libfoo to 3.14.2, the admin port is 9443",
}


@pytest.fixture
async def filled(store: SqliteStore) -> SqliteStore:
    """One message for each text, with small talk around."""
    await put(store, [posted(key, "user", text) for key, text in TEXTS.items()])
    await put(store, turns(1, 30, text="weather"))
    task = store._catching_up.task
    if task is not None:
        await task
    return store


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("zeta-sync", "en"),
        ("ZETA sync", "en"),
        ("staging enable", "en"),
        ("conf.d", "path"),
        ("nginx/conf", "path"),
        ("main_window.py", "path"),
        ("ain_wind", "path"),  # part of an identifier
        ("4f89-11d3", "uuid"),
        ("E4711", "uuid"),
        ("userprofile", "camel"),  # part of a camel-case name
        ("cle d acces", "fr"),
        ("BESANCON", "fr"),
        ("strasse", "de"),
        ("grosse", "de"),
        ("配置", "zh"),
        ("生产环境", "zh"),
        ("请", "zh"),  # one character, at the start of a run
        ("件", "zh"),  # one character, at its end
        ("設定", "ja"),
        ("サーバー", "ja"),
        ("설정", "ko"),
        ("เปลี่ยน", "th"),
        ("включайте", "ru"),
        ("المزامنة", "ar"),  # without the vowel signs
        ("3.14.2", "version"),
        ("9443", "version"),
        ('"admin port"', "version"),
    ],
)
async def test_a_query_finds_its_message_first(filled: SqliteStore, query: str, found: str) -> None:
    hits = await filled.search(SCOPE, query, limit=3)
    assert hits, query
    assert hits[0].message.id == found
    assert hits == sorted(hits, key=lambda h: -h.score)


@pytest.mark.parametrize(
    "query",
    [
        "", "   ", '"', '""', "'", "*", "AND", "OR NOT", "NEAR(a b)", "words:zeta", "{words} : x", "-zeta", "^zeta",
        "zeta AND (", 'a" OR "b', "\0", "\x01\x02", "a\nb", "%_", "()", "\U0001f600", "\u202e", "NOT", "+", "x" * 5000,
        "zeta " * 5000, "; DROP TABLE messages; --", "\ud800",
    ],
)  # fmt: skip
async def test_no_query_is_a_syntax_error(filled: SqliteStore, query: str) -> None:
    await filled.search(SCOPE, query, limit=5)


async def test_operators_are_plain_words(filled: SqliteStore) -> None:
    await put(filled, [posted("op", "user", "cats and not dogs near here")])
    hits = await filled.search(SCOPE, "cats AND NOT dogs", limit=1)
    assert [h.message.id for h in hits] == ["op"]


async def test_a_rare_word_outweighs_common_ones(filled: SqliteStore) -> None:
    hits = await filled.search(SCOPE, "question weather answer zeta", limit=1)
    assert hits[0].message.id == "en"


async def test_the_snippet_shows_the_place(filled: SqliteStore) -> None:
    await put(filled, [posted("long", "user", "filler " * 200 + "the walrus sleeps " + "filler " * 200)])
    [hit] = await filled.search(SCOPE, "walrus", limit=5)
    assert "walrus" in hit.snippet
    assert len(hit.snippet) < 300


async def test_an_edit_is_found_by_its_new_words_only(filled: SqliteStore) -> None:
    await put(filled, [posted("en", "user", "Always disable omega-sync, see /opt/omega/run.sh")])
    assert await filled.search(SCOPE, "staging cluster zeta-sync", limit=3) == []
    assert (await filled.search(SCOPE, "omega-sync", limit=1))[0].message.id == "en"
    task = filled._catching_up.task
    assert task is not None
    await task
    assert (await filled.search(SCOPE, "mega/ru", limit=1))[0].message.id == "en"
    assert (await filled.health()).index_lag == 0


async def test_insert_and_edit_in_one_batch_leave_one_row_in_the_index(
    store: SqliteStore, sql: Callable[[str], list[tuple[object, ...]]]
) -> None:
    """Fails when the index takes an edit for an insert: the old words would stay for ever."""
    import asyncio

    await asyncio.gather(
        put(store, [posted("u1", "user", "first walrus")]),
        put(store, [posted("u1", "user", "second osprey")]),
        put(store, [posted("u1", "user", "third quetzal")]),
    )
    assert await store.search(SCOPE, "walrus", limit=1) == []
    assert await store.search(SCOPE, "osprey", limit=1) == []
    assert len(await store.search(SCOPE, "quetzal", limit=1)) == 1


async def test_another_users_words_are_never_found_and_never_counted(filled: SqliteStore) -> None:
    other = Scope(conversation_id=SCOPE.conversation_id, user_id="bo")
    before = await filled.search(SCOPE, "zeta port", limit=5)
    await put(filled, [posted(f"b{i}", "user", f"zeta secret {i}") for i in range(50)], scope=other)
    assert await filled.search(SCOPE, "secret", limit=5) == []
    assert await filled.search(SCOPE, "zeta port", limit=5) == before, "scores tell nothing about other users"
    assert len(await filled.search(other, "zeta", limit=100)) == 50
    assert await filled.search(Scope(conversation_id="none", user_id="ana"), "zeta", limit=5) == []


async def test_the_index_agrees_with_itself_after_changes(filled: SqliteStore, path: object) -> None:
    await put(filled, [posted("en", "user", "新しい text"), posted("zh", "user", "plain ascii now")])
    await filled.delete_message(SCOPE, "ko", now=1.0)
    import sqlite3

    await filled.close()
    conn = sqlite3.connect(str(path))
    for table in ("messages_fts", "messages_substring", "claims_fts"):
        conn.execute(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")
    rows = conn.execute("SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'weather'").fetchone()[0]
    conn.close()
    assert rows == 30


async def test_a_new_folding_indexes_everything_again(path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    from pathlib import Path

    from bobctx.store import folding

    assert isinstance(path, Path)
    async with await SqliteStore.open(path) as store:
        await put(store, [posted("u1", "user", "a walrus in /usr/lib/walrus.so")])
    monkeypatch.setattr(folding, "FOLDING_VERSION", folding.FOLDING_VERSION + 1)
    async with await SqliteStore.open(path) as store:
        assert len(await store.search(SCOPE, "walrus", limit=5)) == 1
        task = store._catching_up.task
        assert task is not None
        await task
        assert len(await store.search(SCOPE, "b/walr", limit=5)) == 1
