from __future__ import annotations

import base64
import random
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bobctx import model_data
from bobctx.core import parts
from bobctx.core.tokens import MEDIA_TOKENS, estimate, message_tokens
from bobctx.model_data import RUN_CHARS, O200kCounter, pieces, reference_counter, window_catalog

RANDOM = random.Random(7)
TEXTS = {
    "english": "Please keep the old parser until the release is out; we talked about this on Tuesday, remember? " * 20,
    "code": "def parse(path: Path, *, strict: bool = True) -> list[Row]:\n    with path.open() as f:\n        "
    "return [Row(**json.loads(line)) for line in f if not strict or line.strip()]\n\n" * 20,
    "chinese": "请不要修改配置文件。服务器的端口号已经改为九千,请大家确认一下。数据库迁移失败了,需要回滚。" * 20,
    "traditional": "請勿變更設定檔,伺服器連接埠已經變更。昨天她在圖書館借了三本新書,一直讀到深夜。" * 20,
    "japanese": "設定ファイルを変更しないでください。サーバーのポート番号が変わりましたので、確認をお願いします。" * 20,
    "korean": "설정 파일을 변경하지 마십시오. 서버 포트 번호가 변경되었으니 확인 부탁드립니다. 어제 책을 읽었다." * 20,
    "emoji": "😀🥲🚀🎉👍🏽👩‍👩‍👧‍👦🏳️‍🌈❤️✅⚠️🤷‍♂️" * 40,
    "base64": base64.b64encode(RANDOM.randbytes(20_000)).decode(),
    "hex": RANDOM.randbytes(5_000).hex(),
    "json": '{"id": 4711, "name": "worker-3", "tags": ["a", "b"], "ratio": 0.731, "url": "https://x.example/a"}\n' * 20,
}


def exact() -> O200kCounter:
    counter = reference_counter()
    assert isinstance(counter, O200kCounter)
    return counter


@pytest.mark.parametrize("name", TEXTS)
def test_the_estimate_is_never_under_by_more_than_a_tenth(name: str) -> None:
    real = exact().count(TEXTS[name])
    assert 0.9 * real <= estimate(TEXTS[name]) <= 1.5 * real


@pytest.mark.parametrize("name", TEXTS)
def test_counting_in_chunks_stays_within_one_percent(name: str) -> None:
    text = (TEXTS[name] + "\n") * 3
    whole = len(exact()._encoding.encode_ordinary(text))
    assert abs(exact().count(text) - whole) <= 0.01 * whole


@pytest.mark.parametrize(
    "text",
    ["", " " * 100_000, "a" * 300_000, "\n\t" * 50_000, "好" * 100_000, "\x00" * 50_000, "e" + "\u0301" * 50_000],
)
def test_hostile_runs_are_counted_quickly_and_without_a_panic(text: str) -> None:
    assert "".join(pieces(text)) == text
    assert max(map(len, pieces(text)), default=0) <= RUN_CHARS
    assert exact().count(text) >= (1 if text else 0)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", " ", "汉", "\n", "a ", "ab  c"]), st.sampled_from([1, 2, 255, 510, 511, 512, 513])
        ),
        max_size=6,
    )
)
@settings(deadline=None)
def test_a_text_taken_for_one_without_long_runs_has_none(runs: list[tuple[str, int]]) -> None:
    """Fails if the quick look misses a run by one character: tiktoken would then get it whole."""
    text = "".join(piece * times for piece, times in runs)
    with patch.object(model_data, "LOOK_CHARS", 700):
        if model_data._no_long_run(text):
            assert model_data._LONG_RUN.search(text) is None


def test_ordinary_prose_has_no_long_runs() -> None:
    assert model_data._no_long_run("Some words, code() and 字。\n" * 500)


def test_lone_surrogates_are_counted() -> None:
    assert exact().count("a\ud800b") > 0
    assert estimate("a\ud800b") > 0


def test_media_costs_a_fixed_sum_whatever_its_bytes() -> None:
    def cost(data: str) -> int:
        block = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + data}}
        message = parts.read_message({"role": "user", "content": [block]}, id="m")
        return message_tokens(message.parts, estimate)

    assert cost("A" * 100_000) == cost("A") == MEDIA_TOKENS["image_url"] + 4


def test_a_message_costs_its_parts_and_a_frame() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"a": 1}'}}
    plain = parts.read_message({"role": "assistant", "content": "hello there"}, id="m")
    calling = parts.read_message({"role": "assistant", "content": "hello there", "tool_calls": [call]}, id="m")
    assert estimate("hello there") < message_tokens(plain.parts, estimate) < message_tokens(calling.parts, estimate)


def test_the_window_catalog_is_read_without_importing_its_package() -> None:
    import sys

    assert window_catalog()["gpt-4o"] == 128_000
    assert "litellm" not in sys.modules
