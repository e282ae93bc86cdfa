"""What every other part stands on: places in files, diagnostics, errors, rigid transforms."""
