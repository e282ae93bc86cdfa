"""Templates in JavaScript: statements, values, places, messages, sandbox."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from solidbody.base.diagnostics import Severity
from solidbody.formats.webots.edit.document import load_world
from solidbody.formats.webots.protos import template_process
from solidbody.model.geometry import GeometrySphere
from tests.formats.protos.projects import (
    BALL,
    JAVASCRIPT,
    read_project,
    read_quietly,
    write_project,
)
from tests.formats.reading import codes, link_named, the


def names_of(folder: Path, code: str, *, interface: str = "", world: str = "P { }") -> list[str]:
    """Return the texts that a template hands to `out(...)`, one per call."""
    proto = (
        f"{JAVASCRIPT}PROTO P [ {interface} ] {{\n%<\nconst texts = [];\n"
        f"function out(value) {{ texts.push(String(value)); }}\n{code}\n>%\n"
        "Group { children [\n%< for (const text of texts) { >%\n"
        'Solid { name "%<= text >%" }\n%< } >%\n] }\n}\n'
    )
    scene = read_quietly(folder, world, {"P": proto, "Blob": BALL})
    return [link.name for link in scene.links()]


def test_loop_writes_one_node_per_turn(tmp_path: Path) -> None:
    proto = JAVASCRIPT + (
        "PROTO Row [ field SFInt32 n 2 field SFFloat step 1 ]\n{\n Group { children [\n"
        "%< for (let i = 0; i < fields.n.value; ++i) { >%\n"
        '  Solid { translation %<= i * fields.step.value >% 0 0 name "s%<= i >%" }\n'
        "%< } >%\n ] }\n}\n"
    )
    scene = read_quietly(tmp_path, "Row { n 3 step 0.5 }", {"Row": proto})
    assert [link.pose.position[0] for link in scene.links()] == [0.0, 0.5, 1.0]


def test_conditions_without_braces_work(tmp_path: Path) -> None:
    proto = JAVASCRIPT + (
        "PROTO P [ field SFBool big TRUE ]\n{\n Solid { boundingObject Sphere {\n"
        "%< if (fields.big.value) >%\n radius 2\n%< else >%\n radius 1\n%< ; >% } }\n}\n"
    )
    for word, radius in (("TRUE", 2.0), ("FALSE", 1.0)):
        scene = read_quietly(tmp_path, f"P {{ big {word} }}", {"P": proto})
        assert scene.bodies[0].links[0].shapes[0].geometry == GeometrySphere(radius)


def test_is_and_template_may_be_mixed(tmp_path: Path) -> None:
    proto = JAVASCRIPT + (
        'PROTO P [ field SFVec3f translation 0 0 0 field SFString name "x" ]\n'
        '{ Solid { translation IS translation name "%<= fields.name.value + fields.name.value >%" } }'
    )
    scene = read_quietly(tmp_path, 'P { translation 1 2 3 name "ab" }', {"P": proto})
    assert link_named(scene, "abab").pose.position == (1.0, 2.0, 3.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("declared", "written", "expression", "expected"),
    [
        ("SFBool x FALSE", "x TRUE", "x.value === true", "true"),
        ("SFInt32 x 1", "x 7", "x.value + 1", "8"),
        ("SFFloat x 1", "x 0.25", "x.value * 2", "0.5"),
        ("SFFloat x 1", "x 2", "x.defaultValue", "1"),
        ('SFString x "a"', 'x "b c"', "x.value", "b c"),
        ("SFVec2f x 1 2", "x 3 4", "JSON.stringify(x.value).replaceAll('\"', '')", "{x:3,y:4}"),
        ("SFVec3f x 1 2 3", "", "x.value.x + x.value.y * x.value.z", "7"),
        ("SFRotation x 0 0 1 0", "x 0 1 0 2", "x.value.y + x.value.a", "3"),
        ("SFColor x 1 0 0", "", "x.value.r + x.value.g + x.value.b", "1"),
        ("MFFloat x [ ]", "x [ 1 2 3 ]", "x.value.length", "3"),
        ("MFFloat x [ ]", "x 4", "x.value[0]", "4"),
        ("MFVec3f x [ ]", "x [ 1 2 3, 4 5 6 ]", "x.value[1].z", "6"),
        ('MFString x [ "a" ]', 'x [ "p" "q" ]', "x.value.join('+')", "p+q"),
        ("MFBool x [ ]", "x [ TRUE FALSE ]", "x.value.map(String).join()", "true,false"),
        ("SFNode x NULL", "", "x.value === undefined", "true"),
        ("SFNode x NULL", "x Box { }", "x.value.node_name", "Box"),
        ("SFNode x NULL", "x Box { size 1 2 3 }", "x.value.fields.size.value.y", "2"),
        ("SFNode x NULL", "x Box { }", "x.value.fields.size.value.x", "2"),
        ("SFNode x NULL", "x Blob { }", "x.value.node_name", "Blob"),
        ("SFNode x NULL", "x Blob { radius 3 }", "x.value.fields.radius.value", "3"),
        ("SFNode x NULL", "x Blob { }", "x.value.fields.radius.defaultValue", "0.1"),
        ("SFNode x NULL", "x Blob { }", "x.value.fields.children === undefined", "true"),
        (
            "SFNode x NULL",
            "x Group { children Blob { radius 2 } }",
            "x.value.fields.children.value[0].fields.radius.value",
            "2",
        ),
        (
            "SFNode x NULL",
            "x Blob { appearance PBRAppearance { roughness 0.5 } }",
            "x.value.fields.appearance.value.fields.roughness.value",
            "0.5",
        ),
        ("MFNode x [ ]", "x [ Box { } Sphere { } ]", "x.value[1].node_name", "Sphere"),
        ("MFNode x [ ]", "x [ Blob { radius 5 } ]", "x.value[0].fields.radius.value", "5"),
        ("SFFloat x 1", "x 1e999", "x.value", "Infinity"),
    ],
)
def test_values_have_the_documented_shapes(
    tmp_path: Path, declared: str, written: str, expression: str, expected: str
) -> None:
    found = names_of(
        tmp_path,
        f"const x = fields.x; out({expression});",
        interface=f"field {declared}",
        world=f"P {{ {written} }}",
    )
    assert found == [expected]


def test_derived_instance_shows_its_own_parameters(tmp_path: Path) -> None:
    derived = (
        'EXTERNPROTO "Blob.proto"\nPROTO Globe [ field SFFloat size 4 ] { Blob { radius IS size } }'
    )
    proto = JAVASCRIPT + (
        "PROTO P [ field SFNode x NULL ]\n{ Solid { name "
        "%<= '\"' + Object.keys(fields.x.value.fields) + fields.x.value.node_name + '\"' >% } }"
    )
    scene = read_quietly(
        tmp_path, "P { x Globe { } }", {"P": proto, "Globe": derived, "Blob": BALL}
    )
    assert [link.name for link in scene.links()] == ["sizeGlobe"]


def test_context_has_the_documented_keys(tmp_path: Path) -> None:
    code = (
        "for (const key of ['world', 'proto', 'project_path', 'webots_version', 'webots_home', "
        "'temporary_files_path', 'os', 'id', 'coordinate_system']) if (!(key in context)) out(key);\n"
        "out(context.world.split('/').pop()); out(context.proto.split('/').pop());\n"
        "out(context.webots_version.major); out(context.coordinate_system);"
    )
    assert names_of(tmp_path, code) == ["world.wbt", "P.proto", "R2025b", "ENU"]


def test_booleans_are_written_in_the_language_of_worlds(tmp_path: Path) -> None:
    proto = JAVASCRIPT + "PROTO P [ ]\n{ Solid { locked %<= 1 < 2 >% } }"
    scene = read_quietly(tmp_path, "P { }", {"P": proto})
    assert scene.bodies[0].links[0].is_locked


def test_named_imports_and_comments_after_code(tmp_path: Path) -> None:
    code = (
        "import {integer, seed as start} from 'wbrandom.js'; // these two\n"
        'import * as vector from "wbvector3.js"\n'
        "start(4); out(integer(3, 3)); out(vector.norm({x: 2, y: 3, z: 6})); // 7"
    )
    assert names_of(tmp_path, code) == ["3", "7"]


def test_imports_may_follow_each_other_in_a_line(tmp_path: Path) -> None:
    code = (
        "import {integer} from 'wbrandom.js'; import * as vector from 'wbvector3.js'; "
        "out(integer(3, 3)); import {norm} from 'wbvector2.js'; out(vector.norm({x: 2, y: 3, z: 6})); "
        "out(norm({x: 3, y: 4}));"
    )
    assert names_of(tmp_path, code) == ["3", "7", "5"]


def test_random_numbers_are_the_same_each_time(tmp_path: Path) -> None:
    code = (
        "import * as wbrandom from 'wbrandom.js';\n"
        "out(wbrandom.integer(0, 1000)); out(Math.random()); out(Date.now()); out(new Date() - 1);"
    )
    first = names_of(tmp_path, code)
    other = tmp_path / "other"  # a template knows its folder: it runs once more
    other.mkdir()
    assert first == names_of(other, code)
    assert first[0] == str(12820163 % 16777216 % 1001)


def test_same_values_are_evaluated_once_unless_the_proto_says_otherwise(tmp_path: Path) -> None:
    proto = JAVASCRIPT + 'PROTO P [ ]\n{ %< console.log("run"); >% Group { } }'
    _, log = read_project(tmp_path, "P { } P { }", {"P": proto})
    assert codes(log).count("template-message") == 1
    other = proto.replace("# template", "# tags: nonDeterministic\n# template")
    _, log = read_project(tmp_path, "P { } P { }", {"P": other})
    assert codes(log).count("template-message") == 2


def test_a_world_that_is_read_again_runs_only_what_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A supervisor's change reads the whole world; what templates write and say for known values is kept."""
    runs: list[str] = []
    run = template_process.TemplateProcess.run

    def counted(engine: template_process.TemplateProcess, program: str, values: str) -> str:
        runs.append(values)
        return run(engine, program, values)

    monkeypatch.setattr(template_process.TemplateProcess, "run", counted)
    proto = JAVASCRIPT + (
        "PROTO P [ field SFFloat size 1 ]\n"
        '{ %< console.log("run"); >% Solid { name "%<= fields.size.value >%" } }'
    )
    found = [read_project(tmp_path, f"P {{ size {size} }}", {"P": proto}) for size in (1, 1, 2)]
    assert len(runs) == 2
    assert [[link.name for link in scene.links()] for scene, _ in found] == [["1"], ["1"], ["2"]]
    assert [codes(log).count("template-message") for _, log in found] == [1, 1, 1]


