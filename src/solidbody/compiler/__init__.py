"""Compiler: turns the common model into a MuJoCo model and the tables that the contact step reads."""

from solidbody.compiler.compile import Compiled, compile_scene

__all__ = ["Compiled", "compile_scene"]
