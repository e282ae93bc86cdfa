"""Small body files as text, and what reading them said."""

from __future__ import annotations

from pathlib import Path

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.loading import read_scene, read_scene_text
from solidbody.model.joints import JointAxis, JointHinge, JointSlider
from solidbody.model.links import Body, Link

HEADER = "format: ChoreonoidBody\nformat_version: 2.0\nname: Robot\n"
RADIANS = "format: ChoreonoidBody\nformat_version: 1.0\nangle_unit: radian\nname: Robot\n"


def read_text(text: str) -> tuple[Body | None, DiagnosticLog]:
    """Read a whole body file."""
    scene, log = read_scene_text(text, "x.body")
    if scene is None:
        assert log.has_errors
        return None, log
    assert tuple(log) == scene.diagnostics
    (body,) = scene.bodies
    return body, log


def read_body(links: str, *, more: str = "", header: str = HEADER) -> tuple[Body, DiagnosticLog]:
    """Read a body with the entries `links` (indented by two) and other top-level keys."""
    body, log = read_text(f"{header}{more}links:\n{links}\n")
    assert body is not None, [str(item) for item in log]
    return body, log


def read_clean(links: str, *, more: str = "", header: str = HEADER) -> Body:
    """Read a body about which there is nothing to say."""
    body, log = read_body(links, more=more, header=header)
    assert [str(item) for item in log] == []
    return body


def read_link(keys: str, *, header: str = HEADER) -> tuple[Link, DiagnosticLog]:
    """Read one link `A` with the given keys (`; ` between them), below a fixed root."""
    lines = "\n".join(f"    {line}" for line in keys.split("; "))
    body, log = read_body(f"  - name: ROOT\n  - name: A\n    parent: ROOT\n{lines}", header=header)
    return body.links[1], log


def clean_link(keys: str, *, header: str = HEADER) -> Link:
    """Read one link about which there is nothing to say."""
    link, log = read_link(keys, header=header)
    assert [str(item) for item in log] == []
    return link


def axis_of(link: Link) -> JointAxis:
    """Return the axis of a link that turns or slides."""
    assert isinstance(link.joint, JointHinge | JointSlider)
    return link.joint.axis


def read_files(folder: Path, files: dict[str, str]) -> tuple[Body | None, DiagnosticLog]:
    """Write files into a folder and read the first of them."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    scene, log = read_scene(folder / next(iter(files)))
    return (scene.bodies[0] if scene is not None else None), log
