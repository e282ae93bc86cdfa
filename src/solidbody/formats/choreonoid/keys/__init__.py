"""The key table of Choreonoid's files: every key with its spellings, type, unit and meaning."""
