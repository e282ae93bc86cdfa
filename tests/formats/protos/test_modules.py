"""The modules wb* of templates, in both languages, against closed forms and against each other.

Referee: solidbody.base.transforms for rotations, Python's own arithmetic for the rest.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from solidbody.base.transforms import quat_from_axis_angle, quat_multiply
from tests.formats.protos.projects import JAVASCRIPT, LUA, read_project

TOLERANCE = 1e-12


def values(folder: Path, language: str, expressions: str) -> list[float]:
    """Return the numbers that expressions (separated by |) have in a template."""
    parts = expressions.split("|")
    if language == "javascript":
        names = ("wbrandom", "wbrotation", "wbvector2", "wbvector3", "wbgeometry", "wbutility")
        imports = "\n".join(f"import * as {name} from '{name}.js';" for name in names)
        body = " ".join(f"%<= {part} >%" for part in parts)
        text = f"{JAVASCRIPT}PROTO P [ ] {{\n%<\n{imports}\n>%\n"
    else:
        names = ("wbrandom", "wbrotation", "wbvector2", "wbvector3", "wbgeometry")
        imports = "\n".join(f"local {name} = require('{name}')" for name in names)
        body = " ".join(f"%{{= string.format('%.17g', {part}) }}%" for part in parts)
        text = f"{LUA}PROTO P [ ] {{\n%{{\n{imports}\n}}%\n"
    text += f'Solid {{ name "{body}" }} }}'
    scene, log = read_project(folder, "P { }", {"P": text})
    assert [str(item) for item in log] == []
    return [float(word) for word in scene.bodies[0].links[0].name.split()]


def lcg(state: float) -> float:
    """Return the next state of the documented generator, in doubles as both languages compute it."""
    return math.fmod(1140671485.0 * state + 12820163.0, 16777216.0)


@pytest.mark.parametrize("language", ["javascript", "lua"])
def test_random_numbers_follow_the_documented_generator(tmp_path: Path, language: str) -> None:
    found = values(
        tmp_path,
        language,
        "wbrandom.real()|wbrandom.real(2)|wbrandom.real(-1, 1)|wbrandom.integer(3, 9)",
    )
    states = [lcg(0.0)]
    for _ in range(3):
        states.append(lcg(states[-1]))
    top = 2.0**24 - 1.0
    expected = [states[0] / top, 2 * states[1] / top, -1 + 2 * states[2] / top, 3 + states[3] % 7]
    assert found == pytest.approx(expected, abs=TOLERANCE)


JS_ROTATIONS = (
    "(() => { const r = wbrotation.combine({x: 0, y: 0, z: 2, a: 0.5}, {x: 1, y: 0, z: 0, a: 0.7});"
    " const q = wbrotation.toQuaternion(r); return q.w + ' ' + q.x + ' ' + q.y + ' ' + q.z; })()"
)


def test_combined_rotation_is_the_product_of_quaternions(tmp_path: Path) -> None:
    found = values(tmp_path, "javascript", JS_ROTATIONS)
    expected = quat_multiply(
        quat_from_axis_angle((0.0, 0.0, 1.0), 0.5), quat_from_axis_angle((1.0, 0.0, 0.0), 0.7)
    )
    assert found == pytest.approx(expected, abs=TOLERANCE)
    lua = (
        "wbrotation.toquaternion(wbrotation.combine({x=0,y=0,z=2,a=0.5},{x=1,y=0,z=0,a=0.7})).w"
        "|wbrotation.toquaternion(wbrotation.combine({x=0,y=0,z=2,a=0.5},{x=1,y=0,z=0,a=0.7})).z"
    )
    assert values(tmp_path, "lua", lua) == pytest.approx([expected[0], expected[3]], abs=TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("wbvector2.norm({x: 3, y: 4})", 5.0),
        ("wbvector2.dot(wbvector2.add({x: 1, y: 2}, {x: 3, y: 4}), {x: 1, y: 0})", 4.0),
        ("wbvector2.cross({x: 1, y: 2}, {x: 3, y: 4})", -2.0),
        ("wbvector2.distance({x: 1, y: 1}, {x: 4, y: 5})", 5.0),
        ("wbvector2.angle({x: 1, y: 0}, {x: 0, y: 0})", 0.0),
        ("wbvector2.angle({x: 2, y: 3}, {x: 2, y: 1})", math.pi / 2),
        ("(r => { wbrotation.normalize(r); return r.y; })({x: 0, y: 3, z: 0, a: 1})", 1.0),
        ("wbvector2.normalize({x: 0, y: 9}).y", 1.0),
        ("wbvector2.intersection({x: 0, y: 0}, {x: 2, y: 2}, {x: 0, y: 2}, {x: 2, y: 0}).x", 1.0),
        ("wbvector2.intersection({x: 0, y: 0}, {x: 1, y: 0}, {x: 0, y: 1}, {x: 1, y: 1}) ? 1 : 0", 0.0),
        ("wbvector3.norm(wbvector3.cross({x: 1, y: 2, z: 3}, {x: 4, y: 5, z: 6}))", math.sqrt(54)),
        ("wbvector3.multiply(wbvector3.minus({x: 1, y: 2, z: 3}, {x: 0, y: 0, z: 1}), 3).z", 6.0),
        ("wbrotation.rotateVector3ByRotation({x: 0, y: 0, z: 1, a: Math.PI / 2}, {x: 1, y: 0, z: 0}).y", 1.0),
        ("wbrotation.fromMatrix3(wbrotation.toMatrix3({x: 0, y: 1, z: 0, a: 0.3})).a", 0.3),
        ("wbrotation.normalize({x: 0, y: 3, z: 0, a: 3 * Math.PI / 2}).a", -math.pi / 2),
        ("wbrotation.isIdentity({x: 0, y: 1, z: 0, a: 0}) ? 1 : 0", 1.0),
        ("wbgeometry.circle(2, 4, {x: 1, y: 0}, 0)[1].y", 2.0),
        ("wbgeometry.circle(2, 4, {x: 1, y: 0}, 0).length", 5.0),
        ("wbgeometry.isPoint2InPolygon({x: 3.5, y: 0.5}, wbgeometry.circle(1, 8, {x: 3, y: 0}, 0)) * 1", 1.0),
        ("wbgeometry.isPoint2InPolygon({x: 4.5, y: 0.5}, wbgeometry.circle(1, 8, {x: 3, y: 0}, 0)) * 1", 0.0),
        ("wbgeometry.findClosestPoint2InArray({x: 0, y: 0}, [{x: 3, y: 0}, {x: 1, y: 1}]).x", 1.0),
        ("wbgeometry.bSpline2([{x: 0, y: 0}, {x: 1, y: 0}, {x: 2, y: 0}], 4).at(-1).x", 2.0),
        ("wbgeometry.bSpline3([{x: 0, y: 0, z: 0}, {x: 1, y: 2, z: 3}], 5).length", 6.0),
        ("wbutility.degreesToRadians(180)", math.pi),
        ("wbutility.isVector3({x: 1, y: 2, z: 3}) && !wbutility.isVector3({x: 1}) ? 1 : 0", 1.0),
        ("wbutility.deepCopy({a: [1, 2]}).a[1]", 2.0),
    ],
)  # fmt: skip
def test_functions_have_their_values(tmp_path: Path, expression: str, expected: float) -> None:
    assert values(tmp_path, "javascript", expression) == pytest.approx([expected], abs=1e-9)


def test_spline_of_points_on_a_line_stays_on_it(tmp_path: Path) -> None:
    text = (
        "wbgeometry.bSpline3([1, 2, 5].map(t => ({x: t, y: 2 * t, z: -t})), 3)"
        ".reduce((worst, p) => Math.max(worst, Math.abs(p.y - 2 * p.x), Math.abs(p.z + p.x)), 0)"
    )
    assert values(tmp_path, "javascript", text) == pytest.approx([0.0], abs=TOLERANCE)
    lua = "wbgeometry.bspline2D({{x=1,y=2},{x=2,y=4},{x=5,y=10}}, 3)[%d].%s"
    found = values(tmp_path, "lua", "|".join(lua % (i, key) for i in (2, 5) for key in "xy"))
    assert found[1] == pytest.approx(2 * found[0]) and found[3] == pytest.approx(2 * found[2])
