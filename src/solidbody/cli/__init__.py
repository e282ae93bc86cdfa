"""The command line: reads arguments, calls the rest, prints. Nothing else happens here."""
