"""Lets a Mavic 2 Pro take off and hover; arrow keys fly it, with shift up and down or sideways.

Gains, speeds and keys are those of Webots' controller of this name. It holds no place: it drifts.
"""

import sys

from controller import Keyboard, Robot

LIFT = 68.5
"""Speed of the rotors which nearly carries it [rad/s]."""
SAG = 0.6
"""How far above its goal it aims [m]: 3 * 0.6^3 is what the lift lacks at 69.15 rad/s."""
GAINS = {"height": 3.0, "roll": 50.0, "pitch": 30.0}
CLIMB = 0.05
"""Change of its goal in each step that a key is held [m]."""
PUSHES = {
    # key: what it adds to roll, pitch and yaw
    Keyboard.UP: (0.0, -2.0, 0.0),
    Keyboard.DOWN: (0.0, 2.0, 0.0),
    Keyboard.RIGHT: (0.0, 0.0, -1.3),
    Keyboard.LEFT: (0.0, 0.0, 1.3),
    Keyboard.SHIFT + Keyboard.RIGHT: (-1.0, 0.0, 0.0),
    Keyboard.SHIFT + Keyboard.LEFT: (1.0, 0.0, 0.0),
}
CLIMBS = {Keyboard.SHIFT + Keyboard.UP: CLIMB, Keyboard.SHIFT + Keyboard.DOWN: -CLIMB}
ROTORS = {
    # rotor: way it turns, signs of roll, pitch and yaw
    "front left": (1, -1, 1, -1),
    "front right": (-1, 1, 1, 1),
    "rear left": (-1, -1, -1, 1),
    "rear right": (1, 1, -1, -1),
}

robot = Robot()
step = int(robot.getBasicTimeStep())
imu, gps, gyro = (robot.getDevice(name) for name in ("inertial unit", "gps", "gyro"))
keyboard = robot.getKeyboard()
lamps = [robot.getDevice(f"front {side} led") for side in ("left", "right")]
camera_roll, camera_pitch = (robot.getDevice(f"camera {axis}") for axis in ("roll", "pitch"))
motors = {name: robot.getDevice(f"{name} propeller") for name in ROTORS}
for sensor in (imu, gps, gyro, keyboard):
    sensor.enable(step)
for motor in motors.values():
    motor.setPosition(float("inf"))
    motor.setVelocity(1.0)


def limit(value):
    """Return a value between -1 and 1."""
    return max(-1.0, min(1.0, value))


def held_keys():
    """Return all keys that are held."""
    keys = []
    while (key := keyboard.getKey()) > 0:
        keys.append(key)
    return keys


print(
    "arrow keys fly the drone; with shift: up and down change its height, left and right shift it"
)
while robot.getTime() <= 1.0:
    if robot.step(step) == -1:
        sys.exit(0)
goal = 1.0
while robot.step(step) != -1:
    for k, lamp in enumerate(lamps):
        lamp.set((int(robot.getTime()) + k + 1) % 2)
    roll, pitch, _ = imu.getRollPitchYaw()
    roll_rate, pitch_rate, _ = gyro.getValues()
    camera_roll.setPosition(-0.115 * roll_rate)
    camera_pitch.setPosition(-0.1 * pitch_rate)
    keys = held_keys()
    goal += sum(CLIMBS.get(key, 0.0) for key in keys)
    pushes = [sum(PUSHES.get(key, (0.0, 0.0, 0.0))[k] for key in keys) for k in range(3)]
    inputs = (
        GAINS["roll"] * limit(roll) + roll_rate + pushes[0],
        GAINS["pitch"] * limit(pitch) + pitch_rate + pushes[1],
        pushes[2],
    )
    lift = LIFT + GAINS["height"] * limit(goal - gps.getValues()[2] + SAG) ** 3
    for name, (way, *signs) in ROTORS.items():
        speed = lift + sum(sign * inputs[axis] for axis, sign in enumerate(signs))
        motors[name].setVelocity(way * speed)
