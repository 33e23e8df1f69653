"""The versions a stored compaction must carry to be trusted: of the prompt, and of the validator. Pure.

They stand apart so that whoever only compares them (the prompt path does) need not load what they name.
"""

PROMPT_VERSION = "claims-v2"
"""A new one trusts no old row."""

VALIDATOR_VERSION = "9"
"""A new one re-validates stored replies without a seat call (design, section 5)."""
