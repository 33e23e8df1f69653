"""Known secrets become typed placeholders, the same for the same secret; ordinary text stays as it is."""

from __future__ import annotations

import pytest

from bobctx.core.parts import read_message
from bobctx.core.secrets import redact, redact_message, redact_prior, redact_region
from bobctx.core.types import PriorClaim, Region

KEY = b"database key"
LONG = "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1bC3dE5"

SECRETS = [
    ("anthropic", f"sk-ant-api03-{LONG}"),
    ("openai", f"sk-proj-{LONG}"),
    ("openai", f"sk-{LONG}"),
    ("stripe", "sk_live_" + LONG[:24]),
    ("github", "ghp_" + LONG),
    ("github", "github_pat_" + LONG + LONG),
    ("gitlab", "glpat-" + LONG[:20]),
    ("slack", "xoxb-123456789012-" + LONG[:20]),
    ("aws", "AKIA" + "ABCD" * 4),
    ("google", "AIza" + LONG[:35]),
    ("huggingface", "hf_" + LONG),
    ("npm", "npm_" + LONG),
    ("telegram", "123456789:AA" + LONG[:33]),
    ("jwt", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"),
    ("pem", "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQ\nabc=\n-----END RSA PRIVATE KEY-----"),
    ("pem", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk"),
]


@pytest.mark.parametrize(("kind", "secret"), SECRETS)
def test_a_known_shape_is_replaced_wherever_it_stands(kind: str, secret: str) -> None:
    shown = redact(f"use {secret}\nfor the deploy, then {secret}", KEY)
    assert shown.count(f"<secret:{kind}:") >= 1
    assert secret not in shown
    assert shown.startswith("use ")


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("DB_PASSWORD=hunter2hunter2", "hunter2hunter2"),
        ("export API_KEY='abcdefgh'", "abcdefgh"),
        ('{"client_secret": "abcdefgh"}', "abcdefgh"),
        (r"{\"api_key\": \"abcd1234efgh\"}", "abcd1234efgh"),
        ("password: hunter22", "hunter22"),
        ("AWS_SECRET_ACCESS_KEY=wJalr/XUtnFEMI+K7MDENG", "wJalr/XUtnFEMI+K7MDENG"),
        ("postgres://admin:s3cr3t!@db-7:5432/ledger", "s3cr3t!"),
        ("Authorization: Bearer abcdef123456", "abcdef123456"),
        ('"Authorization": "Basic YWRtaW46aHVudGVy"', "YWRtaW46aHVudGVy"),
    ],
)
def test_the_value_of_a_secrets_name_is_replaced_and_the_rest_stays(text: str, hidden: str) -> None:
    shown = redact(text, KEY)
    assert hidden not in shown
    assert shown.split("<secret:")[0] == text.split(hidden)[0]


@pytest.mark.parametrize(
    "text",
    [
        "The token limit is 4096 tokens, max_tokens: 123456789.",
        "api_key = os.environ['DEPLOY_KEY']",
        "password=process.env.PW9",
        "GITHUB_TOKEN=${{ secrets.GITHUB_TOKEN }}",
        "PASSWORD=changeme and PASSWORD=<your password>",
        "def login(token: str, password: str | None) -> None:",
        "my_token = get_token(123456)",
        "sk-learn and https://api.example.com:8443/v1?x=1",
        "commit 3f2a9c1d0b8e7f6a5c4d3e2f1a0b9c8d7e6f5a4b",
        "uuid 123e4567-e89b-12d3-a456-426614174000",
        "The password is in the vault.",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert redact(text, KEY) == text


def test_the_same_secret_has_the_same_placeholder_and_another_key_another_one() -> None:
    first, second = redact(f"a sk-{LONG} b", KEY), redact(f"token: sk-{LONG}", KEY)
    assert first[2:-2].split(":")[-1] == second.removeprefix("token: ").split(":")[-1]
    assert redact(f"a sk-{LONG} b", b"other") != first


@pytest.mark.parametrize(("kind", "secret"), SECRETS)
def test_redacting_twice_changes_nothing_more(kind: str, secret: str) -> None:
    once = redact(f"API_TOKEN={secret} x", KEY)
    assert redact(once, KEY) == once


def test_a_message_is_redacted_at_any_depth_and_keeps_its_hash() -> None:
    call = {"id": "t", "type": "function", "function": {"name": "run", "arguments": f'{{"k": "sk-{LONG}"}}'}}
    message = read_message(
        {"role": "assistant", "content": [{"type": "text", "text": "x"}], "tool_calls": [call]}, id="a"
    )
    shown = redact_message(message, KEY)
    assert LONG not in shown.text + str(shown.body)
    assert shown.sha256 == message.sha256
    clean = read_message({"role": "user", "content": "hello"}, id="b")
    assert redact_message(clean, KEY) is clean
    assert redact_region(Region(messages=(message, clean)), KEY).messages == (shown, clean)


def test_an_earlier_claim_is_redacted_with_what_it_cites() -> None:
    claim = PriorClaim(
        alias="r1.c1", id="g", type="fact", importance=2, text=f"key sk-{LONG}", cited_text=f"the key is sk-{LONG}"
    )
    assert LONG not in str(redact_prior(claim, KEY))
