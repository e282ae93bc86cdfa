"""The contact table: which properties hold for a pair of materials."""

from __future__ import annotations

import pytest

from solidbody.model.contacts import ContactProperties, ContactTable


def test_pair_is_found_in_either_order() -> None:
    """Materials have no order when a pair is looked up."""
    ice = ContactProperties(("ice", "rubber"), friction=(0.1,))
    table = ContactTable((ice,))
    assert table.find("ice", "rubber") is ice
    assert table.find("rubber", "ice") is ice


def test_first_matching_entry_wins() -> None:
    """The list is ordered."""
    first = ContactProperties(("a", "b"), bounce=0.1)
    second = ContactProperties(("b", "a"), bounce=0.9)
    assert ContactTable((first, second)).find("b", "a") is first


def test_entry_of_one_material_matches_only_that_material_twice() -> None:
    """(a, a) does not speak about (a, b)."""
    same = ContactProperties(("a", "a"), bounce=0.1)
    table = ContactTable((same,))
    assert table.find("a", "a") is same
    assert table.find("a", "b") is table.default


def test_default_holds_when_nothing_matches() -> None:
    """The reference manual's defaults: mu 1, bounce 0.5 above 0.01 m/s, softness 0.2 and 0.001."""
    found = ContactTable().find("anything", "else")
    assert found.friction == (1.0,)
    assert (found.bounce, found.bounce_velocity) == (0.5, 0.01)
    assert (found.soft_erp, found.soft_cfm, found.max_contacts) == (0.2, 0.001, 10)


@pytest.mark.parametrize("values", [(), (1.0,) * 5])
def test_friction_takes_one_to_four_values(values: tuple[float, ...]) -> None:
    """Other counts have no meaning."""
    with pytest.raises(ValueError, match="1 to 4"):
        ContactProperties(friction=values)
    with pytest.raises(ValueError, match="1 to 4"):
        ContactProperties(slip=values)


@pytest.mark.parametrize("count", [0, -1])
def test_at_least_one_contact_is_kept(count: int) -> None:
    """The native step keeps the best of that many."""
    with pytest.raises(ValueError, match=f"max_contacts must be > 0, got {count}"):
        ContactProperties(max_contacts=count)
