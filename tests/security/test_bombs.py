"""Small files that ask for endless work or memory end with one clear message, in time.

Referee: the processor's clock and the size of the process, taken from outside where memory is meant.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from solidbody.base.limits import (
    MAX_LIST_DEPTH,
    BudgetError,
    Cost,
    LoadBudget,
    load_budget,
    one_load,
)
from solidbody.cli.app import app
from solidbody.formats.loading import read_scene
from solidbody.formats.urdf.xacro_values import XacroError, evaluate
from tests.formats.protos.projects import HEADER, JAVASCRIPT, LUA, computed, write_project
from tests.formats.reading import the

SECONDS = 3.0
"""Of computing, for reading alone; on a machine that is as fast as those of today."""

WORLD = f"{HEADER}WorldInfo {{ }}\nViewpoint {{ }}\n"


def slowness() -> float:
    """Return how much slower this machine is now than an idle one of today, 1 at least."""
    start = computed()
    sum(k * k for k in range(1_000_000))
    return max(1.0, (computed() - start) / 0.08)


# --------------------------------------------------------------------------------------------- files


def doubling(first: str, rest: str, count: int = 40) -> str:
    """Return nodes that each use the one before twice."""
    lines = [first, *(rest.format(k=k, last=k - 1) for k in range(1, count + 1))]
    return WORLD + "\n".join(lines)


def used_groups(folder: Path) -> Path:
    path = folder / "groups.wbt"
    rest = "DEF G{k} Group {{ children [ USE G{last} USE G{last} ] }}"
    path.write_text(doubling("DEF G0 Group { children [ Shape { geometry Box { } } ] }", rest))
    return path


def used_meshes(folder: Path) -> Path:
    """A mesh with a picture, each time in another scale."""
    path = folder / "meshes.wbt"
    points = " ".join(f"{i % 70} {i // 70} 0" for i in range(4900))
    faces = " ".join(f"{i} {i + 1} {i + 71} -1" for i in range(4800))
    look = 'appearance PBRAppearance { baseColorMap ImageTexture { url "x.png" } }'
    mesh = f"IndexedFaceSet {{ coord Coordinate {{ point [ {points} ] }} coordIndex [ {faces} ] }}"
    first = f"DEF G0 Pose {{ children [ Shape {{ {look} geometry {mesh} }} PointLight {{ }} ] }}"
    rest = "DEF G{k} Transform {{ scale 1 2 1 rotation 0 0 1 0.1 children [ USE G{last} USE G{last} ] }}"
    path.write_text(doubling(first, rest))
    return path


def yaml_files(folder: Path) -> Path:
    """Nineteen files that each name the next ten times."""
    for k in range(19):
        parts = f"  - {{ type: Resource, uri: y{k + 1}.yaml }}\n" * 10
        (folder / f"y{k}.yaml").write_text(f"type: Group\nelements:\n{parts}", "utf-8")
    (folder / "y19.yaml").write_text("type: Shape\ngeometry: { type: Box }\n", "utf-8")
    return body_with(folder, "y0.yaml")


def yaml_aliases(folder: Path) -> Path:
    """A hundred files, each of which is a bomb of aliases that is allowed by itself."""
    lines = ["a0: &a0 [1, 1]", *(f"a{k}: &a{k} [*a{k - 1}, *a{k - 1}]" for k in range(1, 17))]
    text = "type: Group\n" + "\n".join(lines) + "\n"
    for k in range(100):
        (folder / f"z{k}.yaml").write_text(text, "utf-8")
    return body_with(folder, *(f"z{k}.yaml" for k in range(100)))


def body_with(folder: Path, *uris: str) -> Path:
    path = folder / "parts.body"
    parts = "".join(f"      - {{ type: Resource, uri: {uri} }}\n" for uri in uris)
    head = "format: ChoreonoidBody\nformatVersion: 1.0\nname: x\nlinks:\n  - name: a\n"
    path.write_text(f"{head}    elements:\n{parts}", "utf-8")
    return path


PROJECT = "items:\n  id: 0\n  plugin: Base\n  class: RootItem\n  children:\n"
ITEM = "    - {{ id: {id}, plugin: Base, class: {kind}, name: n{id}, data: {{ file: {file} }} }}\n"


def sub_projects(folder: Path) -> Path:
    """Ten times the next one in each of fifteen projects."""
    for k in range(15):
        items = "".join(
            ITEM.format(id=i + 1, kind="SubProjectItem", file=f"p{k + 1}.cnoid") for i in range(10)
        )
        (folder / f"p{k}.cnoid").write_text(PROJECT + items, "utf-8")
    (folder / "p15.cnoid").write_text(PROJECT.replace("children:", "children: [ ]"), "utf-8")
    return folder / "p0.cnoid"


def placed_bodies(folder: Path) -> Path:
    """A body of 1,000 links, placed a thousand times."""
    links = "".join(
        f"  - {{ name: l{k}, parent: l{k - 1}, jointType: fixed }}\n" for k in range(1, 1000)
    )
    head = "format: ChoreonoidBody\nformatVersion: 1.0\nname: x\nlinks:\n  - { name: l0 }\n"
    (folder / "chain.body").write_text(head + links, "utf-8")
    world = "    - {id: 1, plugin: Body, class: WorldItem, name: World, data: { }, children: [\n"
    items = "".join(
        f"      {{id: {k + 2}, plugin: Body, class: BodyItem, name: b{k}, "
        "data: {modelFile: chain.body}},\n"
        for k in range(1000)
    )
    path = folder / "many.cnoid"
    path.write_text(f"{PROJECT}{world}{items}    ]}}\n", "utf-8")
    return path


def xacro(folder: Path, content: str, name: str = "bomb.xacro") -> Path:
    path = folder / name
    space = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
    path.write_text(f'<robot name="r" {space}>{content}<link name="a"/></robot>', "utf-8")
    return path


def nested(letter: str) -> str:
    lists = "".join(
        f'<xacro:property name="{letter}{k}" value="${{[{letter}{k - 1},{letter}{k - 1}]}}"/>'
        for k in range(1, 46)
    )
    return f'<xacro:property name="{letter}0" value="${{[1,1]}}"/>{lists}'


def compared_lists(folder: Path) -> Path:
    return xacro(folder, nested("a") + nested("b") + '<xacro:if value="${a45 == b45}"/>')


def written_lists(folder: Path) -> Path:
    return xacro(folder, nested("a") + '<link name="${str(a45)}"/><link name="x${a45}"/>')


def repeated_lists(folder: Path) -> Path:
    """Each list is allowed; all comparisons together are not."""
    items = ",".join(["1"] * 900)
    whole = f'<xacro:property name="p" value="${{[{items}]}}"/>'
    fifty = "+".join(["p"] * 50)
    lists = f'<xacro:property name="p0" value="${{{fifty}}}"/>'
    loop = '<xacro:macro name="m" params=""><xacro:if value="${p0 == p0 + [1]}"/></xacro:macro>'
    return xacro(folder, whole + lists + loop + "<xacro:m/>" * 2000)


def long_values(folder: Path) -> Path:
    """100,000 elements with a value of 90 kB."""
    big = f'<xacro:property name="b" value="{"x" * 90_000}"/>'
    ten = '<link name="k${v}"/>' * 10
    calls = '<xacro:m v="${v}"/>' * 100
    macros = (
        f'<xacro:macro name="m" params="v">{ten}</xacro:macro>'
        f'<xacro:macro name="n" params="v">{calls}</xacro:macro>'
    )
    return xacro(folder, big + macros + '<xacro:n v="${b}"/>' * 90)


def doubled_texts(folder: Path) -> Path:
    texts = "".join(
        f'<xacro:property name="t{k}" value="${{t{k - 1}}}${{t{k - 1}}}"/>' for k in range(1, 60)
    )
    return xacro(folder, f'<xacro:property name="t0" value="x"/>{texts}<link name="${{t59}}"/>')


def unclosed_brackets(folder: Path) -> Path:
    """Looking for the end from each of them takes the square of their number."""
    return xacro(folder, f'<link name="{"${" * 500_000}"/>')


def taken_in_files(folder: Path) -> Path:
    for k in range(1, 20):
        include = f'<xacro:include filename="i{k + 1}.xacro"/>'
        xacro(folder, f"<!--{'x' * 50_000}-->" + include * 10, f"i{k}.xacro")
    xacro(folder, "", "i20.xacro")
    return xacro(folder, '<xacro:include filename="i1.xacro"/>' * 10)


BOMBS: dict[str, tuple[Callable[[Path], Path], str, str]] = {
    "groups that USE each other": (used_groups, "too-many-nodes", "once USE is followed"),
    "meshes that are used": (used_meshes, "too-many-nodes", "once USE is followed"),
    "YAML files that name each other": (yaml_files, "too-much", "more than 1000000 values"),
    "aliases in many files": (yaml_aliases, "alias-bomb", "more than 1000000 values"),
    "projects in projects": (sub_projects, "too-much", "more than 1000000 values"),
    "bodies that are placed again": (placed_bodies, "too-much", "more than 50000 links"),
    "lists that are compared": (compared_lists, "xacro", "the result is too long"),
    "lists that are written": (written_lists, "xacro", "the result is too long"),
    "lists again and again": (repeated_lists, "xacro", "more than 1000000 steps"),
    "long values": (long_values, "xacro", "more than 20000000 characters"),
    "texts that double": (doubled_texts, "xacro", ""),
    "brackets that do not close": (unclosed_brackets, "", ""),
    "files that take in files": (taken_in_files, "xacro", "more than 100000 elements"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_bombs_end_in_time_with_a_message(tmp_path: Path, name: str) -> None:
    make, code, text = BOMBS[name]
    path = make(tmp_path)
    limit = SECONDS * slowness()
    start = computed()
    _, log = read_scene(path)
    assert computed() - start < limit
    if code:
        found = [item for item in log if item.code == code]
        assert found and any(text in item.text for item in found)
        assert len(found) < 10 and all(item.span.file.startswith(str(tmp_path)) for item in found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("groups that USE each other", ["check"]),
        ("groups that USE each other", ["info"]),
        ("meshes that are used", ["info", "--json"]),
    ],
)
def test_commands_end_in_time_too(tmp_path: Path, name: str, arguments: list[str]) -> None:
    """Before: 2.9 s for `check` and 6.8 s for `info`; gigabytes with meshes."""
    path = BOMBS[name][0](tmp_path)
    limit = SECONDS * slowness()
    start = computed()
    result = CliRunner().invoke(app, [*arguments, str(path)])
    assert computed() - start < limit
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert BOMBS[name][2] in " ".join((result.stdout + result.stderr).split())


# ----------------------------------------------------------------------------- memory, from outside

CHILD = """
import json, os, sys, threading, time
from solidbody.formats.loading import read_scene
peak, ends = 0, threading.Event()
def sizes(pid):
    total = int(open(f"/proc/{pid}/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    for task in os.listdir(f"/proc/{pid}/task"):
        for child in open(f"/proc/{pid}/task/{task}/children").read().split():
            try:
                total += sizes(child)
            except OSError:
                pass
    return total
def watch():
    global peak
    while not ends.wait(0.01):
        peak = max(peak, sizes(os.getpid()))
thread = threading.Thread(target=watch)
thread.start()
scene, log = read_scene(sys.argv[1])
ends.set(); thread.join()
print(json.dumps({"peak": peak, "texts": [item.text for item in log]}))
"""

STRINGS = {
    "held": "let s = 'x'.repeat(5e8); if (s.indexOf('y') > 0) throw 1;",
    "thrown": "throw new Error('x'.repeat(5e8));",
    "written": "const s = 'x'.repeat(9e6); for (let i = 0; i < 60; ++i) { >% %<= s >% %< }",
}


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs the size of a process")
@pytest.mark.parametrize("name", STRINGS)
def test_strings_of_javascript_do_not_fill_the_memory(tmp_path: Path, name: str) -> None:
    """Of all processes together; before, 500 MB became 2 GB on their way out."""
    proto = f"{JAVASCRIPT}PROTO P [ ] {{ %< {STRINGS[name]} >% Group {{ }} }}"
    path = write_project(tmp_path, "P { }", {"P": proto})
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    found = json.loads(done.stdout)
    assert len(found["texts"]) == 1 and 'the template of PROTO "P"' in found["texts"][0]
    assert found["peak"] < 700_000_000


# ------------------------------------------------------------------------------------------ templates


def test_templates_of_a_world_write_so_much_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Cost, "limit", property(lambda cost: 1_000), raising=True)
    proto = (
        f"{LUA}PROTO P [ field SFInt32 n 0 ] {{ "
        'Solid { name "%{= fields.n.value .. string.rep("x", 300) }%" } }'
    )
    world = " ".join(f"P {{ n {k} }}" for k in range(5))
    path = write_project(tmp_path, world, {"P": proto})
    scene, log = read_scene(path)
    assert scene is not None and len(scene.bodies) == 2
    assert "templates write more than 1000 bytes" in next(
        item.text for item in log if item.code == "template-error"
    )


@pytest.mark.slow
def test_large_defaults_are_looked_at_once(tmp_path: Path) -> None:
    """5,000 instances with a default of 100,000 numbers: 0.5 s each before."""
    numbers = " ".join(["0.5"] * 100_000)
    proto = (
        f"{LUA}PROTO P [ field MFFloat data [ {numbers} ] field SFInt32 n 0 ] {{ Group {{ }} "
        "%{ local x = #fields.data.value }% }"
    )
    path = write_project(tmp_path, "P { } " * 5_000, {"P": proto})
    limit = 2.0 * SECONDS * slowness()
    start = computed()
    scene, log = read_scene(path)
    assert scene is not None and [item.text for item in log] == []
    assert computed() - start < limit


# --------------------------------------------------------------------------------------- the budget


def test_what_is_spent_is_counted_once_per_load() -> None:
    with one_load() as outer:
        outer.spend(Cost.LINKS, Cost.LINKS.limit - 1)
        with one_load() as inner:
            assert inner is outer is load_budget()
            inner.spend(Cost.LINKS)
            with pytest.raises(BudgetError) as first:
                inner.spend(Cost.LINKS)
        with pytest.raises(BudgetError) as second:
            outer.spend(Cost.LINKS)
        assert (first.value.is_new, second.value.is_new) == (True, False)
        assert str(first.value) == "bodies that are placed again have more than 50000 links"
    assert load_budget() is not outer
    load_budget().spend(Cost.LINKS, Cost.LINKS.limit)


def test_the_first_time_is_free() -> None:
    budget = LoadBudget()
    for _ in range(3):
        budget.spend_if_known("a", Cost.LINKS, Cost.LINKS.limit // 2)
    with pytest.raises(BudgetError):
        budget.spend_if_known("a", Cost.LINKS, Cost.LINKS.limit // 2)
    budget.spend_if_known("b", Cost.LINKS, Cost.LINKS.limit)


def test_values_that_are_neither_long_nor_deep_are_worked_out() -> None:
    names = {"p": evaluate("[1, 2, [3, 'a']]", lambda _: None)}
    assert evaluate("p == [1, 2, [3, 'a']] and p[2][1] + str(len(p))", names.get) == "a3"
    assert evaluate("'a b'.split() + [1]", names.get) == ["a", "b", 1]
    deep = evaluate("[1]", names.get)
    for _ in range(MAX_LIST_DEPTH - 1):
        deep = evaluate("[d]", {"d": deep}.get)
    with pytest.raises(XacroError, match="more than 50 deep"):
        evaluate("[d]", {"d": deep}.get)


def test_dollar_signs_mean_what_they_did(tmp_path: Path) -> None:
    content = (
        '<xacro:property name="n" value="7"/><xacro:arg name="g" default="G"/>'
        '<link name="${n}$(arg g)-$${n}-$$(arg g)-$n-$"/>'
    )
    _, log = read_scene(xacro(tmp_path, content))
    names = [item.text for item in log]
    assert any("7G-${n}-$(arg g)-$n-$" in text for text in names), names
    assert the(log, "no-parent")
