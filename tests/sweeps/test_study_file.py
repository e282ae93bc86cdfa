"""Study files: what is wrong is told with its line and what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from solidbody.sweeps.preparing import prepare
from solidbody.sweeps.study import KeptRuns, Range, StudyError
from solidbody.sweeps.study_file import MAX_BYTES, parse_kept, read_study, study_of
from solidbody.sweeps.toml_lines import TomlLines
from tests.sweeps.worlds import BOX, ROBOT, write

GOOD = """\
scene = "box.wbt"
duration = 1.0

[parameters.friction]
path = "WorldInfo.contactProperties[0].coulombFriction"
values = [
  0.1,
  0.2,
]

[measure]
way = "box.x"
"""

FUNCTIONS = """\
def far(run):
    return run.sim["box"].position[0]
"""


def folder_with(tmp_path: Path, text: str) -> Path:
    write(
        tmp_path,
        box_wbt=BOX,
        robot_wbt=ROBOT % ("<none>", "FALSE"),
        study_toml=text,
        fun_py=FUNCTIONS,
    )
    return tmp_path / "study.toml"


def problems(tmp_path: Path, text: str) -> list[str]:
    """Return what is said about a study, lines of the study file as `N: ...`."""
    path = folder_with(tmp_path, text)
    with pytest.raises(StudyError) as caught:
        prepare(read_study(path))
    return [
        line.removeprefix(f"{path}:").replace(str(tmp_path), ".") for line in caught.value.problems
    ]


def test_good_study_is_taken(tmp_path: Path) -> None:
    """Otherwise the other tests would prove nothing."""
    prepared = prepare(read_study(folder_with(tmp_path, GOOD)))
    assert [job.values for job in prepared.jobs] == [(0.1,), (0.2,)]


BAD = {
    "unknown DEF": (
        GOOD.replace("WorldInfo.contactProperties[0].coulombFriction", "BOXS.translation"),
        '5: parameters.friction.path: "BOXS.translation": no node has the DEF name "BOXS".'
        ' Did you mean "BOX"?',
    ),
    "unknown field": (
        GOOD.replace("contactProperties[0].coulombFriction", "gravitation"),
        'WorldInfo has no field "gravitation", and no node below has that DEF name. Did you mean "gravity"?',
    ),
    "wrong type": (
        GOOD.replace("  0.2,", '  "much",'),
        "6: parameters.friction.values: ContactProperties.coulombFriction: expected a list of numbers",
    ),
    "out of range": (GOOD.replace("  0.2,", "  -3.0,"), "6: parameters.friction.values: "),
    "nan": (GOOD.replace("  0.2,", "  nan,"), "6: parameters.friction.values: nan is no value"),
    "empty grid": (
        GOOD.replace("  0.1,\n  0.2,\n", ""),
        "6: parameters.friction.values: the list is empty: there would be no run",
    ),
    "a table is missing": (
        GOOD.replace("path =", "paths ="),
        "5: parameters.friction.paths: unknown key. Did",
    ),
    "no duration": (GOOD.replace("duration", "time_limit"), "duration: is missing"),
    "duration of nothing": (
        GOOD.replace("1.0", "0"),
        "2: duration: expected seconds above 0, got 0",
    ),
    "unknown column": (
        GOOD.replace('"box.x"', '"bocks.x"'),
        "12: measure.way: no column of the log",
    ),
    "no scene": (GOOD.replace('"box.wbt"', '"bax.wbt"'), 'Did you mean "box.wbt"?'),
    "file without function": (
        GOOD.replace('"box.x"', '"fun.py:fahr"'),
        '12: measure.way: fun.py has no function "fahr". Did you mean "far"?',
    ),
    "no file of functions": (
        GOOD.replace('"box.x"', '"fan.py:far"'),
        '12: measure.way.function: fan.py cannot be read: No such file or directory. Did you mean "fun.py"?',
    ),
    "name of a column of ours": (
        GOOD.replace("[parameters.friction]", "[parameters.status]"),
        "4: parameters.status: the name is used by the results themselves",
    ),
    "too many runs": (
        GOOD.replace("values = [\n  0.1,\n  0.2,\n]", "range = [0.1, 0.5]\ncount = 90000\n")
        + "\n[x]\n",
        "unknown key",
    ),
    "count of a grid": (
        GOOD + "[sample]\ncount = 3\n",
        "14: sample.count: the method grid takes no count",
    ),
    "sample without count": (
        GOOD + '[sample]\nmethod = "sobol"\n',
        "13: sample: the method sobol needs a count",
    ),
    "unknown method": (GOOD + '[sample]\nmethod = "sobl"\n', 'Did you mean "sobol"?'),
    "two targets": (
        GOOD.replace("values", 'drive = "x"\nvalues'),
        "say what it is written to by one of",
    ),
    "seeds twice": (
        GOOD.replace("duration", "seeds = [1, 1]\nduration"),
        "2: seeds: a seed stands there twice",
    ),
    "bad seeds": (GOOD.replace("duration", "seeds = -1\nduration"), "2: seeds: expected how many"),
    "bad keep": (
        GOOD.replace("duration", 'keep = "sum"\nduration'),
        "2: keep.runs: expected failed, all",
    ),
    "kind of file": (GOOD + '[keep]\nrecord = ["wav"]\n', 'unknown kind of file "wav"'),
    "reduction": (
        GOOD.replace('"box.x"', '{ column = "box.x", reduce = "median" }'),
        '12: measure.way.reduce: unknown word "median". Did you mean "mean"? Allowed: last, first',
    ),
    "not TOML": ("scene = \n", "not TOML: Invalid value (at line 1, column 9)"),
    "point without a value": (
        GOOD.replace("values = [\n  0.1,\n  0.2,\n]", "").replace(
            "duration", "points = [{ fraction = 1.0 }]\nduration"
        ),
        "2: points: point 0 must have a value for each of friction, got fraction",
    ),
    "stop without bound": (GOOD + '[stop.x]\ncolumn = "box.x"\n', "13: stop.x: needs function"),
    "unknown motor": (
        GOOD.replace("path =", "drive ="),
        "5: parameters.friction.drive: no joint",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_mistake_is_told_with_its_line(case: str, tmp_path: Path) -> None:
    """File, line, key, what is wrong, what is allowed."""
    text, expected = BAD[case]
    told = problems(tmp_path, text)
    assert any(expected in line for line in told), told


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    """Not one after the other."""
    text = GOOD.replace("duration = 1.0", "duration = true").replace('"box.x"', "3")
    assert len(problems(tmp_path, text)) == 2


def test_parameter_of_a_proto_is_checked_by_its_interface(tmp_path: Path) -> None:
    """Name and type, though the node table knows no PROTOs."""
    proto = """#VRML_SIM R2025a utf8
