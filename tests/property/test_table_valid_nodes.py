"""Any node that the table allows loads, without complaint about names, types or values."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solidbody.formats.loading import read_scene_text
from tests.property.table_strategies import node_text

TOP_NODES = ("Solid", "Robot", "Group", "Pose", "Transform", "Shape", "WorldInfo", "Viewpoint",
             "Background", "Fog", "DirectionalLight", "PointLight", "SpotLight", "Charger", "Fluid",
             "CadShape", "DifferentialWheels", "Supervisor")  # fmt: skip

REFUSALS = {
    "unknown-node",
    "unknown-field",
    "bad-value",
    "wrong-node",
    "repeated-field",
    "value-reset",
}
"""Codes that say that the text does not follow the table."""

RULES = {"boundingObject", "density", "mass", "centerOfMass", "inertiaMatrix", "battery", "minStop",
         "minPosition", "coulombFriction", "forceDependentSlip", "children"}  # fmt: skip
"""Fields with rules beyond the table's (how many values, which of two is larger)."""


@pytest.mark.slow
@pytest.mark.parametrize("name", TOP_NODES)
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_table_valid_node_loads(name: str, data: st.DataObject) -> None:
    text = data.draw(node_text(name))
    scene, log = read_scene_text(f"#VRML_SIM R2025a utf8\n{text}\n")
    assert scene is not None
    refused = [str(item) for item in log if item.code in REFUSALS and item.field not in RULES]
    top_level = [line for line in refused if "is drawn only inside a Shape" not in line]
    assert top_level == []
