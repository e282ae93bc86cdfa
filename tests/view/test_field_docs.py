"""Every field of the editor says what it is for."""

from __future__ import annotations

from solidbody.formats.webots.nodes import NODES
from solidbody.view.field_docs import FIELD_DOCS, field_doc


def test_every_field_has_a_line() -> None:
    """Of all node types of today; a line is a sentence that fits beside the field."""
    for row in NODES:
        for name, field in NODES.fields(row.name).items():
            if field.until:
                continue
            text = field_doc(row.name, name)
            assert text.endswith(".") and len(text) <= 110, f"{row.name}.{name}: {text!r}"


def test_no_line_is_about_a_field_that_is_not_there() -> None:
    """A key names a field of some node, or of the node that it names."""
    names = {name for row in NODES for name in NODES.fields(row.name)}
    for key in FIELD_DOCS:
        node, _, name = key.rpartition(".")
        assert name in (NODES.fields(node) if node else names), key


def test_a_line_of_a_node_is_that_of_nodes_derived_from_it() -> None:
    """A camera is a device; a plain solid is none."""
    assert field_doc("Camera", "name") == "Name by which programs find the device."
    assert field_doc("Solid", "name") == "Name, different from those beside it."
    assert field_doc("TextureTransform", "rotation") == "Angle by which the picture is turned."
