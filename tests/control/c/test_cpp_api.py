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
