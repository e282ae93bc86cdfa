"""Damaged PROTO projects give diagnostics or load: never another exception, never a hang.

Referee: none is needed; the property is that reading returns.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from solidbody.formats.loading import read_scene
from solidbody.formats.options import LoadOptions
from tests.formats.protos.projects import BALL, HEADER, JAVASCRIPT, LUA, computed, write_project
from tests.formats.protos.test_hidden import ARM
from tests.property.mutations import mutate

COPIES = 240
LONGEST = 8.0
"""Seconds for one copy, with a template that runs into its time limit and a busy machine."""

PROTOS = {
    "Blob": HEADER + BALL,
    "Arm": HEADER + ARM,
    "Derived": HEADER
    + """EXTERNPROTO "Blob.proto"
PROTO Derived [ field SFVec3f translation 0 0 0 field MFNode{Solid{}, Blob{}} parts [ Blob { name "d" } ]
  field SFString{"a", "b"} kind "a" unconnectedField MFFloat data [ 1 2 ] ]
{ Solid { translation IS translation children IS parts } }
""",
    "Row": JAVASCRIPT
    + """EXTERNPROTO "Blob.proto"
PROTO Row [ field SFInt32 n 3 field SFNode look PBRAppearance { } ]
{ %< import * as wbrandom from 'wbrandom.js'; const n = Math.min(fields.n.value, 5); >%
  Group { children [ %< for (let i = 0; i < n; ++i) { >%
    Blob { name "r%<= i >%" translation %<= i >% %<= wbrandom.real() >% 0 appearance IS look }
  %< } >% ] } }
""",
    "Old": LUA
    + """PROTO Old [ field SFInt32 n 2 ]
{ Group { children [ %{ for i = 1, math.min(fields.n.value, 5) do }%
    Solid { name "o%{= i }%" } %{ end }% ] } }
""",
}
WORLD = """DEF B Blob { hidden linearVelocity_0 1 0 0 name "own" radius 0.2 }
Arm { hidden translation_2 3 0 0 hidden position_0_0 0.5 extra [ Solid { name "x" } ] }
Derived { translation 1 2 3 parts [ DEF IN Blob { } ] kind "b" }
Shape { appearance MissingAppearance { } } Missing { translation 1 0 0 }
"""
TEMPLATES = "Row { n 2 } Derived { parts [ Row { } ] } Old { n 3 }\n"
"""Apart, because starting their engines takes most of the time."""


def test_undamaged_project_loads(tmp_path: Path) -> None:
    """So that the copies reach every stage."""
    scene, log = read_scene(write_project(tmp_path, WORLD + TEMPLATES, PROTOS))
    assert scene is not None and len(scene.bodies) >= 8
    assert "template-error" not in [item.code for item in log]


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(8))
def test_damaged_projects_give_diagnostics_or_load(tmp_path: Path, batch: int) -> None:
    names = list(PROTOS)
    for seed in range(batch * COPIES // 8, (batch + 1) * COPIES // 8):
        has_templates = seed % 18 in (3, 4, 5)
        path = write_project(tmp_path, WORLD + TEMPLATES * has_templates, PROTOS)
        if seed % 6 == 5:
            path.write_text(mutate(path.read_text("utf-8"), seed), "utf-8")
        else:
            name = names[seed % 6]
            text = mutate(PROTOS[name], seed)
            (tmp_path / "protos" / f"{name}.proto").write_text(text, "utf-8", errors="replace")
        missing = "placeholder" if seed % 2 else "error"
        start = computed()
        scene, log = read_scene(path, options=LoadOptions(missing_protos=missing))
        assert computed() - start < LONGEST, f"seed {seed}"
        assert scene is not None or log.has_errors, f"seed {seed}"
        for item in log:
            assert item.code and item.text and item.span.line >= 1, f"seed {seed}"
