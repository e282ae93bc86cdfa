"""The sandboxed process in which templates run: no files, no network, limited time.

A template may loop for ever or eat all memory in ways that no check inside a language stops (a Lua
pattern, a finalizer), so it runs in a process that can be ended. One JSON object per line comes in on
standard input: the `number` of a program, the first time with the `program` itself (`script`, `imports`,
`sizes`, `defaults` of its parameters, `context`), the values that are `given` and the `id` of the evaluation.
One goes out on standard output: `pieces`, `texts` and `messages` (and `pictures`, from Lua), or `error` with
`line`; and `seconds`, the time it took to compute. What they mean stands in `answers.py`, which trusts none
of it. Nothing of the program itself is given to the template.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import select
import sys
import time
import zlib
from importlib.resources import files
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, TextIO, cast

from solidbody.base.limits import (
    PIECE_SIZE,
    TEMPLATE_MEMORY,
    TEMPLATE_OUTPUT,
    TEMPLATE_PROCESS_MEMORY,
    TEMPLATE_TIME,
)

if TYPE_CHECKING:
    from solidbody.formats.webots.protos.lua_gd import Pictures

WAITING_TIME: Final = 30.0
"""Seconds by the clock for one evaluation."""

IDLE_TIME: Final = 10.0
"""[s] Wall time without work after which the process ends, should whoever started it live on."""

CLOCK_TIME: Final = TEMPLATE_TIME if sys.platform == "win32" else WAITING_TIME
TOO_LONG: Final = f"it ran for more than {TEMPLATE_TIME:g} s"
TOO_LARGE: Final = f"it needs more than {TEMPLATE_MEMORY // 1_000_000} MB of memory"

MAX_ERROR: Final = 1000
"""Characters of an error that are told."""

# An error found before the end of the text is read has not seen the text's name there.
_JS_PLACE = re.compile(r"(?:\btemplate|^undefined):(\d+)")
_LUA_PLACE = re.compile(r'\[string "template"\]:(\d+): ?')
HEAD_LINES: Final = 3
"""Lines before the first line of the template: two of its function's head, and one of modules."""


def main() -> None:
    """Answer requests until standard input ends."""
    language = sys.argv[1]
    engine = _JavaScript() if language == "javascript" else _Lua()
    answers = sys.stdout
    sys.stdout = sys.stderr
    _limit("RLIMIT_CORE", 0)
    engine.prepare()
    _limit_memory()
    _send(answers, {"ready": True})
    programs: dict[int, dict[str, Any]] = {}
    while _is_asked() and (line := sys.stdin.readline()):
        # in whole seconds; the system then ends the process, also should nobody be left to do so
        started = time.process_time()
        _limit("RLIMIT_CPU", math.ceil(started) + TEMPLATE_TIME)
        answer = _answer(engine, line, programs)
        _send(answers, {**answer, "seconds": time.process_time() - started})


def _is_asked() -> bool:
    """Wait for a request; return False where none has come for a while."""
    if sys.platform == "win32":  # it waits for files of networks only
        return True
    return bool(select.select([sys.stdin], [], [], IDLE_TIME)[0])


def _answer(
    engine: _JavaScript | _Lua, line: str, programs: dict[int, dict[str, Any]]
) -> dict[str, Any]:
    try:
        return engine.evaluate(_request(json.loads(line), programs))
    except MemoryError:
        return {"error": TOO_LARGE, "line": 0}
    except Exception as error:  # whatever a template brings about is told as its fault
        return {"error": f"{type(error).__name__}: {error}"[:MAX_ERROR], "line": 0}


def _request(asked: dict[str, Any], programs: dict[int, dict[str, Any]]) -> dict[str, Any]:
    """Return what to evaluate: a program with the values of all its parameters."""
    program = asked["program"] if "program" in asked else programs[asked["number"]]
    if "number" in asked:
        programs[asked["number"]] = program
    given: dict[str, Any] = asked["given"]
    fields = {
        name: {"value": given.get(name, default), "defaultValue": default}
        for name, default in program["defaults"].items()
    }
    return {**program, "fields": fields, "context": {**program["context"], "id": asked["id"]}}


def _limit(name: str, amount: int) -> None:
    """Set a limit of the operating system on this process, where there are such."""
    try:
        import resource
    except ImportError:  # not on Windows; there the clock is the limit
        return
    kind = getattr(resource, name)
    with contextlib.suppress(ValueError, OSError):  # a lower limit is already set
        resource.setrlimit(kind, (amount, resource.getrlimit(kind)[1]))


def _limit_memory() -> None:
    """Let this process take so much memory beyond what it has now.

    Limits of the languages count neither long strings at once nor what is made of a result on its way out.
    Data and not addresses are limited, since the engine of JavaScript reserves far more of these than it
    uses.
    """
    if sys.platform != "linux":
        return
    with contextlib.suppress(OSError, ValueError, IndexError):
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[5])  # of data and stack
        _limit("RLIMIT_DATA", pages * os.sysconf("SC_PAGE_SIZE") + TEMPLATE_PROCESS_MEMORY)


def _send(stream: TextIO, answer: dict[str, Any]) -> None:
    json.dump(answer, stream, ensure_ascii=False)  # in pieces, and as short as it can be
    stream.write("\n")
    stream.flush()


def _module_text(name: str) -> str:
    return files("solidbody.formats.webots.protos").joinpath("modules", name).read_text("utf-8")