def test_console_becomes_diagnostics(tmp_path: Path) -> None:
    proto = JAVASCRIPT + (
        'PROTO P [ ]\n{ %< console.log("a", 1); console.warn("b"); console.error("c"); >% Group { } }'
    )
    _, log = read_project(tmp_path, "DEF X P { }", {"P": proto})
    assert [(item.severity, item.text) for item in log] == [
        (Severity.INFO, 'PROTO "P" says: a 1'),
        (Severity.WARNING, 'PROTO "P" says: b'),
        (Severity.WARNING, 'PROTO "P" says: c'),
    ]
    assert log.items[0].node == "DEF X P (PROTO)"


# places


@pytest.mark.parametrize(
    ("body", "line", "expected"),
    [
        ("{\n Solid {\n }\n %< let a = ; >%\n}", 6, "SyntaxError"),
        ("{\n Solid {\n }\n %<\n\n  nothing.x;\n >%\n}", 8, "nothing is not defined"),
        ('{\n %< \n throw new Error("own words"); >% Solid { } }', 5, "own words"),
        ("{\n Solid { translation\n %<= fields.y.value >% 0 0 } }", 5, "undefined"),
        ("{\n Solid { }\n %< unclosed", 5, '"%<" is not closed by ">%"'),
        ("{\n Solid { }\n %<= >% }", 5, '"%<=" needs an expression'),
        (
            "{\n %<\n import * as x from 'nothing.js';\n>% Solid { } }",
            5,
            'unknown module "nothing.js"',
        ),
        ("{\n %< with (fields) { } >% Solid { } }", 4, "Strict mode"),
        ("{\n %< undeclared = 3; >% Solid { } }", 4, "undeclared is not defined"),
    ],
)
def test_failing_template_gives_its_own_line(
    tmp_path: Path, body: str, line: int, expected: str
) -> None:
    _, log = read_project(tmp_path, "DEF X P { }", {"P": f"{JAVASCRIPT}PROTO P [ ] {body}"})
    found = the(log, "template-error")
    assert expected in found.text
    assert (found.span.line, found.node) == (line, "DEF X P (PROTO)")
    assert found.span.file.endswith("P.proto")


