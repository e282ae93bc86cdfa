"""Radio and radar: packets between emitters and receivers, radar echoes."""
