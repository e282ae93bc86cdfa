"""Changes to a world as written: the document that holds it, paths into it, values to write."""
