"""What providers report scales budgets: per model, per owner, and never by what a host adds to every request."""

from __future__ import annotations

from bobctx.api.learning import Learned, Sent
from bobctx.core.records import LearnedModel
from bobctx.core.types import Scope

HERE = Scope(conversation_id="c", user_id="u")
MODEL = "acme/large-1"


def report(learned: Learned, number: int, ours: int, theirs: int, *, scope: Scope = HERE, **more: object) -> None:
    sent = Sent(scope=scope, model=MODEL, tokens=ours, reserved=int(str(more.get("reserved", 0))))
    learned.sent(f"t{number}", sent)
    learned.reported(scope, f"t{number}", theirs, owner=str(more.get("owner", "")))


def test_a_ratio_is_learned_from_differences_so_that_constant_additions_drop_out() -> None:
    learned = Learned()
    for number, ours in enumerate((1_000, 3_000, 5_000, 7_000)):
        report(learned, number, ours, 9_000 + ours * 5 // 4)
    found = learned.ratio(MODEL, "anyone")
    assert (found.value, found.source) == (1.25, "learned")


def test_too_few_reports_change_nothing() -> None:
    learned = Learned()
    report(learned, 1, 1_000, 4_000)
    report(learned, 2, 3_000, 9_000)
    assert learned.ratio(MODEL, "u").source == "default"


def test_reports_of_zero_of_unknown_prompts_and_of_other_conversations_say_nothing() -> None:
    learned = Learned()
    other = Scope(conversation_id="c", user_id="other")
    for number, ours in enumerate((1_000, 3_000, 5_000, 7_000, 9_000)):
        learned.sent(f"t{number}", Sent(scope=HERE, model=MODEL, tokens=ours, reserved=0))
        learned.reported(other, f"t{number}", ours * 3)
        learned.reported(HERE, f"t{number}", 0)
        learned.reported(HERE, "no such trace", ours * 3)
        learned.reported(HERE, None, ours * 3)
    assert learned.ratio(MODEL, "u").source == "default"


def test_a_change_of_what_the_host_adds_is_no_sample() -> None:
    learned = Learned()
    for number, ours in enumerate((1_000, 3_000, 5_000, 7_000, 9_000)):
        report(learned, number, ours, ours * 3, reserved=number)
    assert learned.ratio(MODEL, "u").source == "default"


def test_a_user_key_teaches_only_about_its_own_user() -> None:
    learned = Learned()
    for number, ours in enumerate((1_000, 3_000, 5_000, 7_000)):
        report(learned, number, ours, ours * 2, owner="u")
    assert learned.failed(MODEL, "maximum context length is 8192 tokens", owner="u") == 8_192
    assert learned.ratio(MODEL, "u").value == 2.0
    assert learned.ratio(MODEL, "other").source == "default"
    assert (learned.window(MODEL, "u"), learned.window(MODEL, "other")) == (8_192, None)


def test_the_smallest_window_that_an_error_stated_counts() -> None:
    learned = Learned()
    learned.failed(MODEL, "This model's maximum context length is 65536 tokens")
    learned.failed(MODEL, "maximum context length is 128000 tokens")
    assert learned.window(MODEL, "u") == 65_536
    assert learned.failed(MODEL, "rate limited") is None
    assert learned.failed(None, "maximum context length is 1024 tokens") is None


def test_what_changes_a_budget_is_taken_once_for_the_books_and_comes_back_from_them() -> None:
    learned = Learned()
    for number, ours in enumerate((1_000, 3_000, 5_000)):
        report(learned, number, ours, ours * 2)
    assert learned.take_changed() == []
    report(learned, 3, 7_000, 14_000)
    learned.failed(MODEL, "maximum context length is 8192 tokens")
    [kept] = learned.take_changed()
    assert (kept.used_as, kept.user_id, kept.model, kept.window) == ("target", "", MODEL, 8_192)
    assert learned.take_changed() == []
    report(learned, 4, 9_000, 18_000)
    assert learned.take_changed() == [], "the same ratio again is no news"
    again = Learned()
    again.restore([kept, LearnedModel(used_as="seat", model="acme/seat", window=1_024)])
    assert (again.ratio(MODEL, "u").value, again.window(MODEL, "u")) == (2.0, 8_192)
    assert again.window("acme/seat", "u") is None
    assert again.lowered() == {MODEL: 8_192}


def test_a_forgotten_user_leaves_nothing_behind() -> None:
    learned = Learned()
    for number, ours in enumerate((1_000, 3_000, 5_000, 7_000)):
        report(learned, number, ours, ours * 2, owner="u")
    learned.failed(MODEL, "maximum context length is 8192 tokens", owner="u")
    learned.forget("u")
    assert (learned.ratio(MODEL, "u").source, learned.window(MODEL, "u")) == ("default", None)
    assert learned.take_changed() == []
