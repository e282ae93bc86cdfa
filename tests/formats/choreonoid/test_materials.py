"""Material tables: entries, pairs without entry, merged tables, wrong values."""

from __future__ import annotations

import math

import pytest

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.choreonoid.project.materials import (
    NO_TABLE,
    SHIPPED,
    ContactMaterials,
    contact_table,
    material_name,
    read_materials,
)
from solidbody.formats.choreonoid.project.simulator import AIST_DEFAULTS, SimulatorSettings


def read(text: str) -> tuple[ContactMaterials, list[str]]:
    """Return the table of a text and the messages of reading it."""
    log = DiagnosticLog()
    table = read_materials(text, "materials.yaml", log)
    assert table is not None
    return table, [str(item) for item in log]


def clean(text: str) -> ContactMaterials:
    """Return the table of a text that gives no message."""
    table, messages = read(text)
    assert messages == []
    return table


TABLE = """
materials:
  - { name: Default, roughness: 1.0 }
  - { name: Ice, roughness: 0.04, viscosity: 0.75 }
  - { name: Steel, roughness: 0.25, viscosity: 0.0 }
contact_materials:
  - { materials: [ Default, Ice ], friction: 0.3, restitution: 0.2 }
  - { materials: [ Ice, Ice ], static_friction: 0.2, dynamic_friction: 0.1 }
"""


def test_a_pair_with_an_entry_has_its_numbers() -> None:
    """In either order of the names; "Default" and "default" are the same."""
    table = clean(TABLE)
    for pair in (("default", "Ice"), ("Ice", "default")):
        found = table.find(*pair)
        assert (found.friction, found.restitution) == (0.3, 0.2)
    same = table.find("Ice", "Ice")
    assert (same.friction, same.static_friction) == (0.1, 0.2)


def test_a_pair_without_entry_has_the_roots_of_products() -> None:
    """Friction sqrt(0.04*0.25) = 0.1, restitution sqrt(0.25*1) = 0.5."""
    found = clean(TABLE).find("Steel", "Ice")
    assert found.friction == pytest.approx(0.1, rel=1e-15)
    assert found.restitution == pytest.approx(0.5, rel=1e-15)


def test_an_unknown_name_has_the_roughness_of_the_default_material() -> None:
    """It is not the default material: entries of that do not hold for it."""
    table = clean(TABLE)
    assert table.find("Moss", "Ice").friction == pytest.approx(math.sqrt(1.0 * 0.04))
    assert table.find("Moss", "default").friction == 1.0


def test_without_any_table_friction_is_one_half() -> None:
    """Roughness 0.5 and viscosity 1 of everything."""
    found = NO_TABLE.find("A", "B")
    assert (found.friction, found.restitution) == (0.5, 0.0)


def test_an_entry_covers_all_pairs_of_its_names() -> None:
    """Three names are three pairs, not the pair of a name with itself."""
    table = clean("contactMaterials: [ { materials: [ A, B, C ], friction: 0.7 } ]")
    assert {tuple(sorted(pair)) for pair in table.contacts} == {("A", "B"), ("A", "C"), ("B", "C")}


def test_friction_of_an_entry_is_one_half_unless_given() -> None:
    """`friction` sets both coefficients, the single ones override it."""
    text = "contact_materials: [ { materials: [ A, B ], %s } ]"
    assert clean(text % "restitution: 0.1").find("A", "B").friction == 0.5
    found = clean(text % "friction: 0.4, staticFriction: 0.6").find("A", "B")
    assert (found.friction, found.static_friction) == (0.4, 0.6)
    found = clean(text % "friction: 0.4, dynamicFriction: 0.2").find("A", "B")
    assert (found.friction, found.static_friction) == (0.2, 0.4)


def test_entries_of_a_later_table_win() -> None:
    """A table item goes over the world's own file."""
    slippy = clean("contact_materials: [ { materials: [ Ground, Sole ], friction: 0.01 } ]")
    table = slippy.over(SHIPPED)
    assert table.find("Ground", "Sole").friction == 0.01
    assert table.find("Ground", "Tire").friction == 3.0


