"""The step in numpy: what the native one is tested against, and what runs where that is not built."""
