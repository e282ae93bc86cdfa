"""Addresses in Choreonoid files: schemes, variables, and what may be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from solidbody.formats.assets import AssetError
from solidbody.formats.link_trees.uris import BodyFiles
from solidbody.formats.options import LoadOptions


def put(path: Path) -> Path:
    """Make an empty file and its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    return path


def files_of(
    body: Path,
    *,
    share: Path | None = None,
    packages: tuple[Path, ...] = (),
    project: Path | None = None,
    environment: dict[str, str] | None = None,
) -> BodyFiles:
    options = LoadOptions(share=share or "", package_path=packages)
    folder = str(project) if project else None
    return BodyFiles(str(body), options, project=folder, environment=environment or {})


def refusal(files: BodyFiles, url: str, base: Path) -> AssetError:
    with pytest.raises(AssetError) as caught:
        files.find(url, str(base))
    return caught.value


def test_paths_are_relative_to_the_file_that_names_them(tmp_path: Path) -> None:
    """Not to the one that was opened."""
    body, inner = put(tmp_path / "a.body"), put(tmp_path / "parts" / "b.yaml")
    mesh = put(tmp_path / "parts" / "m.stl")
    files = files_of(body)
    assert files.find("parts/m.stl", str(body)) == mesh
    assert files.find("m.stl", str(inner)) == mesh
    assert files.find("..\\parts\\m.stl", str(inner)) == mesh


def test_absolute_paths_and_file_addresses(tmp_path: Path) -> None:
    """Inside the allowed folders."""
    body, mesh = put(tmp_path / "a.body"), put(tmp_path / "m.stl")
    files = files_of(body)
    assert files.find(str(mesh), str(body)) == mesh
    assert files.find(f"file://{mesh}", str(body)) == mesh


def test_what_lies_outside_is_refused(tmp_path: Path) -> None:
    """By any way of writing it, symbolic links included."""
    body, secret = put(tmp_path / "robot" / "x" / "a.body"), put(tmp_path / "secret.stl")
    (body.parent / "link.stl").symlink_to(secret)
    files = files_of(body)
    for url in ("../../secret.stl", str(secret), f"file://{secret}", "link.stl"):
        error = refusal(files, url, body)
        assert error.is_refused, url
        assert "leads out of the folders that may be read" in error.text


@pytest.mark.parametrize("name", ["model", "project", "robots", "Resource"])
def test_the_folder_above_a_part_of_a_project_is_read(tmp_path: Path, name: str) -> None:
    """ROS packages keep meshes beside models."""
    body, mesh = put(tmp_path / "pkg" / name / "a.body"), put(tmp_path / "pkg" / "meshes" / "m.stl")
    assert files_of(body).find("../meshes/m.stl", str(body)) == mesh
    outside = put(tmp_path / "m.stl")
    assert refusal(files_of(body), "../../m.stl", outside.parent / "pkg" / name / "a").is_refused


def test_a_ros_package_is_read_as_a_whole(tmp_path: Path) -> None:
    """Around the file, told by its package.xml."""
    put(tmp_path / "pkg" / "package.xml")
    body = put(tmp_path / "pkg" / "a" / "b" / "c.body")
    mesh = put(tmp_path / "pkg" / "d" / "m.stl")
    assert files_of(body).find("../../d/m.stl", str(body)) == mesh


def test_packages_are_found_around_the_file_that_names_them_too(tmp_path: Path) -> None:
    """A project may take its robot from a package below it."""
    project = put(tmp_path / "all" / "p.cnoid")
    robot = put(tmp_path / "all" / "clone" / "urdf" / "r.urdf")
    mesh = put(tmp_path / "all" / "clone" / "m.stl")
    (tmp_path / "all" / "clone" / "package.xml").write_text("<package><name>arm</name></package>")
    files = files_of(project)
    assert files.find("package://arm/m.stl", str(robot)) == mesh
    assert "is in none of the folders" in refusal(files, "package://arm/m.stl", project).text


