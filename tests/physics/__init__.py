"""Physics tests: closed forms, relations, and ODE as the referee."""
