"""The keys of Choreonoid's files: YAML with places, the key table, typed access, the page about it."""
