"""What controllers import. This folder is put on their path; nothing in it imports anything but Python."""
