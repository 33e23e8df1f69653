"""Hooks of coding agents: record their transcripts, and say again what their own compactions lose.

A hook is a process that the host starts on an event and waits for. So this package imports the standard library alone,
works for a few milliseconds, ends within `LIMIT_S` whatever happens, and its exit code is always 0 (design, sections
5 and 12; a failing adapter fails open).
"""

HOSTS = {"claude-code": "claude_code", "codex": "codex"}
"""Hosts as the command line names them, and the format of their transcripts."""

LIMIT_S = 2.0
"""Seconds after which a hook ends without an answer."""
