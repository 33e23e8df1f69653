from __future__ import annotations

import base64
import random
import uuid
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bobctx import model_data
from bobctx.core import parts
from bobctx.core.tokens import MEDIA_TOKENS, estimate, message_tokens
from bobctx.model_data import RUN_CHARS, O200kCounter, pieces, reference_counter, window_catalog

RANDOM = random.Random(7)
PROSE = {
    "english": "Please keep the old parser until the release is out; we talked about this on Tuesday, remember? My "
    "sister says the train leaves at half past nine, so let us meet at the bakery before that. I could not find the "
    "receipt, but the warranty should still cover the broken hinge. Would you mind asking them again tomorrow?",
    "chinese": "请不要修改配置文件。服务器的端口号已经改为九千,请大家确认一下。数据库迁移失败了,需要回滚。昨天晚上我"
    "和妹妹去吃了火锅,味道还不错,就是排队排了一个多小时。你下周三有空吗?我想把旧的相机卖掉,再买一台轻一点的。医生说膝"
    "盖没有大问题,少爬楼梯就行。这家书店的老板认识我爷爷,每次都会多送一张明信片。会议改到下午三点,地点不变,记得带上合"
    "同原件。",
    "traditional": "請勿變更設定檔,伺服器連接埠已經變更。昨天她在圖書館借了三本新書,一直讀到深夜。你覺得這個週末去爬"
    "山好嗎?天氣預報說會下雨,不過我們可以改去看展覽。媽媽寄來的鳳梨酥還剩半盒,放在廚房的櫃子裡。客戶希望月底以前收到"
    "報價單,請幫我跟會計確認稅率。捷運站旁邊新開了一家麵店,湯頭很清爽,價錢也合理。",
    "japanese": "設定ファイルを変更しないでください。サーバーのポート番号が変わりましたので、確認をお願いします。昨日"
    "は妹と一緒に水族館へ行って、大きなジンベエザメを見てきました。来週の火曜日、もし都合がよければ一緒にお昼を食べま"
    "せんか。祖母が送ってくれたみかんがまだ半分残っているので、よかったら持っていってください。請求書の金額が見積もり"
    "と違うようなので、経理に問い合わせています。駅前の本屋は日曜だけ早く閉まるみたいですよ。",
    "korean": "설정 파일을 변경하지 마십시오. 서버 포트 번호가 변경되었으니 확인 부탁드립니다. 어제는 동생이랑 한강에"
    "서 자전거를 탔는데 바람이 많이 불어서 금방 돌아왔어요. 다음 주 수요일에 시간 괜찮으면 같이 점심 먹을까요? 할머니"
    "가 보내 주신 귤이 아직 반 상자나 남아 있어요. 견적서에 적힌 금액이 계약서랑 달라서 회계팀에 물어보는 중입니다. "
    "역 앞 서점은 일요일에 일찍 문을 닫더라고요.",
    "mixed": "昨天 review 了 PR #4821,主要问题是 `retry` 没有上限。デプロイは 14:30 に延期、rollback の手順は wiki を"
    "見てください。그 다음에 staging 서버에서 smoke test 를 다시 돌려 주세요. 结果发到 ops@example.org 就好,谢谢 🙏",
}
TEXTS = {
    **{name: text * 4 for name, text in PROSE.items()},
    "code": "def parse(path: Path, *, strict: bool = True) -> list[Row]:\n    with path.open() as f:\n        "
    "return [Row(**json.loads(line)) for line in f if not strict or line.strip()]\n\n"
    "export async function load(id: string): Promise<User | null> {\n  const res = await fetch(`/api/users/${id}`);\n"
    "  if (!res.ok) return null;\n  return (await res.json()) as User;\n}\n\n"
    "for (size_t i = 0; i < n; ++i) {\n    sum += weights[i] * values[i];  // not vectorised yet\n}\n" * 8,
    "paths": "".join(f"/srv/app/src/workers/emailQueue/handlers/retryPolicy{n}.test.ts\n" for n in range(60)),
    "emoji": "😀🥲🚀🎉👍🏽👩‍👩‍👧‍👦🏳️‍🌈❤️✅⚠️🤷‍♂️" * 40,
    "emoji_chat": "see you at 8 😂😂 bring the 🥾 and some 🧀 please 🙏 it will be cold 🥶 ❤️ 👍 🫡 ok? 🎉🔥 " * 20,
    "emoji_rare": "🦖🧿🪐🛸🧬🪵🫠🧋🩹🦔🛼🪴" * 40,
    "flags": "🇩🇪🇯🇵🇰🇷🇧🇷🇫🇷🇮🇳1️⃣2️⃣" * 40,
    "base64": base64.b64encode(RANDOM.randbytes(20_000)).decode(),
    "base64_lines": base64.encodebytes(RANDOM.randbytes(10_000)).decode(),
    "base64_text": base64.b64encode((PROSE["english"] * 20).encode()).decode(),
    "hex": RANDOM.randbytes(5_000).hex(),
    "uuids": "\n".join(str(uuid.UUID(int=RANDOM.getrandbits(128))) for _ in range(200)),
    "json": '{"id": 4711, "name": "worker-3", "tags": ["a", "b"], "ratio": 0.731, "url": "https://x.example/a"}\n' * 20,
}


def exact() -> O200kCounter:
    counter = reference_counter()
    assert isinstance(counter, O200kCounter)
    return counter


@pytest.mark.parametrize("name", TEXTS)
def test_the_estimate_is_under_by_a_tenth_and_over_by_three_twentieths_at_most(name: str) -> None:
    """Fails if a script is weighed by its bytes or by a fixed number of characters, as English is."""
    real = exact().count(TEXTS[name])
    assert 0.9 * real <= estimate(TEXTS[name]) <= 1.15 * real


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
