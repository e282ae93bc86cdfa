"""Templates in Lua, as PROTOs before R2022a have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.formats.protos.projects import LUA, read_project
from tests.formats.reading import codes, the


def names_of(folder: Path, code: str, *, interface: str = "", world: str = "P { }") -> list[str]:
    """Return the texts that a template hands to `out(...)`, one per call."""
    proto = (
        f"{LUA}PROTO P [ {interface} ] {{\n%{{\nlocal texts = {{}}\n"
        f"local function out(value) texts[#texts + 1] = tostring(value) end\n{code}\n}}%\n"
        "Group { children [\n%{ for _, text in ipairs(texts) do }%\n"
        'Solid { name "%{= text }%" }\n%{ end }%\n] }\n}\n'
    )
    scene, log = read_project(folder, world, {"P": proto})
    assert [str(item) for item in log] == []
    return [link.name for link in scene.links()]


@pytest.mark.parametrize(
    ("declared", "written", "expression", "expected"),
    [
        ("SFBool x FALSE", "x TRUE", "x.value", "true"),
        ("SFInt32 x 1", "x 7", "x.value + 1", "8"),
        ("SFFloat x 1", "x 0.25", "x.value", "0.25"),
        ("SFFloat x 1", "x 2", "x.defaultValue == 1", "true"),
        ('SFString x "a"', 'x "b é"', "x.value", "b é"),
        ("SFVec3f x 1 2 3", "", "x.value.x + x.value.y * x.value.z == 7", "true"),
        ("SFColor x 1 0 0", "", "x.value.r == 1", "true"),
        ("MFVec3f x [ ]", "x [ 1 2 3, 4 5 6 ]", "x.value[2].z == 6", "true"),
        ("SFNode x NULL", "", "x.value", "nil"),
        ("SFNode x NULL", "x Box { size 1 2 3 }", "x.value.node_name", "Box"),
        ("SFNode x NULL", "x Box { size 1 2 3 }", "x.value.fields.size.value.y == 2", "true"),
        ("MFString x [ ]", 'x [ "p" "q" ]', "table.concat(x.value, '+')", "p+q"),
    ],
)
def test_values_have_the_documented_shapes(
    tmp_path: Path, declared: str, written: str, expression: str, expected: str
) -> None:
    found = names_of(
        tmp_path,
        f"local x = fields.x out({expression})",
        interface=f"field {declared}",
        world=f"P {{ {written} }}",
    )
    assert found == [expected]


def test_nothing_is_written_for_nil(tmp_path: Path) -> None:
    """Webots' own ControlledStreetLight asks a list of colours for its red, and gets an empty list."""
    proto = (
        f"{LUA}PROTO P [ field MFColor color [ 1 0 0 ] ] {{ Solid {{ recognitionColors [ "
        "%{= fields.color.value.r }% %{= nil }% ] } }\n"
    )
    scene, log = read_project(tmp_path, "P { }", {"P": proto})
    assert [str(item) for item in log] == []
    assert scene.bodies[0].links[0].recognition_colors == ()


def test_modules_are_required_by_name(tmp_path: Path) -> None:
    code = (
        "local random = require('wbrandom') random.seed(0) out(random.integer(5, 5))\n"
        "local v2, v3 = require('wbvector2'), require('wbvector3')\n"
        "out(v2.norm({x = 6, y = 8})) out(v3.cross({x = 1, y = 0, z = 0}, {x = 0, y = 7, z = 0}).z)\n"
        "out(#require('wbgeometry').circle(1, 8, 0, 0, 0)) out(require('wbmath').round(1.6))\n"
        "out(#require('wbstring').split('a:b:c', ':')) out(require('wbcore').tablelength({1, 2, 3, 4}))\n"
        "out(require('wbrotation').isidentity({x = 0, y = 0, z = 1, a = 0}))\n"
        "out(require('wbfile').getpathwithoutfilename('a/b/c.proto'))"
    )
    found = names_of(tmp_path, code)
    assert found == ["5", "10", "7", "9", "2", "3", "4", "true", "a/b"]


def test_functions_that_webots_lua_kept_of_older_ones(tmp_path: Path) -> None:
    code = (
        "out(table.maxn({4, 5, [9] = 6, name = 7})) out(table.maxn({})) "
        "out(math.log10(1000)) out(math.pow(2, 3)) out(unpack({7, 5}))"
    )
    assert names_of(tmp_path, code) == ["9", "0", "3", "8", "7"]


def test_numbers_of_loops_are_whole(tmp_path: Path) -> None:
    assert names_of(tmp_path, "for i = 1, 2 do out('wheel' .. i) end") == ["wheel1", "wheel2"]


def test_random_numbers_and_time_are_the_same_each_time(tmp_path: Path) -> None:
    code = "math.randomseed(os.time() + os.clock()) out(math.random()) out(math.random(1, 100))"
    assert names_of(tmp_path, code) == names_of(tmp_path, code)


@pytest.mark.parametrize(
    ("body", "line", "expected"),
    [
        ("{\n Solid {\n }\n %{ local a = }%\n}", 5, "unexpected symbol"),
        ("{\n Solid {\n }\n %{\n\n  nothing.x()\n }%\n}", 7, "nothing"),
        ("{\n %{ error('own words') }% Solid { } }", 3, "own words"),
        ("{\n Solid { }\n %{ unclosed", 4, '"%{" is not closed by "}%"'),
        ("{\n %{ require('lfs') }% Solid { } }", 3, 'the module "lfs" is not there'),
    ],
)
def test_failing_template_gives_its_own_line(
    tmp_path: Path, body: str, line: int, expected: str
) -> None:
    _, log = read_project(tmp_path, "DEF X P { }", {"P": f"{LUA}PROTO P [ ] {body}"})
    found = the(log, "template-error")
    assert expected in found.text
    assert found.span.line in (line, line + 1) and found.node == "DEF X P (PROTO)"


def test_print_becomes_a_diagnostic(tmp_path: Path) -> None:
    _, log = read_project(
        tmp_path, "P { }", {"P": LUA + "PROTO P [ ] { %{ print('a', 1) }% Group { } }"}
    )
    assert the(log, "template-message").text == 'PROTO "P" says: a\t1'


def test_undeclared_proto_of_an_old_file_is_found_by_name(tmp_path: Path) -> None:
    inner = "#VRML_SIM R2021b utf8\nPROTO Inner [ ] { Solid { } }"
    outer = (
        LUA + "PROTO Outer [ ] { Group { children [ %{ for i = 1, 1 do }% Inner { } %{ end }% ] } }"
    )
    scene, log = read_project(tmp_path, "Outer { }", {"Inner": inner, "Outer": outer})
    assert codes(log) == [] and len(scene.bodies) == 1
