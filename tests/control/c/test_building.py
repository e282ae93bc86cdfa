"""Controllers in C and C++ are compiled when a world runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from solidbody.cli.app import app
from solidbody.contact.build import SDK
from solidbody.control import building
from solidbody.control.programs import ProgramError, find_program
from tests.control.c.programs import need_c
from tests.control.projects import Project, robot

PROGRAM = """
#include <stdio.h>
#include <webots/robot.h>
#ifndef WORD
#define WORD "hello"
#endif
int main(int argc, char **argv) {
  wb_robot_init();
  wb_robot_step(8);
  printf("%s %s\\n", WORD, argc > 1 ? argv[1] : "nobody");
  wb_robot_cleanup();
  return 0;
}
"""

MAKEFILE = """
null :=
space := $(null) $(null)
WEBOTS_HOME_PATH?=$(subst $(space),\\ ,$(strip $(subst \\,/,$(WEBOTS_HOME))))
C_SOURCES = main.c parts/word.c
INCLUDE = -I"parts"
CFLAGS = -DWORD=word
include $(WEBOTS_HOME_PATH)/resources/Makefile.include
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep objects in a folder of the test's own."""
    need_c()
    monkeypatch.setenv("SOLIDBODY_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("WEBOTS_HOME", raising=False)
    return tmp_path / "cache"


def _controller(folder: Path, **files: str) -> Path:
    home = folder / "controllers" / "exercise"
    for name, text in files.items():
        path = home / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return home


def _find(home: Path) -> Path:
    return Path(find_program("exercise", (), (home.parent,)).command[0])


def test_all_sources_of_the_folder(tmp_path: Path) -> None:
    """A program of two files runs, with its arguments; the executable is where Webots has it."""
    split = PROGRAM.replace('"hello"', "word()").replace("int main", "char *word(void);\nint main")
    home = _controller(
        tmp_path, exercise_dot_c=split, other_dot_c='char *word(void) { return "two files"; }'
    )
    project = Project(tmp_path)
    project.run(robot("exercise", fields='controllerArgs [ "you" ]'), 0.05)
    assert project.output() == ["two files you"], project.said
    assert sorted(path.name for path in home.iterdir()) == ["exercise", "exercise.c", "other.c"]


def test_built_once_and_again_when_sources_change(tmp_path: Path) -> None:
    """A newer executable is taken as it is, and a restart builds what has changed."""
    home = _controller(tmp_path, exercise_dot_c=PROGRAM)
    made = _find(home)
    assert made == home / "exercise"
    first = made.stat().st_mtime_ns
    assert _find(home).stat().st_mtime_ns == first
    project = Project(tmp_path)
    sim, hub = project.start(robot("exercise"))
    sim.run(0.05)
    source = home / "exercise.c"
    source.write_text(PROGRAM.replace("hello", "changed"))
    later = made.stat().st_mtime + 5
    os.utime(source, (later, later))
    hub.restart_all()
    sim.run(0.05)
    hub.close()
    assert project.output() == ["hello nobody", "changed nobody"], project.said


def test_makefile(tmp_path: Path) -> None:
    """A Makefile as Webots' own: sources in a folder below, flags, paths; objects stay out of the tree."""
    home = _controller(
        tmp_path / "a b",
        Makefile=MAKEFILE,
        main_dot_c=PROGRAM.replace("int main", '#include "word.h"\nint main').replace(
            "WORD,", "text(),"
        ),
        parts__word_dot_c='char *text(void) { return "made"; }',
        parts__word_dot_h="char *text(void);",
    )
    project = Project(tmp_path / "a b")
    project.run(robot("exercise"), 0.05)
    assert project.output() == ["made nobody"], project.said
    assert not (home / "build").exists()
    by_hand = ["make", f"WEBOTS_HOME={SDK}"]
    subprocess.run(by_hand, cwd=home, check=True, capture_output=True)
    assert (home / "build" / "release" / "exercise").exists()
    subprocess.run([*by_hand, "clean"], cwd=home, check=True, capture_output=True)
    assert not (home / "build").exists() and not (home / "exercise").exists()
    older = MAKEFILE.replace("$(null) $(null)", "\nspace +=").replace("PATH?=", "PATH=")
    (home / "Makefile").write_text(older)
    assert _find(home) == home / "exercise"


@pytest.mark.parametrize("makefile", [False, True])
def test_broken_source(tmp_path: Path, makefile: bool) -> None:
    """The compiler's own words, headed by the robot and the file, and exit status 1."""
    home = _controller(tmp_path, exercise_dot_c="int main( {\n  return wrong;\n}\n")
    if makefile:
        include = "include $(WEBOTS_HOME)/resources/Makefile.include\n"
        (home / "Makefile").write_text(include)
    world = Project(tmp_path).world(robot("exercise", name="Rob"))
    result = CliRunner().invoke(app, ["run", str(world), "--headless", "--duration", "0.1"])
    assert result.exit_code == 1
    said = result.stderr.replace("\n", " ")
    assert '"Rob" is not driven' in said and "does not compile" in said
    assert "exercise.c:1:11: error" in said


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One message says what to install; an older executable still runs."""
    home = _controller(tmp_path, exercise_dot_c=PROGRAM)
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(
        ProgramError, match=r"exercise is to be compiled, and there is no C compiler"
    ):
        _find(home)
    monkeypatch.setenv("PATH", path)
    made = _find(home)
    os.utime(made, (1, 1))
    monkeypatch.setenv("PATH", str(tmp_path))
    program = find_program("exercise", (), (home.parent,))
    assert program.command == (str(made),)
    assert "older than its sources" in program.remark


@pytest.mark.parametrize("makefile", [False, True])
def test_folder_that_cannot_be_written_to(
    tmp_path: Path, cache: Path, makefile: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The executable is kept in the cache, and found there again."""
    home = _controller(tmp_path, exercise_dot_c=PROGRAM)
    if makefile:
        include = "include $(WEBOTS_HOME)/resources/Makefile.include\n"
        (home / "Makefile").write_text(include)
    allowed = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: mode != os.W_OK and allowed(path, mode)
    )  # the tests' user may be root, who may write anywhere
    made = _find(home)
    assert cache in made.parents and not (home / "exercise").exists()
    first = made.stat().st_mtime_ns
    assert _find(home).stat().st_mtime_ns == first


