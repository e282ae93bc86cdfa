"""What sensors read, against closed forms."""
