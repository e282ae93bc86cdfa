"""The VRML-like text of world files: characters to tokens to a syntax tree. Knows no robots."""