def test_builds_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build that takes too long is ended, with all that it has started."""
    home = _controller(tmp_path, Makefile="exercise:\n\tsleep 100\n", exercise_dot_c=PROGRAM)
    monkeypatch.setattr(building, "BUILD_TIME", 0.3)
    with pytest.raises(ProgramError, match=r"Makefile was not built in 0\.3 s"):
        _find(home)


def test_a_python_program_is_not_built(tmp_path: Path) -> None:
    """Sources beside NAME.py belong to something else, such as a module of it."""
    home = _controller(tmp_path, exercise_dot_c="no C", exercise_dot_py="")
    assert find_program("exercise", (), (home.parent,)).command[-1] == "exercise.py"


def test_projects_of_a_webots_tree(tmp_path: Path) -> None:
    """Makefiles of its samples name files below WEBOTS_HOME/projects."""
    tree = tmp_path / "webots"
    (tree / "projects" / "robots").mkdir(parents=True)
    (tree / "projects" / "robots" / "word.h").write_text('#define WORD "ours"\n')
    text = "INCLUDE = -I$(WEBOTS_HOME)/projects/robots\n"
    home = _controller(
        tmp_path,
        exercise_dot_c='#include "word.h"\n' + PROGRAM,
        Makefile=text + "include $(WEBOTS_HOME)/resources/Makefile.include\n",
    )
    assert find_program("exercise", (), (home.parent,), home=tree).command == (
        str(home / "exercise"),
    )


PROJECT = """<Project><ItemGroup>
<ClCompile Include="$(WEBOTS_HOME)\\src\\controller\\cpp\\Robot.cpp" />
<ClCompile Include="exercise.c" />
<ClCompile Include="parts\\word.c" />
<ClCompile Include="..\\shared.c" />
</ItemGroup></Project>
"""


@pytest.mark.parametrize("makefile", [False, True])
def test_sources_that_visual_studio_lists(tmp_path: Path, makefile: bool) -> None:
    """Its project names the sources, where the Makefile is the one that each controller gets."""
    text = PROGRAM.replace("int main", "char *word(void);\nchar *shared(void);\nint main")
    home = _controller(
        tmp_path,
        exercise_dot_c=text.replace('"%s %s\\n", WORD', '"%s %s %s\\n", word(), shared()'),
        exercise_dot_vcxproj=PROJECT,
        parts__word_dot_c='char *word(void) { return "listed"; }',
        unused_dot_c="no C",
    )
    (home.parent / "shared.c").write_text('char *shared(void) { return "shared"; }')
    if makefile:
        own = MAKEFILE.splitlines()
        (home / "Makefile").write_text("\n".join([*own[:4], "# C_SOURCES = a.c", own[-1], ""]))
    project = Project(tmp_path)
    project.run(robot("exercise"), 0.05)
    assert project.output() == ["listed shared nobody"], project.said
    later = (home / "exercise").stat().st_mtime + 5
    (home.parent / "shared.c").write_text('char *shared(void) { return "changed"; }')
    os.utime(home.parent / "shared.c", (later, later))
    project.run(robot("exercise"), 0.05)
    assert project.output()[-1] == "listed changed nobody"


@pytest.mark.parametrize(
    ("first", "system"),
    [
        (b"\xcf\xfa\xed\xfe", "macOS"),
        (b"\xca\xfe\xba\xbe", "macOS"),
        (b"MZ\x90\0", "Windows"),
        (b"\x7fELF\x01\x01" + b"\0" * 12 + b"\x03\0", "another processor"),
        (b"", "no machine"),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="executables of other systems than Linux")
def test_executables_of_other_systems(tmp_path: Path, first: bytes, system: str) -> None:
    """What the author's machine has built is built anew; without a source the message says for what it is."""
    home = _controller(tmp_path, exercise_dot_c=PROGRAM)
    os.utime(home / "exercise.c", (1, 1))
    (home / "exercise").write_bytes(first + b"\0" * 100)
    (home / "exercise").chmod(0o755)
    project = Project(tmp_path)
    project.run(robot("exercise"), 0.05)
    assert project.output() == ["hello nobody"], project.said
    (home / "exercise").write_bytes(first)
    (home / "exercise.c").unlink()
    with pytest.raises(ProgramError, match=f"exercise was built for {system}, and there is no"):
        _find(home)