@pytest.mark.parametrize(
    ("first", "second", "friction", "restitution"),
    [
        ("default", "default", 0.5, 0.0),
        ("Ground", "default", 0.5, 0.0),
        ("Ground", "Ball", 0.5, 0.8),
        ("default", "Slider", 0.0, 0.0),
        ("Ground", "Slider", 0.0, 0.0),
        ("Ground", "Sole", 1.0, 0.0),
        ("Ground", "Tire", 3.0, 0.0),
        ("default", "Hand", 1.0, 0.0),
        ("Ball", "Ball", 0.5, 0.64),  # sqrt(0.5*0.5), sqrt(0.64*0.64)
        ("Tracks", "Ground", math.sqrt(0.5), 0.0),
        ("OilWetGround", "Slider", 0.0, 0.0),
    ],
)
def test_the_shipped_table(first: str, second: str, friction: float, restitution: float) -> None:
    """The numbers that hold where a project names no other table."""
    found = SHIPPED.find(first, second)
    assert found.friction == pytest.approx(friction)
    assert found.restitution == pytest.approx(restitution)


def test_contact_table_has_a_row_for_each_pair_that_can_meet() -> None:
    """Also for names that only shapes have; the default pair is the table's default."""
    contacts = contact_table(SHIPPED, AIST_DEFAULTS, {"Moss"})
    assert contacts.find("Sole", "Ground").friction == (1.0,)
    assert contacts.find("Moss", "Ground").friction == (1.0,)
    assert contacts.find("default", "default").friction == (0.5,)
    names = 10  # nine of the shipped table and Moss
    assert len(contacts.entries) == names * (names + 1) // 2 - 1


def test_friction_is_clamped_to_the_simulators_range() -> None:
    """Tire on Ground has 3, unless the item allows less."""
    settings = SimulatorSettings(friction_range=(0.1, 2.0))
    contacts = contact_table(SHIPPED, settings)
    assert contacts.find("Tire", "Ground").friction == (2.0,)
    assert contacts.find("Slider", "Ground").friction == (0.1,)


def test_an_entry_may_have_its_own_depth_and_points() -> None:
    """They replace the simulator's."""
    table = clean(
        "contact_materials: [ { materials: [ A, B ], cullingDepth: 0.2, "
        "max_num_contact_points: 7 } ]"
    )
    row = contact_table(table, AIST_DEFAULTS).find("A", "B")
    assert (row.max_depth, row.max_contacts) == (0.2, 7)


@pytest.mark.parametrize("text", ["", "Default", "default"])
def test_names_of_the_default_material(text: str) -> None:
    """No name, and both spellings."""
    assert material_name(text) == "default"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "materials: 3",
            'materials.yaml:1:12: error: materials: expected a list of mappings, got "3"',
        ),
        ("materials: [ 3 ]", "expected a mapping, got"),
        ("materials: [ { name: A, roughness: -1 } ]", "expected a number not below 0, got -1."),
        (
            "contact_materials: [ { materials: [ A ] } ]",
            "needs a list of at least two material names.",
        ),
        ("contact_materials: [ { friction: 1 } ]", "needs a list of at least two material names."),
        (
            "contact_materials: [ { materials: [ A, B ], restitution: 2 } ]",
            "expected a number from 0 to 1, got 2; 1 is used.",
        ),
        (
            "contact_materials: [ { materials: [ A, B ], fricton: 2 } ]",
            'Did you mean "friction"?',
        ),
        (
            "contact_materials: [ { materials: [ A, B ], collisionHandler: Spring } ]",
            'the collision handler "Spring" is a plugin; contacts follow the usual law.',
        ),
    ],
)
def test_a_wrong_value_is_named_and_the_rest_is_read(text: str, message: str) -> None:
    """The table stays usable."""
    _, messages = read(text)
    assert len(messages) == 1
    assert message in messages[0]


@pytest.mark.parametrize("text", ["[ 1 ]", "a: [", ""])
def test_what_is_no_table_gives_none_and_a_message(text: str) -> None:
    """A list, broken YAML, nothing."""
    log = DiagnosticLog()
    assert read_materials(text, "materials.yaml", log) is None
    assert log.has_errors
