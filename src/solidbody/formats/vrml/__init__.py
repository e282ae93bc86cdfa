"""Lexer, parser and syntax tree for the VRML-like text of world files; knows no robots."""
