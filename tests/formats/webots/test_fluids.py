"""Fluids and immersion properties."""

from __future__ import annotations

import pytest

from solidbody.base.transforms import Pose
from solidbody.compiler import compile_scene
from solidbody.model.fluids import DragArea, Immersion
from solidbody.model.geometry import GeometryBox
from tests.formats.reading import PHYSICS, SPHERE, assert_warning, read, read_clean


def test_fluid_with_all_fields() -> None:
    scene = read_clean(
        'Pose { translation 0 0 1 children Fluid { name "water" translation 1 0 0 density 900 '
        "viscosity 0.5 streamVelocity 1 2 3 boundingObject Pose { translation 0 1 0 children Box { } } "
        "children Shape { geometry Sphere { } } } }"
    )
    (fluid,) = scene.fluids
    assert (fluid.name, fluid.pose) == ("water", Pose((1.0, 0.0, 1.0)))
    assert (fluid.density, fluid.viscosity, fluid.stream_velocity) == (900.0, 0.5, (1, 2, 3))
    (shape,) = fluid.shapes
    assert isinstance(shape.geometry, GeometryBox) and shape.pose.position == (0.0, 1.0, 0.0)
    drawn = scene.bodies[0].links[0].shapes[0]
    assert drawn.pose.position == (1.0, 0.0, 1.0)


def test_fluid_defaults() -> None:
    (fluid,) = read_clean("Fluid { }").fluids
    assert (fluid.name, fluid.density, fluid.viscosity) == ("fluid", 1000.0, 0.001)


def test_fluid_inside_a_solid_is_left_out() -> None:
    scene, log = read("Solid { children Fluid { } }")
    assert_warning(log, "fluid-in-solid", "belongs at the top of a world")
    assert scene.fluids == ()


def test_immersion_with_all_fields() -> None:
    properties = (
        'ImmersionProperties { fluidName "water" referenceArea "xyz-projected area" '
        "dragForceCoefficients 1 2 3 dragTorqueCoefficients 4 5 6 "
        "viscousResistanceForceCoefficient 7 viscousResistanceTorqueCoefficient 8 }"
    )
    scene = read_clean(f"Solid {{ {SPHERE} {PHYSICS} immersionProperties [ {properties} ] }}")
    (found,) = scene.bodies[0].links[0].immersions
    expected = Immersion("water", DragArea.PROJECTED, (1, 2, 3), (4, 5, 6), 7.0, 8.0, found.span)
    assert found == expected


def test_last_immersion_for_a_fluid_wins() -> None:
    entries = " ".join(
        f'ImmersionProperties {{ fluidName "{name}" viscousResistanceForceCoefficient {value} }}'
        for name, value in (("water", 1), ("oil", 2), ("water", 3))
    )
    scene = read_clean(f"Solid {{ {SPHERE} {PHYSICS} immersionProperties [ {entries} ] }}")
    found = scene.bodies[0].links[0].immersions
    assert [(item.fluid, item.viscous_force) for item in found] == [("oil", 2.0), ("water", 3.0)]


def test_immersion_of_a_merged_solid_holds_for_its_own_shapes() -> None:
    entry = 'immersionProperties ImmersionProperties { fluidName "water" }'
    inner = f'Solid {{ name "b" {SPHERE} {PHYSICS} {entry} }}'
    outer = f"Solid {{ {SPHERE} {PHYSICS} %s children {inner} }}"
    (link,) = read_clean(outer % entry).links()
    assert [item.frame for item in link.immersions] == [None, 0]
    assert [shape.frame for shape in link.shapes] == [None, 0]
    (link,) = read_clean(outer % "").links()
    assert [item.frame for item in link.immersions] == [0]


def test_each_shape_of_a_merged_body_is_lifted_once() -> None:
    """Four rows would lift it twice."""
    entry = 'immersionProperties ImmersionProperties { fluidName "water" }'
    inner = f'Solid {{ name "b" translation 1 0 0 {SPHERE} {PHYSICS} {entry} }}'
    water = 'Fluid { name "water" boundingObject Box { } }'
    scene = read_clean(f"{water} Solid {{ {SPHERE} {PHYSICS} {entry} children {inner} }}")
    compiled = compile_scene(scene)
    assert len(compiled.tables.immersions) == 2


@pytest.mark.parametrize(
    "field",
    [
        "dragForceCoefficients -1 0 0",
        "dragTorqueCoefficients 0 -1 0",
        "viscousResistanceForceCoefficient -1",
        "viscousResistanceTorqueCoefficient -1",
    ],
)
def test_negative_coefficients_are_reset(field: str) -> None:
    _, log = read(f"Solid {{ immersionProperties [ ImmersionProperties {{ {field} }} ] }}")
    assert_warning(log, "value-reset", "must be >= 0")
