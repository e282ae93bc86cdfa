"""ROS 2 without a ROS installation: messages, what a run says by them, DDS, services, bags."""