def test_errors_in_written_text_name_the_line_of_the_template(tmp_path: Path) -> None:
    proto = JAVASCRIPT + (
        "PROTO P [ ]\n{\n%< for (let i = 0; i < 20; ++i) { } >%\nSolid {\n"
        'translation %<= "1 2" >%\nmassive 3\n} }'
    )
    _, log = read_project(tmp_path, "P { }", {"P": proto})
    places = {item.code: item.span.line for item in log}
    assert places == {"bad-value": 7, "unknown-field": 8}


def test_what_is_written_must_be_one_body(tmp_path: Path) -> None:
    _, log = read_project(tmp_path, "P { }", {"P": JAVASCRIPT + "PROTO P [ ] { %< >% }"})
    assert "it is empty" in the(log, "bad-proto").text


def test_comment_hides_a_tag_and_a_string_does_not(tmp_path: Path) -> None:
    proto = JAVASCRIPT + (
        'PROTO P [ ] {\n# %< nothing(); >%\nSolid { name "#%<= 1 + 1 >%" } # %<= nothing >%\n}'
    )
    scene = read_quietly(tmp_path, "P { }", {"P": proto})
    assert scene.bodies[0].links[0].name == "#2"


# sandbox


def test_worlds_without_templates_start_no_engine(tmp_path: Path) -> None:
    read_quietly(tmp_path, "Blob { }", {"Blob": BALL})
    assert "py_mini_racer" not in sys.modules and "lupa" not in sys.modules


def test_changed_parameter_runs_the_template_again(tmp_path: Path) -> None:
    proto = JAVASCRIPT + (
        "PROTO Row [ field SFInt32 n 1 ]\n{ Group { children [ "
        '%< for (let i = 0; i < fields.n.value; ++i) { >% Solid { name "s%<= i >%" } %< } >% ] } }'
    )
    world = load_world(write_project(tmp_path, "DEF ROW Row { }", {"Row": proto}))
    assert len(list(world.scene.links())) == 1
    change = world.set("ROW.n", 3)
    assert [link.name for link in world.scene.links()] == ["s0", "s1", "s2"]
    change.undo()
    assert len(list(world.scene.links())) == 1