PROTO Crate [ field SFVec3f translation 0 0 1 field SFFloat weight 1 field SFString label "a" ]
{ Solid { translation IS translation name IS label
  boundingObject Box { size 0.1 0.1 0.1 } physics Physics { density -1 mass IS weight } } }
"""
    world = '#VRML_SIM R2025a utf8\nEXTERNPROTO "Crate.proto"\nWorldInfo { }\nDEF CRATE Crate { }\n'
    write(tmp_path, Crate_proto=proto, crate_wbt=world)
    text = GOOD.replace("box.wbt", "crate.wbt").replace("box.x", "a.x")
    path = '"WorldInfo.contactProperties[0].coulombFriction"'
    assert (
        'no parameter "wieght". Did you mean "weight"?'
        in problems(tmp_path, text.replace(path, '"CRATE.wieght"'))[0]
    )
    wrong = text.replace(path, '"CRATE.weight"').replace("  0.2,", '  "x",')
    assert "expected one number" in problems(tmp_path, wrong)[0]
    good = folder_with(tmp_path, text.replace(path, '"CRATE.weight"'))
    assert len(prepare(read_study(good)).jobs) == 2


def test_path_into_a_body_says_what_to_use_instead(tmp_path: Path) -> None:
    """Fields by path are those of world files."""
    write(tmp_path, robot_urdf='<robot name="r"><link name="base"/></robot>')
    told = problems(tmp_path, GOOD.replace("box.wbt", "robot.urdf"))
    assert "model = ... reaches every format" in told[0]


def test_long_file_is_not_read(tmp_path: Path) -> None:
    """Bounded before it is parsed."""
    path = tmp_path / "long.toml"
    with path.open("wb") as out:
        out.truncate(MAX_BYTES + 1)
    with pytest.raises(StudyError, match="longer than"):
        read_study(path)


def test_huge_grid_is_refused(tmp_path: Path) -> None:
    """Before any value is looked at."""
    spread = "range = [0.1, 0.5]\ncount = 90000\n[parameters.b]\nfree = true\nvalues = [1, 2]\n"
    text = GOOD.replace("values = [\n  0.1,\n  0.2,\n]", spread)
    assert problems(tmp_path, text) == [
        "4: parameters: these are 180,000 runs; a study has at most 100,000."
        " Take fewer values, or a sample of them"
    ]


def test_places_of_keys_survive_lists_quotes_and_tables() -> None:
    """Lines as a person counts them."""
    text = 'a = 1\n"b.c" = [\n 1, # ]\n 2]\n\n[t]\nx.y = "#"\nz = """\n[no]\n"""\nw = 2\n[[rows]]\nq = 1\n'
    places = TomlLines(text)
    assert places.line(["a"]) == 1
    assert places.line(["b.c"]) == 2
    assert places.line(["t", "x", "y"]) == 7
    assert places.line(["t", "w"]) == 11
    assert places.line(["t", "unknown"]) == 6
    assert places.line(["rows", "q"]) == 13
    assert places.line(["no"]) is None


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("failed", KeptRuns.FAILED),
        ("0,5-7", frozenset({0, 5, 6, 7})),
        ([1, 2], frozenset({1, 2})),
    ],
)
def test_kept_runs_are_words_or_numbers(given: object, kept: object) -> None:
    """As the option and the file have them."""
    assert parse_kept(given) == kept


@pytest.mark.parametrize("given", ["", "x", "5-3", "-1", "0-999999999", [-1], 3, ["a"]])
def test_other_texts_are_no_runs(given: object) -> None:
    """Nor so many that memory ends."""
    with pytest.raises(ValueError, match="expected failed"):
        parse_kept(given)


def test_mappings_are_read_as_files_are() -> None:
    """With arrays and functions of Python."""
    import numpy as np

    made = study_of(
        {
            "scene": "x.wbt",
            "duration": 1,
            "parameters": {
                "a": {"free": True, "values": np.linspace(0, 1, 3)},
                "b": {"free": True, "range": (0, 1), "count": 2},
                "c": ["x", "y"],
            },
            "measure": {"f": test_mappings_are_read_as_files_are},
        }
    )
    a, b, c = made.conditions.parameters
    assert (a.values, b.values, c.values) == ((0.0, 0.5, 1.0), Range(0.0, 1.0, 2), ("x", "y"))
    assert str(made.conditions.measures[0].function) == (
        "test_study_file.py:test_mappings_are_read_as_files_are"
    )
