"""Contact law and solver: the native step in C, and the same step in numpy as its reference."""