def test_runtime_ini_arguments_and_folder(tmp_path: Path) -> None:
    """A program in C has the variables of runtime.ini, its arguments, and works in its own folder."""
    said = (
        '  printf("%s %s\\n", getenv("EXERCISE"), argv[1]);\n'
        '  printf("%d\\n", fgetc(fopen("data.txt", "r")));\n'
    )
    text = PROGRAM.replace("#include <stdio.h>", "#include <stdio.h>\n#include <stdlib.h>")
    home = _controller(
        tmp_path,
        exercise_dot_c=text.replace("  wb_robot_init", said + "  wb_robot_init"),
        data_dot_txt="7",
    )
    (home / "runtime.ini").write_text("[environment variables]\nEXERCISE = from runtime.ini\n")
    project = Project(tmp_path)
    project.run(robot("exercise", fields='controllerArgs [ "first word" ]'), 0.05)
    assert project.output()[:2] == ["from runtime.ini first word", "55"], project.said


def test_sdk_command() -> None:
    """`solidbody sdk` prints the folder that stands in for WEBOTS_HOME."""
    said = CliRunner().invoke(app, ["sdk"]).stdout.strip()
    assert (Path(said) / "resources" / "Makefile.include").is_file()
    assert (Path(said) / "include" / "controller" / "c" / "webots" / "robot.h").is_file()


def test_pkg_config(tmp_path: Path) -> None:
    """A program is compiled with what the .pc file says."""
    if shutil.which("pkg-config") is None:
        pytest.skip("no pkg-config on this machine")
    asked = ["pkg-config", "--cflags", "--libs", "solidbody-controller"]
    place = {**os.environ, "PKG_CONFIG_PATH": str(SDK / "pkgconfig")}
    flags = subprocess.run(asked, env=place, check=True, capture_output=True, text=True).stdout
    source = tmp_path / "program.c"
    source.write_text(PROGRAM)
    command = [*need_c(), str(source), "-o", str(tmp_path / "program"), *flags.split()]
    subprocess.run(command, check=True)


def test_cmake(tmp_path: Path) -> None:
    """A project of CMake finds the package and links with it."""
    if shutil.which("cmake") is None:
        pytest.skip("no CMake on this machine")
    (tmp_path / "program.c").write_text(PROGRAM)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.10)\nproject(program C)\n"
        "find_package(SolidbodyController REQUIRED)\nadd_executable(program program.c)\n"
        "target_link_libraries(program Solidbody::Controller)\n"
    )
    made = tmp_path / "made"
    first = ["cmake", "-S", str(tmp_path), "-B", str(made), f"-DCMAKE_PREFIX_PATH={SDK}"]
    subprocess.run(first, check=True, capture_output=True)
    subprocess.run(["cmake", "--build", str(made)], check=True, capture_output=True)
    assert (made / "program").exists()


