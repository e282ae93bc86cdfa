"""`python -m benchmarks.webots_suite HOME`: the test suite of a Webots source tree, run headless by us.

Each world of HOME/tests runs by itself with its own programs, which write OK or FAILURE to a file, and with
the tree's own supervisor, which ends the run when all of them have said so. A world ends as asked if nothing
but OK was written. Worlds of the parser group have no programs: they ask for a message, and pass if ours says
the same thing in our words (`OUR_WORDS`). The tree is written to (programs, results): give a copy of it.

  python -m benchmarks.webots_suite HOME              all worlds, and a table
  python -m benchmarks.webots_suite HOME api gps      worlds of `api`, and those with `gps` in their names
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

# all that a run imports, so that copies of this process need not
import solidbody.cli.headless
import solidbody.cli.run
import solidbody.control.hub
import solidbody.devices.kinds
import solidbody.formats.webots.lower.world  # noqa: F401
from solidbody.cli.app import app

GROUPS: Final = ("api", "physics", "protos", "parser", "rendering")

PATIENCE: Final = 60
"""[s] Wall time for the programs of a world; Webots' own suite gives 10 on an idle machine."""

SUPERVISOR: Final = "test_suite_supervisor"

OUR_WORDS: Final[dict[str, str]] = {
    "derived_proto_using_same_parameter_name": r"it may be linked to \"slot\" only",
    "double_quote_in_lua_string_field": r"says: \"string to test",
    "empty_value": r"expected one number, got direction",
    "hidden_parameter_single": r"the controller of \"robot\" has ended",
    "hinge_2_joint_axes": r"1 0 0 and 0 0 1 are used instead",
    "invalid_template_regenerator_field": r"\[joint-without-parent\]",
    "lua_invalid_vrml_comment": r"\[template-error\]",
    "lua_length_operator": r"says: Variable length is 4",
    "mismatch_field_type": r"got 1 1 1",
    "missing_closing_curly_bracket": r"\"}\" is missing before 'RectangleArena'",
    "missing_closing_square_bracket": r"\"]\" is missing before '}'",
    "missing_def_value": r"DEF must be followed by a name and a node",
    "missing_item_in_value": r"expected 3 numbers, got -0.33 -1;",
    "missing_use_value": r"USE: the field has no value",
    "nested_proto_missing_ending_curly_bracket": r"the file ends before 1 open bracket",
    "node_without_brackets": r"expected a node, got 'DirectionalLight'",
    "proto_mismatch_field_type": r"\"fieldTexture\" is SFString; IS needs the same type",
    "proto_mismatch_file_name": r"\[proto-name\]",
    "proto_missing_ending_curly_bracket": r"the file ends before 1 open bracket",
    "proto_missing_item_value_in_field": r"rotation: the default must be 4 numbers",
    "proto_not_allowed_field_value": r"translation: must be one of 0 0 0; the default is used",
    "proto_not_allowed_mf_field_value": r"Transform node is not allowed here .allowed: Solid, Group",
    "proto_parameter_missing_ending_curly_bracket": r"\"}\" is missing before ']'",
    "proto_typo_in_alias": r"\.rotation: no field of the body IS this parameter",
    "proto_typo_in_is_keyword": r"expected 3 numbers \[m\], got ISNOT",
    "proto_unknown_field_header": r"unknown word \"notfield\"",
    "proto_unknown_field_type": r"unknown field type \"SFIssue\"",
    "proto_unknown_parameter": r"\"Floor\" has no field \"wrongNode\"",
    "recursive_proto": r"\[recursive-proto\]",
    "supplementary_curly_bracket": r"expected a node, got '}'",
    "supplementary_item_in_value": r"got -0.33 -1 -0.5 1;",
    "supplementary_square_bracket": r"expected a field name or \"}\", got ']'",
    "unknown_field": r"has no field \"myUnknownField\"",
    "unknown_node": r"\"UnknownNode\" is missing: neither a node type nor a PROTO",
    "unused_proto_parameter": r"\.slot: no field of the body IS this parameter",
}
"""What we say, as a pattern, where a world of the parser group asks for a message of Webots."""

NOT_MEANT: Final = ("[deprecated-field]", "[missing-image]")
"""What a world that asks for silence may get: not yet deprecated then; pictures come when Webots is built."""


class Outcome(NamedTuple):
    """How a world ended: what it wrote, or what went wrong, and everything that was printed."""

    world: str
    passed: bool
    reason: str
    seconds: float
    printed: str


