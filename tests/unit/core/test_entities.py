"""Names for one further hop: capitalised words, the most frequent, not those of the task."""

from __future__ import annotations

from bobctx.core.entities import MAX_ENTITIES, MAX_PER_ENTITY, entities


def test_the_most_frequent_names_are_taken() -> None:
    texts = ["Marisol owns it.", "Ask Marisol or Étienne.", "Quentin left."]
    assert entities(texts, "who owns it") == ("Marisol", "Ask")


def test_words_that_begin_sentences_and_words_of_the_task_are_none() -> None:
    assert entities(["The Ledger is Marisol's. And The rest."], "the ledger") == ("Marisol",)


def test_short_and_glued_words_are_none() -> None:
    assert entities(["Al met getLedger there."], "") == ()


def test_the_bounds_are_those_of_the_design() -> None:
    assert (MAX_ENTITIES, MAX_PER_ENTITY) == (2, 5)
