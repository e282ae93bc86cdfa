"""Whatever can be read can be written in every format, and what is written can be read."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solidbody.base.diagnostics import DiagnosticLog, Severity
from solidbody.formats.choreonoid.write.body import body_text
from solidbody.formats.loading import read_scene_text
from solidbody.formats.webots.export.files import proto_text, world_text
from tests.property.table_strategies import node_text

TOP_NODES = ("Solid", "Robot", "Pose", "WorldInfo", "SpotLight")

KNOWN_FAULTS = frozenset({"non-finite", "too-many-nodes"})
"""Errors about numbers beyond what a simulation takes, which the first reading gave as well."""


@pytest.mark.slow
@pytest.mark.parametrize("name", TOP_NODES)
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_any_scene_is_written_and_read(name: str, data: st.DataObject) -> None:
    """No writer raises, and no reader finds an error in what was written."""
    text = data.draw(node_text(name))
    scene, _ = read_scene_text(f"#VRML_SIM R2025a utf8\n{text}\n")
    assert scene is not None
    lost = DiagnosticLog()
    again, log = read_scene_text(world_text(scene, lost))
    assert again is not None
    assert _errors(log) == []
    for body in scene.bodies:
        proto_text(scene, body, "Any", lost)
        read, log = read_scene_text(body_text(scene, body, lost), "any.body")
        assert read is not None
        assert _errors(log) == []


def _errors(log: DiagnosticLog) -> list[str]:
    errors = [item for item in log if item.severity is Severity.ERROR]
    return [str(item) for item in errors if item.code not in KNOWN_FAULTS]
