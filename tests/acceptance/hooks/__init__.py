"""Hooks of coding agents against a real daemon."""