@pytest.mark.parametrize("mark", [".git", "README.md", "LICENSE", "CMakeLists.txt"])
def test_a_repository_is_read_as_a_whole(tmp_path: Path, mark: str) -> None:
    """People keep robots, sensors and worlds in folders beside each other; what lies around is theirs."""
    put(tmp_path / "all" / "repo" / mark)
    body = put(tmp_path / "all" / "repo" / "arm" / "c.cnoid")
    sensor = put(tmp_path / "all" / "repo" / "sensor" / "d.body")
    put(tmp_path / "all" / "other" / "d.body")
    files = files_of(body)
    assert files.find("../sensor/d.body", str(body)) == sensor
    assert refusal(files, "../../other/d.body", body).is_refused


def test_models_and_projects_side_by_side_are_a_repository(tmp_path: Path) -> None:
    put(tmp_path / "all" / "other" / "d.body")
    opened = put(tmp_path / "all" / "repo" / "project" / "room" / "c.cnoid")
    body = put(tmp_path / "all" / "repo" / "models" / "room" / "d.body")
    files = files_of(opened)
    assert files.find("../../models/room/d.body", str(opened)) == body
    assert refusal(files, "../../../other/d.body", opened).is_refused


@pytest.mark.parametrize(
    "url",
    [
        "/somewhere/repo/arm/{}",
        "${{HOME}}/ws/repo/arm/{}",
        "C:\\me\\repo\\arm\\{}",
        "~/repo/arm/{}",
        "package://repo/arm/{}",
        "file:///me/arm/{}",
        "${{SHARE}}/arm/{}",
        "${{PROGRAM_TOP}}/ext/repo/arm/{}",
        "@CMAKE_SOURCE_DIR@/arm/{}",
        "../../choreonoid/ext/arm/{}",
    ],
)
def test_addresses_of_another_machine_are_looked_for_in_the_project(
    tmp_path: Path, url: str
) -> None:
    """By their ends, the longest first, and only below what may be read."""
    put(tmp_path / "clone" / "README.md")
    project = put(tmp_path / "clone" / "p" / "a.cnoid")
    files = files_of(project)
    assert files.own_copy(url.format("r.body")) is None
    put(tmp_path / "clone" / "p" / "r.body")
    better = put(tmp_path / "clone" / "arm" / "r.body")
    put(tmp_path / "s.body")
    assert files.own_copy(url.format("r.body")) == better.as_posix()
    assert files.own_copy(url.format("s.body")) is None
    assert files.own_copy(url.format("../../arm/r.body")) is None
    assert files.own_copy("arm/r.body") is None


def test_missing_files_are_not_refused(tmp_path: Path) -> None:
    """They are just not there."""
    body = put(tmp_path / "a.body")
    error = refusal(files_of(body), "none.stl", body)
    assert (error.text, error.is_refused) == ("there is no such file", False)
    assert refusal(files_of(body), "", body).text == "it is empty"
    assert not refusal(files_of(body), "a\0b.stl", body).is_refused


def test_share_comes_from_the_option_then_the_environment_then_above(tmp_path: Path) -> None:
    """In that order."""
    body = put(tmp_path / "share" / "model" / "x" / "a.body")
    for name in ("given", "set", "share"):
        put(tmp_path / name / "m.stl")
    given, environment = tmp_path / "given", {"CNOID_SHARE": str(tmp_path / "set")}
    url, base = "${SHARE}/m.stl", str(body)
    assert files_of(body, share=given, environment=environment).find(url, base) == given / "m.stl"
    assert files_of(body, environment=environment).find(url, base) == tmp_path / "set" / "m.stl"
    assert files_of(body).find(url, base) == tmp_path / "share" / "m.stl"


def test_without_a_share_folder_the_message_says_what_to_do(tmp_path: Path) -> None:
    """The option and the variable are named."""
    body = put(tmp_path / "a.body")
    assert refusal(files_of(body), "${SHARE}/m.stl", body).text == (
        "${SHARE} needs the folder of --share or the variable CNOID_SHARE"
    )


