"""Templates in JavaScript and Lua reach no file, no network, no clock, no program and no other template."""

from __future__ import annotations

from pathlib import Path

import pytest

from solidbody.base.diagnostics import Severity
from tests.formats.protos.projects import JAVASCRIPT, LUA, read_project
from tests.formats.protos.test_javascript import names_of as names_of_javascript
from tests.formats.protos.test_lua import names_of as names_of_lua
from tests.formats.reading import the

# JavaScript


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["require", "process", "fetch", "XMLHttpRequest", "ArrayBuffer", "WebAssembly", "Uint8Array",
     "SharedArrayBuffer", "eval", "setTimeout"],
)  # fmt: skip
def test_javascript_templates_have_no_way_out(tmp_path: Path, name: str) -> None:
    assert names_of_javascript(tmp_path, f"out(typeof {name});") == ["undefined"]


@pytest.mark.parametrize("call", ["readTextFile('/etc/passwd')", "writeTextFile('x', 'y')"])
def test_javascript_templates_have_no_files(tmp_path: Path, call: str) -> None:
    proto = f"{JAVASCRIPT}PROTO P [ ] {{ %< wbfile.{call}; >% Solid {{ }} }}"
    _, log = read_project(tmp_path, "P { }", {"P": proto})
    assert "templates may not" in the(log, "template-error").text


def test_javascript_templates_do_not_see_each_other(tmp_path: Path) -> None:
    first = (
        JAVASCRIPT
        + "PROTO A [ ] { %< globalThis.left = 1; Object.prototype.own = 2; >% Group { } }"
    )
    second = JAVASCRIPT + "PROTO B [ ] { %< console.log(globalThis.left, ({}).own); >% Group { } }"
    _, log = read_project(tmp_path, "A { } B { }", {"A": first, "B": second})
    assert the(log, "template-message").text == 'PROTO "B" says: undefined undefined'


# Lua


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["io.popen", "io.lines", "io.read", "os.execute", "os.remove", "os.getenv", "load",
             "loadstring", "loadfile", "dofile", "package",
             "debug", "python", "coroutine", "collectgarbage", "string.dump"]
)  # fmt: skip
def test_lua_templates_have_no_way_out(tmp_path: Path, name: str) -> None:
    assert names_of_lua(tmp_path, f"out({name})") == ["nil"]


def test_lua_methods_of_strings_hide_nothing(tmp_path: Path) -> None:
    assert names_of_lua(tmp_path, "out(('x').dump)") == ["nil"]


def test_lua_metatables_are_those_of_tables_only(tmp_path: Path) -> None:
    code = (
        "local Point = {} Point.__index = Point function Point:sum() return self.x + self.y end\n"
        "local p = setmetatable({x = 1, y = 2}, Point) out(p:sum())\n"
        "out(getmetatable(p) == Point and not getmetatable('') and not getmetatable(print))"
    )
    assert names_of_lua(tmp_path, code) == ["3", "true"]


def test_lua_missing_module_is_named(tmp_path: Path) -> None:
    code = "local files = require('lfs')"
    _, log = read_project(
        tmp_path, "P { }", {"P": f"{LUA}PROTO P [ ] {{ %{{ {code} }}% Group {{ }} }}"}
    )
    found = the(log, "template-error")
    assert 'the module "lfs" is not there: templates have no files' in found.text


def test_lua_streams_become_diagnostics_and_files_do_not_open(tmp_path: Path) -> None:
    code = (
        "io.stderr:write(\"'size' must be positive\\n\") io.stdout:write('a', 1) io.write('b\\n') "
        "print(io.open('/etc/passwd', 'r'))"
    )
    _, log = read_project(
        tmp_path, "P { }", {"P": f"{LUA}PROTO P [ ] {{ %{{ {code} }}% Group {{ }} }}"}
    )
    said = [item.text.removeprefix('PROTO "P" says: ') for item in log]
    assert said == [
        "'size' must be positive",
        "a1",
        "b",
        "nil\t/etc/passwd: templates have no files",
    ]
    assert log.items[0].severity is Severity.WARNING
