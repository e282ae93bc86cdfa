"""From the common model to MuJoCo: bodies, joints and geoms, and the tables that the step reads."""

from solidbody.compiler.compile import Compiled, compile_scene

__all__ = ["Compiled", "compile_scene"]
