"""As much of RTPS, the wire protocol of DDS, as services need: callers want to see whom an answer is for.

Fast DDS, ROS 2's default, tells that beside a message, in a parameter that `cyclonedds` neither shows nor
sends.
"""
