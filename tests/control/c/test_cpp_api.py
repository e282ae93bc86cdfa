"""Each method of Webots R2025a's classes is there, takes what it takes and gives what it gives."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.control.c.test_cpp import CPP, HEADERS, cpp_compiler

TABLE = Path(__file__).with_name("cpp_api.txt")
WORDS = {
    "sampled": ["  void: !enable(int) !disable()", "  int const: getSamplingPeriod()"],
    "table": ["  V const: getLookupTable()", "  int const: getLookupTableSize()"],
}
HEAD = """
#include <type_traits>
using namespace webots;
typedef std::string string;
typedef const std::string &S;
typedef const double *V;
typedef const unsigned char *Bytes;
#define GIVES(result, ...) \\
  static_assert(std::is_convertible<decltype(__VA_ARGS__), result>::value, #__VA_ARGS__)
"""
DEVICE = """static_assert(std::is_constructible<{0}, S>::value, "");
static_assert(std::is_constructible<{0}, WbDeviceTag>::value, "");
struct Maker{0} : Robot {{ {0} *create{0}(WbDeviceTag) const override; }};
struct OldMaker{0} : Robot {{ {0} *create{0}(S) const override; }};
GIVES({0} *, std::declval<Robot &>().get{0}(""));"""


def classes() -> Iterator[tuple[str, str, list[str]]]:
    """Return the name, base and rows of each class."""
    text = re.sub(r"^#.*\n", "", TABLE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for block in re.sub(r"\n {3,}", " ", text).strip().split("\n"):
        if not block.startswith(" "):
            head, _, words = block.partition(":")
            name, _, base = head.rstrip(")").partition("(")
            rows = [row for word in words.split() for row in WORDS[word]]
            yield name, base, rows
        else:
            rows.append(block)


def check(of: str, base: str, rows: list[str]) -> Iterator[str]:
    """Return declarations that compile if the class has what the rows say."""
    yield f'namespace of_{of} {{\nstatic_assert(std::is_base_of<{base or of}, {of}>::value, "");'
    if base == "Device":
        yield DEVICE.format(of)
    overrides = ""
    for row in sorted(rows, key=lambda row: not row.startswith("  =")):  # types are named first
        result, _, rest = row.strip().replace("_", " " if "=" not in row else "_").partition(":")
        if result.startswith("="):
            yield f"typedef {of}::{result[1:]} {result[1:]};" if result != "=" else ""
            for constant, value in (word.split("=") for word in rest.split()):
                yield f'static_assert({of}::{constant} == {value}, "{constant}");'
            continue
        result, suffix, _ = result.removeprefix("static ").partition(" const")
        for mark, method, given in re.findall(r"(!?)(\w+)\((.*?)\)", rest):
            kinds = [kind for kind in given.split(",") if kind]
            least = sum(not kind.startswith("?") for kind in kinds)
            kinds = [kind.lstrip("?") for kind in kinds]
            for count in range(least, len(kinds) + 1):
                values = ", ".join(f"std::declval<{kind}>()" for kind in kinds[:count])
                called = f"std::declval<{'const ' * bool(suffix)}{of} &>().{method}({values})"
                yield f"GIVES({result}, {called});"
            if mark:
                overrides += f"  {result} {method}({', '.join(kinds)}){suffix} override;\n"
    yield f"struct Derived : {of} {{\n{overrides}}};\n}}" if overrides else "}"


def test_classes_have_all_methods(tmp_path: Path) -> None:
    """A program that names every one of them compiles, and so does one that overrides the virtual ones."""
    found = list(classes())
    assert len(found) == 38
    source = tmp_path / "all.cpp"
    lines = [f"#include <{header}>" for header in HEADERS] + [HEAD]
    source.write_text("\n".join(lines + [line for of in found for line in check(*of)]) + "\n")
    run = subprocess.run(
        [cpp_compiler(), "-std=c++11", "-fsyntax-only", f"-I{CPP}", str(source)],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, "\n".join(re.findall(r"error: .*\n.*", run.stderr)[:20])
    assert source.read_text().count("\nGIVES(") > 560


def words(name: str) -> list[str]:
    """Return the words of a name: `Camera_getMinFov` and wb_camera_get_min_fov have the same."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[es])(?=3d)", "_", name)
    return sorted({*parted.lower().split("_")} - {"wb", "wbu", "supervisor", "node"})


def test_each_method_calls_the_function_of_its_name() -> None:
    """Others are few: those of objects, tags and instances, and names of older releases."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in CPP.rglob("*.hpp")}
    same, others = 0, list[str]()
    for of, _, rows in list(classes()):
        for method in re.findall(r"(\w+)\(", " ".join(row for row in rows if "=" not in row)):
            form = rf"\b{method}\([^{{;]*\)(?: const)? \{{(.*?)\n?  ?\}}"
            body = re.search(form, texts[of], re.DOTALL)
            called = re.findall(r"\b(wbu?_\w+)\(", body.group(1)) if body else []
            if words(f"{of}_{method}") in map(words, called):
                same += 1
            else:
                others.append(f"{of}.{method}")
    assert (same, len(others)) == (477, 59), "\n".join(others)
