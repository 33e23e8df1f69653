from __future__ import annotations

import pytest

from bobctx.core.overflow import reported_window, window_after


@pytest.mark.parametrize(
    ("error", "window"),
    [
        (
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 130542 tokens.",
            128_000,
        ),
        ("prompt is too long: 210357 tokens > 200000 maximum", 200_000),
        ("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1_048_576),
        ("request (9000 tokens) exceeds the available context size (4096 tokens)", 4_096),
        ("Requested tokens exceed context window of 32,768", 32_768),
        ("the request exceeds n_ctx = 8192", 8_192),
        ("Input exceeds the limit of 65536 tokens", 65_536),
        ("input length and `max_tokens` exceed context limit: 3240 + 197333 > 200000, decrease input length", 200_000),
        ("Input is too long. Context length 123456 exceeds limit of 100000 tokens", 100_000),
        ("the prompt is greater than the context length (n_keep: 12345>= n_ctx: 4096)", 4_096),
        ("context window: you sent 120000 tokens of 100000 allowed", None),
        ("Context size has been exceeded by 5000 tokens", None),
        ("max_tokens is over the output token limit of 8192", None),
        ("the output token limit is 8192 tokens", None),
        ("maximum context length is 1000000000000 tokens", None),
        ("maximum context length is -5000 tokens", None),
        ("maximum context length is 1 tokens", None),
        ("rate limit reached, retry in 20 seconds", None),
        ("", None),
    ],
)
def test_the_window_an_error_states(error: str, window: int | None) -> None:
    assert reported_window(error) == window


@pytest.mark.parametrize(
    ("known", "stated", "sent", "window"),
    [
        (128_000, 8_192, 20_000, 8_192),
        (8_192, 128_000, 20_000, 8_192),
        (32_768, None, 20_000, 15_000),
        (32_768, None, 90_000, 24_576),
        (1_200, None, 1_300, 1_000),
    ],
)
def test_a_window_is_lowered_to_what_is_stated_else_below_what_was_refused_and_never_raised(
    known: int, stated: int | None, sent: int, window: int
) -> None:
    assert window_after(known, stated, sent) == window
