# mujoco's classes and functions live in compiled modules without type information, so pyright sees an
# empty package. This says: any name may be there, of any type.
from typing import Any

def __getattr__(name: str) -> Any: ...
