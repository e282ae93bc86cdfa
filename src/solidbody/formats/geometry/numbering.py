"""Finds distinct values in a list and numbers them, as indexed face sets need it."""

from __future__ import annotations


def numbered(
    values: tuple[tuple[float, ...], ...],
) -> tuple[list[tuple[float, ...]], list[int]]:
    """Return the distinct values and the number of each value among them."""
    places: dict[tuple[float, ...], int] = {}
    numbers = [places.setdefault(value, len(places)) for value in values]
    return list(places), numbers
