"""The HTTP API of the daemon (design, section 9)."""
