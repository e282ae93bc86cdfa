"""Foundation of all other packages: source spans, diagnostics, errors, limits, rigid transforms."""
