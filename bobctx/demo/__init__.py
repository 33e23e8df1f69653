"""The demo: a bundled conversation played through a real daemon, and what it proves."""
