"""What the codes of diagnostics mean: tables (`*.toml`), `solidbody explain`, `docs/diagnostics.md`."""