def test_the_other_variables(tmp_path: Path) -> None:
    """The project, the program; the home folder is known and may not be read."""
    body, share = put(tmp_path / "x" / "a.body"), tmp_path / "top" / "share"
    mesh, scene = put(tmp_path / "x" / "m.stl"), put(tmp_path / "y" / "n.stl")
    files = files_of(body, share=share, project=tmp_path / "y")
    assert files_of(body).find("${PROJECT_DIR}/m.stl", str(body)) == mesh
    assert files.find("${PROJECT_DIR}/n.stl", str(body)) == scene
    inside = put(share / "m.stl")
    assert files.find("${PROGRAM_TOP}/share/m.stl", str(body)) == inside
    assert refusal(files, "${HOME}/m.stl", body).is_refused
    assert refusal(files, "${WHAT}/m.stl", body).text.startswith(
        "unknown variable ${WHAT}; known: ${SHARE}, ${PROGRAM_TOP}, ${HOME}, ${PROJECT_DIR}"
    )


def test_packages_are_searched_in_order(tmp_path: Path) -> None:
    """Given folders, ROS_PACKAGE_PATH, share of AMENT_PREFIX_PATH, then the folders above the file."""
    body = put(tmp_path / "here" / "robot" / "x" / "a.body")
    first = put(tmp_path / "p" / "robot" / "m.stl")
    second = put(tmp_path / "ros" / "robot" / "m.stl")
    third = put(tmp_path / "ament" / "share" / "robot" / "m.stl")
    url = "package://robot/m.stl"
    ros, ament = str(tmp_path / "ros"), str(tmp_path / "ament")
    both = {"ROS_PACKAGE_PATH": ros, "AMENT_PREFIX_PATH": ament}
    assert (
        files_of(body, packages=(tmp_path / "p",), environment=both).find(url, str(body)) == first
    )
    assert files_of(body, environment=both).find(url, str(body)) == second
    assert files_of(body, environment={"AMENT_PREFIX_PATH": ament}).find(url, str(body)) == third
    own = put(tmp_path / "here" / "robot" / "x" / "m.stl")
    assert files_of(body).find("package://robot/x/m.stl", str(body)) == own


def test_a_package_path_may_name_the_package_itself(tmp_path: Path) -> None:
    """As ROS_PACKAGE_PATH does."""
    body, mesh = put(tmp_path / "a.body"), put(tmp_path / "p" / "robot" / "m.stl")
    files = files_of(body, environment={"ROS_PACKAGE_PATH": str(tmp_path / "p" / "robot")})
    assert files.find("package://robot/m.stl", str(body)) == mesh


def test_models_are_found_like_packages(tmp_path: Path) -> None:
    """In GAZEBO_MODEL_PATH too."""
    body, mesh = put(tmp_path / "a.body"), put(tmp_path / "g" / "cup" / "m.stl")
    files = files_of(body, environment={"GAZEBO_MODEL_PATH": str(tmp_path / "g")})
    assert files.find("model://cup/m.stl", str(body)) == mesh


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("package://none/m.stl", 'the package "none" is in none of the folders'),
        ("package:///m.stl", "names its package first"),
        ("package://../m.stl", "names its package first"),
        ("https://example.org/m.stl", "only file paths, file://, package://, model:// are read"),
    ],
)
def test_other_addresses_say_what_is_known(tmp_path: Path, url: str, message: str) -> None:
    """Nothing is fetched."""
    body = put(tmp_path / "a.body")
    assert message in refusal(files_of(body), url, body).text


def test_packages_cannot_be_left(tmp_path: Path) -> None:
    """Dots behind the name are followed and then refused."""
    body = put(tmp_path / "x" / "a.body")
    put(tmp_path / "p" / "robot" / "m.stl")
    put(tmp_path / "secret.stl")
    files = files_of(body, packages=(tmp_path / "p",))
    assert refusal(files, "package://robot/../../secret.stl", body).is_refused


def test_addresses_for_the_model_are_as_short_as_they_can_be(tmp_path: Path) -> None:
    """Relative where the opened file could say so; whole paths otherwise; files need not be there."""
    body = tmp_path / "a.body"
    files = files_of(body, share=tmp_path / "share")
    assert files.address("i.png", str(body)) == "i.png"
    assert files.address("i.png", str(tmp_path / "b" / "c.yaml")) == f"{tmp_path}/b/i.png"
    assert files.address("${SHARE}/i.png", str(body)) == f"{tmp_path}/share/i.png"
    assert files.address("package://none/i.png", str(body)) == "package://none/i.png"
    assert files.address("", str(body)) == ""
