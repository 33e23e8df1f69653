"""A task's words as the claim index is asked: bounded, quoted, stemmed, scoped."""

from __future__ import annotations

import pytest

from bobctx.core.types import Scope, UserScope
from bobctx.store.claim_words import MAX_TASK, indexed, scope_match, scope_terms, subject_hash, terms_of


def test_at_most_sixteen_distinct_words() -> None:
    assert len(terms_of(" ".join(f"word{i} word{i}" for i in range(40)))) == 16


def test_forms_of_one_word_are_one_term() -> None:
    assert [t.word for t in terms_of("deploy deployed deploying")] == ["deploy"]


def test_idle_words_are_asked_for_only_alone() -> None:
    assert [t.word for t in terms_of("what is the port")] == ["port"]
    assert terms_of("what is the")


@pytest.mark.parametrize("task", ['a" OR b', "NEAR(x y)", "x*", "scope : ac1", "^x", "(", "\x00\x07", '""', "-x +y"])
def test_operators_are_words(task: str) -> None:
    for term in terms_of(task):
        assert '"' not in term.word
        assert set(term.word) <= set("abcdefghijklmnopqrstuvwxyz0123456789")


def test_control_characters_end_a_word() -> None:
    assert [t.word for t in terms_of("alpha\x00beta\u202egamma")] == ["alpha", "beta", "gamma"]


def test_scripts_without_spaces_are_pairs() -> None:
    assert [t.word for t in terms_of("超时时间")] == ["超时", "时时", "时间"]
    assert terms_of("秒")[0].match == '("秒" *)'


def test_only_the_start_of_a_long_task_is_read() -> None:
    assert terms_of("the " * MAX_TASK + "needle") == terms_of("the " * MAX_TASK)


def test_the_index_holds_words_and_their_stems() -> None:
    assert indexed("Deploys waited.").split() == ["deploys", "waited", "deploy", "wait"]


def test_scopes_of_two_users_share_no_term() -> None:
    mine = scope_terms(1, "ana", "open_question", active=True, local=False).split()
    theirs = scope_terms(2, "bob", "open_question", active=True, local=False).split()
    assert set(mine) & set(theirs) == {"topenquestion"}
    assert scope_match(Scope(conversation_id="c", user_id="ana"), 1, "a") == 'scope : ("ac1")'
    assert scope_match(UserScope(user_id="ana"), None, "al") != scope_match(UserScope(user_id="bob"), None, "al")


def test_subjects_of_two_users_have_other_names() -> None:
    assert subject_hash("ana", "k") != subject_hash("bob", "k")
