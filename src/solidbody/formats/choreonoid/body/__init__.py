"""Body files (`.body`) to bodies of the model."""
