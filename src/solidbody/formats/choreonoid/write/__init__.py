"""Bodies of the model to body files."""
