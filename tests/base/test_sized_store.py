"""What is kept and what is forgotten."""

from __future__ import annotations

from solidbody.base.sized_store import SizedStore


def test_the_oldest_are_forgotten() -> None:
    """All together stay within the room; what is larger than it is not kept at all."""
    store = SizedStore[str, str](10)
    for name in ("a", "b", "c"):
        store.keep(name, "four", 5)
    assert [store.get(name) for name in ("a", "b", "c")] == [None, "four", "four"]
    store.keep("d", "more than ten", 13)
    assert [store.get(name) for name in ("b", "c", "d")] == [None, None, None]


def test_a_value_that_is_kept_again_counts_once() -> None:
    store = SizedStore[str, int](10)
    for size in (6, 4):
        store.keep("a", size, size)
    store.keep("b", 6, 6)
    assert (store.get("a"), store.get("b")) == (4, 6)
