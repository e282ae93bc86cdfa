"""Projects made to hurt end with a clear error, within seconds and bounded memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from solidbody.base.diagnostics import Diagnostic
from solidbody.formats.loading import read_scene
from solidbody.model.geometry import GeometryPoints
from tests.formats.protos.projects import JAVASCRIPT, LUA, computed, write_project
from tests.formats.reading import the

LONGEST = 5.0
"""Seconds of computing for one world; a template has 2, which the system counts in whole ones."""


def timed(folder: Path, world: str, protos: dict[str, str], code: str) -> Diagnostic:
    """Read a project in time; return its only message with that code."""
    path = write_project(folder, world, protos)
    start = computed()
    _, log = read_scene(path)
    assert computed() - start < LONGEST
    return the(log, code)


JS_BODIES = {
    "endless loop": ("while (true) { }", "ran for more than 2 s"),
    "endless catching": ("for (;;) try { for (;;) { } } catch (e) { }", "ran for more than 2 s"),
    "slow pattern": ("/^(a+)+$/.test('a'.repeat(40) + 'b');", "ran for more than 2 s"),
    "lists": ("const a = []; for (;;) a.push(new Array(1000).fill(1.5));", "MB of memory"),
    "strings": ("let s = 'abc'; const a = []; for (;;) { s += s; a.push(s + 'x'); }", ""),
    "recursion": ("function f() { f(); } f();", "Maximum call stack size exceeded"),
    "output": ("for (;;) { >% Shape { } %< }", ""),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", JS_BODIES)
def test_javascript_that_does_not_end_is_stopped(tmp_path: Path, name: str) -> None:
    code, expected = JS_BODIES[name]
    proto = f"{JAVASCRIPT}PROTO P [ ] {{ %< {code} >% Group {{ }} }}"
    found = timed(tmp_path, "P { }", {"P": proto}, "template-error")
    assert expected in found.text


LUA_BODIES = {
    "endless loop": ("while true do end", "ran for more than 2 s"),
    "endless catching": (
        "while true do pcall(function() while true do end end) end",
        "more than 2 s",
    ),
    "slow pattern": (
        "string.find(string.rep('a', 50000), string.rep('a*', 20) .. 'b')",
        "more than 2 s",
    ),
    "empty repetition": ("string.rep('', 1e15)", ""),
    "tables": (
        "local a = {} while true do a[#a + 1] = string.rep('x', 1000000) .. #a end",
        "MB of memory",
    ),
    "strings": ("local s = 'abc' while true do s = s .. s end", ""),
    "recursion": ("local function f() return 1 + f() end f()", "stack overflow"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LUA_BODIES)
def test_lua_that_does_not_end_is_stopped(tmp_path: Path, name: str) -> None:
    code, expected = LUA_BODIES[name]
    proto = f"{LUA}PROTO P [ ] {{ %{{ {code} }}% Group {{ }} }}"
    path = write_project(tmp_path, "P { }", {"P": proto})
    start = computed()
    _, log = read_scene(path)
    assert computed() - start < LONGEST
    if expected:
        assert expected in the(log, "template-error").text


@pytest.mark.slow
def test_template_that_failed_is_not_run_again(tmp_path: Path) -> None:
    code = "while (fields.n.value >= 0) { }"
    proto = f"{JAVASCRIPT}PROTO P [ field SFInt32 n 0 ] {{ %< {code} >% Group {{ }} }}"
    world = " ".join(f"P {{ n {i} }}" for i in range(20))
    path = write_project(tmp_path, world, {"P": proto})
    start = computed()
    _, log = read_scene(path)
    assert computed() - start < LONGEST
    texts = [item.text for item in log if item.code == "template-error"]
    assert len(texts) == 20 and "failed before" in texts[1]


def test_template_that_fails_for_one_value_is_run_for_others(tmp_path: Path) -> None:
    """A letter without a picture must not take all other signs out of the world."""
    proto = (
        f'{LUA}PROTO P [ field SFString name "a" ] {{ %{{ local known = {{a = "A", b = "B"}} }}% '
        'Solid { name "%{= known[fields.name.value] .. "1" }%" } }'
    )
    world = 'P { name "a" } P { name "x" } P { name "x" } P { name "b" }'
    scene, log = read_scene(write_project(tmp_path, world, {"P": proto}))
    assert [link.name for link in scene.links()] == ["A1", "B1"]
    texts = [item.text for item in log if item.code == "template-error"]
    assert "attempt to concatenate" in texts[0]
    assert texts[1:] == ['the template of PROTO "P" failed before; the node is left out.']


def chain(count: int) -> dict[str, str]:
    """Return PROTOs that each hold the next one."""
    protos = {
        f"P{i}": f'EXTERNPROTO "P{i + 1}.proto"\nPROTO P{i} [ ] {{ Group {{ children [ P{i + 1} {{ }} ] }} }}'
        for i in range(count)
    }
    return protos | {f"P{count}": f"PROTO P{count} [ ] {{ Solid {{ }} }}"}


def test_chain_of_protos_has_a_limit(tmp_path: Path) -> None:
    found = timed(tmp_path, "P0 { }", chain(150), "too-much")
    assert "more than 100 PROTOs lie inside each other" in found.text
    assert found.node == "P0 (PROTO)"


def test_chain_within_the_limit_is_expanded(tmp_path: Path) -> None:
    scene, log = read_scene(write_project(tmp_path, "P0 { }", chain(90)))
    assert len(log) == 0 and scene is not None and len(scene.bodies) == 1


def test_ten_thousand_nested_instances_end_with_an_error(tmp_path: Path) -> None:
    proto = "PROTO P [ field MFNode c [ ] ] { Group { children IS c } }"
    world = "P { c [ " * 10_000 + "] } " * 10_000
    found = timed(tmp_path, world, {"P": proto}, "too-deep")
    assert "levels of nesting" in found.text


def test_tree_that_grows_too_deep_is_left_out(tmp_path: Path) -> None:
    deep = "Group { children [ " * 40 + "Group { children IS c }" + " ] }" * 40
    proto = f"PROTO P [ field MFNode c [ ] ] {{ {deep} }}"
    _, log = read_scene(write_project(tmp_path, "P { c [ " * 20 + "] } " * 20, {"P": proto}))
    assert "more than 480 levels" in the(log, "too-much").text


def doubling(count: int) -> dict[str, str]:
    """Return PROTOs that each hold the next one twice: 2^count nodes."""
    protos = {
        f"P{i}": f'EXTERNPROTO "P{i + 1}.proto"\n'
        f"PROTO P{i} [ ] {{ Group {{ children [ P{i + 1} {{ }} P{i + 1} {{ }} ] }} }}"
        for i in range(count)
    }
    return protos | {f"P{count}": f"PROTO P{count} [ ] {{ Group {{ }} }}"}


@pytest.mark.slow
def test_explosion_is_stopped_and_the_rest_is_read(tmp_path: Path) -> None:
    path = write_project(tmp_path, "P0 { } P0 { } P0 { } Solid { }", doubling(40))
    start = computed()
    scene, log = read_scene(path)
    assert computed() - start < LONGEST
    found = the(log, "too-much")
    assert "more than 100000 nodes; this one and all later ones are left out" in found.text
    assert scene is not None and len(scene.bodies) == 1


def test_explosion_through_values_is_stopped(tmp_path: Path) -> None:
    """Each level uses its value twice: written in a line, expanded without end."""
    proto = (
        "PROTO P [ field MFNode c [ ] ] { Group { children [ Group { children IS c } "
        "Group { children IS c } ] } }"
    )
    found = timed(tmp_path, "P { c [ " * 60 + "Group { }" + "] } " * 60, {"P": proto}, "too-much")
    assert "more than 100000 nodes" in found.text


@pytest.mark.slow
def test_memory_stays_bounded(tmp_path: Path) -> None:
    """The reader's own process and that of the templates, measured from outside."""
    resource = pytest.importorskip("resource")
    assert resource
    protos = doubling(40)
    protos["M"] = f"{JAVASCRIPT}PROTO M [ ] {{ %< {JS_BODIES['lists'][0]} >% Group {{ }} }}"
    protos["L"] = f"{LUA}PROTO L [ ] {{ %{{ {LUA_BODIES['tables'][0]} }}% Group {{ }} }}"
    path = write_project(tmp_path, "P0 { } M { } L { }", protos)
    # Linux counts the size of the process that started this one in ru_maxrss of SELF, but not in VmHWM
    code = (
        "import os, re, resource, sys; from solidbody.formats.loading import read_scene; "
        "read_scene(sys.argv[1]); "
        "status = open('/proc/self/status').read() if os.path.exists('/proc/self/status') else ''; "
        "high = re.search(r'VmHWM:\\s*(\\d+)', status); "
        "own = int(high[1]) if high else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; "
        "print(max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        timeout=60,
    )
    kilobytes = int(run.stdout) // (1024 if sys.platform == "darwin" else 1)
    assert kilobytes < 1_000_000


@pytest.mark.slow
def test_a_long_fence_is_written(tmp_path: Path) -> None:
    """More than a million short pieces are no mistake: Webots' own Fence has 600 for a pole."""
    count = 350_000
    loop = "%{ for i = 1, COUNT do }% %{= i }% 0 0 %{ end }%".replace("COUNT", str(count))
    points = f"PointSet {{ coord Coordinate {{ point [ {loop} ] }} }}"
    proto = f"{LUA}PROTO P [ ] {{ Shape {{ geometry {points} }} }}"
    scene, log = read_scene(write_project(tmp_path, "P { }", {"P": proto}))
    assert [item.text for item in log] == []
    assert scene is not None
    (found,) = (shape.geometry for link in scene.links() for shape in link.shapes)
    assert isinstance(found, GeometryPoints)
    assert len(found.points) == count and found.points[-1] == (count, 0, 0)
