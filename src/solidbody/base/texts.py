"""Shortens long texts for messages."""

from __future__ import annotations


def shortened(text: str, most: int) -> str:
    """Return the text, or its first `most` characters and how many more there are."""
    if len(text) <= most:
        return text
    return f"{text[:most]} ... ({len(text) - most} more characters)"
