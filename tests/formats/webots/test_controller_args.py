"""Arguments of controllers: a list since R2020b, one text before, which is split as Webots converts it."""

from __future__ import annotations

from pathlib import Path

import pytest

import solidbody as sb
from solidbody.formats.webots.lower.robots import split_arguments
from tests.formats.reading import assert_warning, codes, read


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a", ("a",)),
        ("  a   b ", ("a", "b")),
        ("'a b' c", ("a b", "c")),
        ('"a b" "c d"', ("a b", "c d")),
        ("""--name='it is "x"' y""", ("--name=it is x", "y")),
        ("it\\'s a", ("it\\s", "a")),
        ("'open a b", ("open a b",)),
        ('"" a', ("", "a")),
    ],
)
def test_texts_are_split_at_spaces_outside_quotes(text: str, parts: tuple[str, ...]) -> None:
    """Quotes go; one after a backslash opens nothing; one that stays open holds the rest."""
    assert split_arguments(text) == parts


@pytest.mark.parametrize("release", ["R2019a", "R2020a", "V8.6"])
def test_old_worlds_have_one_text(release: str) -> None:
    """With a word about it."""
    scene, log = read("Robot { controllerArgs \"-n 3 'my robot'\" }", release=release)
    assert scene.bodies[0].robots[0].controller_args == ("-n", "3", "my robot")
    assert_warning(log, "deprecated-field", "split into 3 of them")


@pytest.mark.parametrize(
    ("release", "field", "parts"),
    [
        ("R2020b", '"a b"', ("a b",)),
        ("R2025a", '[ "a b" ]', ("a b",)),
        ("R2019a", '[ "a b" "c" ]', ("a b", "c")),
        ("R2019a", "\"'a'\"", ("'a'",)),
        ("R2019a", '""', ("",)),
    ],
)
def test_lists_and_later_worlds_are_taken_as_they_are(
    release: str, field: str, parts: tuple[str, ...]
) -> None:
    """So is a text without a space."""
    scene, log = read(f"Robot {{ controllerArgs {field} }}", release=release)
    assert scene.bodies[0].robots[0].controller_args == parts
    assert "deprecated-field" not in codes(log)


def test_robots_of_old_protos_in_new_worlds_have_one_text_too(tmp_path: Path) -> None:
    """The release of either decides."""
    (tmp_path / "Bot.proto").write_text(
        '#VRML_SIM R2019a utf8\nPROTO Bot [ field SFString name "one" '
        'field SFString controllerArgs "a b" ]\n'
        "{ Robot { name IS name controllerArgs IS controllerArgs } }\n"
    )
    world = tmp_path / "world.wbt"
    world.write_text(
        '#VRML_SIM R2025a utf8\nEXTERNPROTO "Bot.proto"\nWorldInfo { }\n'
        'Bot { }\nBot { name "two" controllerArgs "x y z" }\n'
    )
    robots = [body.robots[0] for body in sb.load(world).bodies]
    assert [robot.controller_args for robot in robots] == [("a", "b"), ("x", "y", "z")]
