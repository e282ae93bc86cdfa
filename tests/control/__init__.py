"""Controllers, in processes of their own and in ours."""
