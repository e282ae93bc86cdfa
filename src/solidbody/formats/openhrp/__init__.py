"""Bodies in OpenHRP's language (`.wrl`), as what a body file holds."""