def worlds_of(home: Path, chosen: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Yield groups and worlds, those whose group or name is chosen (all without a choice)."""
    for group in GROUPS:
        for path in sorted((home / "tests" / group / "worlds").glob("*.wbt")):
            if path.stem.endswith("_temp"):
                continue
            if not chosen or any(word == group or word in path.stem for word in chosen):
                yield group, path


def prepare(home: Path, group: str, world: Path) -> None:
    """Lay out the files by which the suite's own programs know what is running."""
    tests = home / "tests"
    target = tests / group / "controllers" / SUPERVISOR
    target.mkdir(parents=True, exist_ok=True)
    name = f"{SUPERVISOR}.py"
    text = (tests / "default" / "controllers" / SUPERVISOR / name).read_text(encoding="utf-8")
    text = re.sub(r"(time\.time\(\) \+) \d+", rf"\1 {PATIENCE}", text)
    (target / name).write_text(text, encoding="utf-8")
    for proto in (tests / "default" / "protos").glob("*.proto"):
        (tests / group / "protos").mkdir(exist_ok=True)
        shutil.copy(proto, tests / group / "protos")
    (tests / group / "worlds.txt").write_text(f"{group}/worlds/{world.name}\n", encoding="utf-8")
    (tests / group / "worlds_index.txt").write_text("0\n", encoding="utf-8")
    (tests / "world_counter.txt").write_text("0", encoding="utf-8")
    for written in ("output.txt", "webots_stdout.txt", "webots_stderr.txt"):
        (tests / written).write_text("", encoding="utf-8")


def run_world(home: Path, group: str, world: Path) -> Outcome:
    """Run one world and return how it ended."""
    prepare(home, group, world)
    tests = home / "tests"
    variables = {
        "WEBOTS_TEST_SUITE": "TRUE",
        "WEBOTS_EMPTY_PROJECT_PATH": str(tests / "default"),
    }
    began = time.monotonic()
    out, err = tests / "printed.txt", tests / "printed_errors.txt"  # the supervisor empties its own
    options = [str(world), "--headless", "--ignore-controller-errors"]
    status = run_forked("run", options, variables, out, err)
    seconds = time.monotonic() - began
    printed = "".join(path.read_text(encoding="utf-8", errors="replace") for path in (out, err))
    if group == "parser" and status is not None:  # what templates print is told by `check`
        run_forked("check", [str(world)], {}, out, err)
        printed += out.read_text(encoding="utf-8", errors="replace")
    written = (tests / "output.txt").read_text(encoding="utf-8", errors="replace")
    if group == "parser":
        reason = parser_reason(home, world, printed, status)
    else:
        reason = program_reason(written, status)
    return Outcome(f"{group}/{world.stem}", not reason, reason, seconds, printed)


def run_forked(
    command: str, arguments: list[str], variables: dict[str, str], out: Path, err: Path
) -> int | None:
    """Return the status of a command of solidbody in a copy of this process; None = ended by the clock."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        for number, path in ((1, out), (2, err)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), number)
        os.environ.update(variables)
        sys.argv = ["solidbody", command, *arguments]
        try:
            app()
        except SystemExit as end:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(end.code if isinstance(end.code, int) else 1)
        except BaseException:
            traceback.print_exc()
        os._exit(70)
    until = time.monotonic() + PATIENCE * 2
    while time.monotonic() < until:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def program_reason(written: str, status: int | None) -> str:
    """Return why a world with programs has not ended as asked; empty = it has."""
    bad = [line for line in written.splitlines() if line and not line.startswith("OK: ")]
    if bad:
        return " | ".join(bad)
    if status is None:
        return "hangs: ended by the clock"
    if "OK: " not in written:
        return f"nothing was written; the run ended with status {status}"
    return f"the run ended with status {status}" if status else ""


def parser_reason(home: Path, world: Path, printed: str, status: int | None) -> str:
    """Return why a world has not given the message that it asks for; empty = it has."""
    asked: dict[str, str] = {}
    table = home / "tests" / "parser" / "expected_results.txt"
    for line in table.read_text(encoding="utf-8").splitlines():
        if words := shlex.split(line):
            asked[Path(words[0]).stem] = words[1]
    wanted = asked.get(world.stem)
    if wanted is None:
        return "the suite does not say what it asks for"
    if status is None:
        return "hangs: ended by the clock"
    if wanted == "VOID":
        said = re.findall(r"^.*(?:error|warning).*$", printed, re.MULTILINE | re.IGNORECASE)
        said = [line for line in said if not line.rstrip().endswith(NOT_MEANT)]
        return f"nothing should be said, but: {said[0]}" if said else ""
    if wanted in printed:
        return ""
    ours = OUR_WORDS.get(world.stem)
    if ours is not None and re.search(ours, printed):
        return ""
    return f"asks for: {wanted}"


def main() -> int:
    """Run the worlds that were asked for and print a table."""
    parser = argparse.ArgumentParser(description="The test suite of a Webots tree.")
    parser.add_argument("home", type=Path, help="a copy of a source tree of Webots")
    parser.add_argument("chosen", nargs="*", help="groups, or parts of names of worlds")
    parser.add_argument("--keep", type=Path, help="a folder for what each world prints")
    options = parser.parse_args()
    counts: dict[str, list[bool]] = {}
    for group, world in worlds_of(options.home.resolve(), options.chosen):
        outcome = run_world(options.home.resolve(), group, world)
        counts.setdefault(group, []).append(outcome.passed)
        mark = "ok  " if outcome.passed else "FAIL"
        print(f"{mark} {outcome.world:58}{outcome.seconds:6.1f} s  {outcome.reason}", flush=True)
        if options.keep is not None:
            place = options.keep / f"{outcome.world}.txt"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(outcome.printed, encoding="utf-8")
    print("\n| group | worlds | end as asked |\n|---|---|---|")
    for group, passed in counts.items():
        print(f"| {group} | {len(passed)} | {sum(passed)} |")
    total = [one for passed in counts.values() for one in passed]
    print(f"| all | {len(total)} | {sum(total)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