class _JavaScript:
    def __init__(self) -> None:
        self._prelude = _module_text("modules.js")

    def prepare(self) -> None:
        """Bring the engine in, so that what it takes by itself is not counted."""
        from py_mini_racer import MiniRacer

        MiniRacer().close()

    def evaluate(self, request: dict[str, Any]) -> dict[str, Any]:
        from py_mini_racer import (
            JSEvalException,
            JSOOMException,
            JSParseException,
            JSTimeoutException,
            MiniRacer,
        )

        context = MiniRacer()  # a new one each time: templates do not see each other
        code = f"'use strict'; {request['imports']}\n{request['script']}\n//# sourceURL=template"
        arguments = (
            code,
            request["fields"],
            request["context"],
            request["sizes"],
            TEMPLATE_OUTPUT,
            PIECE_SIZE,
        )
        try:
            context.eval(self._prelude + "\n//# sourceURL=modules")
            result = context.eval(
                f"__run({','.join(json.dumps(item) for item in arguments)})",
                timeout_sec=CLOCK_TIME,
                max_memory=TEMPLATE_MEMORY,
            )
        except JSTimeoutException:
            return {"error": TOO_LONG, "line": 0}
        except JSOOMException:
            return {"error": TOO_LARGE, "line": 0}
        except (JSParseException, JSEvalException) as error:
            return _js_error(str(error))
        finally:
            context.close()
        pieces, texts, messages = json.loads(cast("str", result))
        return {"pieces": pieces, "texts": texts, "messages": messages}


def _js_error(text: str) -> dict[str, Any]:
    place = _JS_PLACE.search(text)
    lines = [line.strip() for line in text.splitlines()]
    message = next((line for line in lines if re.match(r"(\w*Error|Uncaught)\b", line)), lines[0])
    message = _JS_PLACE.sub("", message).removeprefix("Uncaught ").lstrip(": ")
    return {
        "error": message[:MAX_ERROR],
        "line": int(place.group(1)) - HEAD_LINES if place else 0,
    }


class _Lua:
    def __init__(self) -> None:
        self._prelude = _module_text("modules.lua")

    def prepare(self) -> None:
        """Bring the engine in, so that what it takes by itself is not counted."""
        _lua_module()

    def evaluate(self, request: dict[str, Any]) -> dict[str, Any]:
        lua = _lua_module()
        runtime = lua.LuaRuntime(
            encoding="utf-8",
            register_eval=False,
            register_builtins=False,
            unpack_returned_tuples=True,
            attribute_filter=_no_attributes,
            max_memory=TEMPLATE_MEMORY,
        )
        context = request["context"]
        fields = _lua_literal(request["fields"])
        easel = _Easel(context["temporary_files_path"])
        # one file for one set of values: what looks at a picture may keep it by its name
        values = zlib.crc32(fields.encode("utf-8", "replace"))
        name = f"{PurePath(context['proto']).stem}_{context['id']}_{values:08x}_"
        try:
            run = runtime.execute(self._prelude)
            result = run(
                request["script"],
                f"return {fields}",
                f"return {_lua_literal(context)}",
                f"return {_lua_literal(request['sizes'])}",
                TEMPLATE_OUTPUT,
                PIECE_SIZE,
                name,
                easel.call,
            )
        except MemoryError:
            return {"error": TOO_LARGE, "line": 0}
        except (lua.LuaError, UnicodeError) as error:
            text = str(error)
            place = _LUA_PLACE.search(text)
            line = int(place.group(1)) if place else 0
            message = _LUA_PLACE.sub("", text.split("\nstack traceback", 1)[0])
            if "not enough memory" in message:
                message = TOO_LARGE
            return {"error": message[:MAX_ERROR] or "error", "line": line}
        pieces, texts, messages = result
        return {
            "pieces": pieces,
            "texts": texts,
            "messages": [[item[1], item[2]] for item in messages.values()],
            "pictures": easel.files(),
        }


class _Easel:
    """Draws for one template; what that needs is read in with the first picture, as few have any."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._pictures: Pictures | None = None

    def call(self, name: str, *arguments: Any) -> Any:
        """Do what a function of lua-gd does."""
        if self._pictures is None:
            from solidbody.formats.webots.protos.lua_gd import Pictures

            self._pictures = Pictures(self._folder)
        return self._pictures.call(name, *arguments)

    def files(self) -> dict[str, str]:
        """Return what was drawn: name -> content in base 64."""
        return self._pictures.files if self._pictures is not None else {}


def _lua_module() -> Any:
    """Return the Lua that Webots had (5.2), or the nearest one in this build of lupa."""
    try:
        import lupa.lua52 as lua
    except ImportError:
        import lupa as lua
    return lua


def _no_attributes(_object: object, name: object, _is_setting: bool) -> str:
    raise AttributeError(name)


def _lua_literal(value: Any) -> str:
    """Return plain data as Lua source."""
    match value:
        case None:
            return "nil"
        case bool():
            return "true" if value else "false"
        case int() | float():
            if value != value:
                return "(0/0)"
            if value in (float("inf"), float("-inf")):
                return "math.huge" if value > 0 else "-math.huge"
            return repr(value)
        case str():
            return _lua_string(value)
        case list():
            items = cast("list[Any]", value)
            return "{" + ",".join(_lua_literal(item) for item in items) + "}"
        case _:
            parts = (f"[{_lua_string(key)}]={_lua_literal(item)}" for key, item in value.items())
            return "{" + ",".join(parts) + "}"


def _lua_string(text: str) -> str:
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'  # nearly all are: names, paths
    return '"' + "".join(f"\\{byte:03d}" for byte in text.encode("utf-8", "replace")) + '"'