@pytest.mark.slow
def test_libraries_of_the_project_are_built_and_found(tmp_path: Path) -> None:
    """A library that links another; both stay where Webots puts them, objects go to the cache."""
    folder = tmp_path / "a b"
    include = "include $(WEBOTS_HOME)/resources/Makefile.include\n"
    for name, links, body in (
        ("inner", "", 'const char *inner(void) { return "found"; }'),
        (
            "outer",
            'LIBRARIES = -L"../inner" -linner\n',
            "const char *inner(void); const char *outer(void) { return inner(); }",
        ),
    ):
        home = folder / "libraries" / name
        home.mkdir(parents=True)
        (home / "Makefile").write_text(links + include)
        (home / f"{name}.c").write_text(body)
    text = PROGRAM.replace("int main", "const char *outer(void);\nint main")
    home = _controller(
        folder,
        Makefile='LIBRARIES = -L"../../libraries/outer" -louter\n' + include,
        exercise_dot_c=text.replace("WORD, argc", "outer(), argc"),
    )
    project = Project(folder)
    project.run(robot("exercise"), 0.05)
    assert project.output() == ["found nobody"], project.said
    outer = home.parents[1] / "libraries" / "outer"
    endings = {path.suffix for path in outer.iterdir() if path.name != "Makefile"}
    assert endings == {".c", ".dylib" if sys.platform == "darwin" else ".so"}


@pytest.mark.slow
def test_executables_for_another_cpp_library_are_built_again(tmp_path: Path) -> None:
    """They take classes from Webots' own C++ library; ours are in headers."""
    source = "#include <webots/Robot.hpp>\nint main() { webots::Robot robot; return robot.step(8) > 0; }\n"
    home = _controller(tmp_path, exercise_dot_cpp=source)
    made = home / "exercise"
    declared = "namespace webots { class Robot { public: Robot(); }; }\n"
    for text, options in (
        ("webots::Robot::Robot() {}", ["-shared", "-fPIC", "-o", "libCppController.so"]),
        ("int main() { webots::Robot robot; }", ["-L.", "-lCppController", "-o", str(made)]),
    ):
        (tmp_path / "theirs.cpp").write_text(declared + text)
        subprocess.run(["c++", "theirs.cpp", *options], cwd=tmp_path, check=True)
    os.utime(home / "exercise.cpp", (1, 1))
    assert building.wants_webots_cpp(made)
    assert _find(home) == made and not building.wants_webots_cpp(made)
    project = Project(tmp_path)
    project.run(robot("exercise"), 0.05)
    assert project.errors() == []


@pytest.mark.slow
@pytest.mark.parametrize("makefile", [False, True])
def test_headers_by_the_names_that_windows_finds(tmp_path: Path, makefile: bool) -> None:
    """Letters of another case and backslashes are no matter where the authors work."""
    program = (
        "#include <webots/robot.hpp>\n#include <webots/Utils/AnsiCodes.hpp>\n"
        '#include "parts\\Word.H"\n#include "Parts/second.h"\n'
        "#include <cstdio>\nint main() { webots::Robot robot; robot.step(8);\n"
        'std::printf("%s %s\\n", WORD, SECOND); }\n'
    )
    home = _controller(
        tmp_path,
        exercise_dot_cpp=program,
        parts__word_dot_h='#pragma once\n#define WORD "named"\n#include "SECOND.h"\n',
        parts__Second_dot_h='#ifndef SECOND\n#define SECOND "otherwise"\n#endif\n',
        **({"Makefile": MAKEFILE.splitlines()[-1].replace("_PATH", "")} if makefile else {}),
    )
    project = Project(tmp_path)
    project.run(robot("exercise"), 0.05)
    assert project.errors() == []
    assert project.output() == ["named otherwise"], project.said
    assert home.joinpath("exercise").exists()


@pytest.mark.parametrize("makefile", [False, True])
def test_programs_that_include_the_header_of_windows(tmp_path: Path, makefile: bool) -> None:
    """Many do, and use nothing of it, or let their program sleep."""
    program = (
        "#include <Windows.h>\n#include <stdio.h>\n#include <webots/robot.h>\n"
        "int main() { wb_robot_init(); wb_robot_step(8); Sleep(1); DWORD is_here = TRUE;\n"
        'printf("%u\\n", is_here); wb_robot_cleanup(); return 0; }\n'
    )
    lines = {"Makefile": MAKEFILE.splitlines()[-1].replace("_PATH", "")} if makefile else {}
    _controller(tmp_path, exercise_dot_c=program, **lines)
    project = Project(tmp_path)
    project.run(robot("exercise"), 0.05)
    assert project.errors() == []
    assert project.output() == ["1"], project.said


