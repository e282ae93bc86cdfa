"""Small worlds as text, and what reading them said."""

from __future__ import annotations

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog, Severity
from solidbody.formats.loading import read_scene_text
from solidbody.model.links import Link
from solidbody.model.scene import Scene

SURROUNDINGS = "WorldInfo { }\nViewpoint { }\n"
"""The nodes that every world has; with them a world without faults gives no diagnostics."""

SPHERE = "boundingObject Sphere { radius 0.1 }"
PHYSICS = "physics Physics { }"


def read(text: str, *, release: str = "R2025a") -> tuple[Scene, DiagnosticLog]:
    """Read the nodes `text`, with WorldInfo and Viewpoint added where they are missing."""
    missing = "".join(
        f"{name} {{ }}\n" for name in ("WorldInfo", "Viewpoint") if f"{name} {{" not in text
    )
    scene, log = read_scene_text(f"#VRML_SIM {release} utf8\n{missing}{text}\n")
    assert scene is not None
    assert tuple(log) == scene.diagnostics
    return scene, log


def read_clean(text: str) -> Scene:
    """Read a world about which there is nothing to say."""
    scene, log = read(text)
    assert [str(item) for item in log] == []
    return scene


def link_named(scene: Scene, name: str) -> Link:
    """Return the link of that name."""
    return next(link for link in scene.links() if link.name == name)


def the(log: DiagnosticLog, code: str) -> Diagnostic:
    """Return the only diagnostic with that code."""
    found = [item for item in log if item.code == code]
    assert len(found) == 1, f"{code}: {[str(item) for item in log]}"
    return found[0]


def codes(log: DiagnosticLog) -> list[str]:
    """Return the codes of all diagnostics, in order."""
    return [item.code for item in log]


def assert_warning(log: DiagnosticLog, code: str, text: str) -> Diagnostic:
    """Check that the only diagnostic is a warning of that code whose message contains `text`."""
    assert codes(log) == [code], [str(item) for item in log]
    found = log.items[0]
    assert found.severity is Severity.WARNING
    assert text in found.text, found.text
    return found


def assert_error(log: DiagnosticLog, code: str, text: str) -> Diagnostic:
    """Check that the only diagnostic is an error of that code whose message contains `text`."""
    assert codes(log) == [code], [str(item) for item in log]
    found = log.items[0]
    assert found.severity is Severity.ERROR
    assert text in found.text, found.text
    return found