def test_headers_that_nobody_has_are_still_missing(tmp_path: Path) -> None:
    """Nor is anything outside the folder and the SDK looked for."""
    (tmp_path / "controllers").mkdir()
    (tmp_path / "controllers" / "Outside.h").write_text("")
    for name in ("webots/robots.hpp", "../OUTSIDE.h"):
        home = _controller(tmp_path, exercise_dot_cpp=f'#include "{name}"\nint main() {{}}\n')
        with pytest.raises(ProgramError, match=f"{name}: No such file|'{name}' file not found"):
            _find(home)


@pytest.mark.skipif(sys.platform != "linux", reason="the loader of Linux")
def test_executables_whose_libraries_are_not_here_are_built_anew(tmp_path: Path) -> None:
    """Their authors have committed them beside the sources; without sources the loader speaks."""
    home = _controller(tmp_path, exercise_dot_c=PROGRAM)
    theirs = tmp_path / "elsewhere"
    theirs.mkdir()
    (theirs / "far.c").write_text("int far_away(void) { return 1; }\n")
    (theirs / "main.c").write_text("int far_away(void);\nint main(void) { return far_away(); }\n")
    library = theirs / "libfar.so"
    subprocess.run([*need_c(), "-shared", "-fPIC", theirs / "far.c", "-o", library], check=True)
    made = home / "exercise"
    command = [*need_c(), theirs / "main.c", f"-L{theirs}", "-lfar", "-o", made]
    subprocess.run(command, check=True)
    os.utime(home / "exercise.c", (1, 1))
    assert "libfar.so" in building.unmet_needs(made, {})
    assert not building.unmet_needs(made, {"LD_LIBRARY_PATH": str(theirs)})
    assert not building.unmet_needs(home / "exercise.c", {})
    project = Project(tmp_path)
    project.run(robot("exercise"), 0.05)
    assert project.errors() == []
    assert project.output() == ["hello nobody"]
    (home / "exercise.c").unlink()
    subprocess.run(command, check=True)
    assert _find(home) == made


@pytest.mark.skipif(sys.platform != "linux", reason="names of libraries in ELF files")
def test_executables_for_webots_own_library_run_as_they_are(tmp_path: Path) -> None:
    """Ours is found by its name before the one that they were linked with, though that one is there."""
    home = _controller(tmp_path)
    home.mkdir(parents=True)
    theirs = tmp_path / "webots" / "lib" / "controller"
    theirs.mkdir(parents=True)
    calls = "int wb_robot_init(void), wb_robot_step(int); void wb_robot_cleanup(void);\n"
    for name, text, options in (
        (
            "library",
            "int wb_robot_init(void) { return 0; } int wb_robot_step(int ms) { return -1; }\n"
            "void wb_robot_cleanup(void) {}\n",
            ["-shared", "-fPIC", "-Wl,-soname,libController.so", "-o", theirs / "libController.so"],
        ),
        (
            "program",
            f"#include <stdio.h>\n{calls}int main(void) {{ wb_robot_init();\n"
            'printf("stepped %d\\n", wb_robot_step(8)); wb_robot_cleanup(); return 0; }\n',
            [f"-L{theirs}", "-lController", f"-Wl,-rpath,{theirs}", "-o", home / "exercise"],
        ),
    ):
        source = tmp_path / f"{name}.c"
        source.write_text(text)
        subprocess.run([*need_c(), source, *options], check=True)
    alone = subprocess.run([home / "exercise"], capture_output=True, text=True, check=True)
    assert alone.stdout == "stepped -1\n"
    project = Project(tmp_path)
    project.run(robot("exercise"), 0.05)
    assert project.errors() == []
    assert project.output() == ["stepped 0"]


def test_a_makefile_that_names_no_sources_is_not_a_program(tmp_path: Path) -> None:
    """Folders of programs in MATLAB and Java have the Makefile that each controller gets."""
    home = _controller(
        tmp_path, exercise_dot_m="", Makefile="# C_SOURCES = a.c\n" + MAKEFILE.splitlines()[-1]
    )
    with pytest.raises(ProgramError, match=r"is exercise\.m; only programs in Python, C and C"):
        _find(home)


def test_old_places_of_the_makefile_are_found(tmp_path: Path) -> None:
    """Releases 5 to 7 had it elsewhere."""
    default = "projects/default/controllers"
    for place in ("resources/controllers", f"resources/{default}", default):
        text = MAKEFILE.replace("resources/Makefile", f"{place}/Makefile")
        home = _controller(
            tmp_path / place,
            Makefile=text.replace(" parts/word.c", ""),
            main_dot_c=PROGRAM.replace("WORD,", '"old",'),
        )
        assert _find(home) == home / "exercise"
