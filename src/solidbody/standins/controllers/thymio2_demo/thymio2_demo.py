"""Drives a Thymio II by its buttons and the arrow keys; its lamps show the time and what its sensors see.

Speeds and lamps are those of Webots' controller of this name.
"""

from math import pi, sin

from controller import Keyboard, Robot

SPEED = 4.0
"""Of the wheels [rad/s]."""
WAYS = {"forward": (1, 1), "right": (1, -1), "backward": (-1, -1), "left": (-1, 1)}
"""Ways of the left and the right wheel, in the order of the lamps of the buttons."""
KEYS = {
    Keyboard.UP: WAYS["forward"],
    Keyboard.DOWN: WAYS["backward"],
    Keyboard.LEFT: WAYS["left"],
    Keyboard.RIGHT: WAYS["right"],
}
BRIGHT = 32
"""Value of a lamp that is on."""
PERIOD = 4.0
"""In which the colours go round [s]."""

robot = Robot()
step = int(robot.getBasicTimeStep())
keyboard = robot.getKeyboard()
buttons = {name: robot.getDevice(f"button.{name}") for name in (*WAYS, "center")}
ahead = [robot.getDevice(f"prox.horizontal.{k}") for k in range(7)]
below = [robot.getDevice(f"prox.ground.{k}") for k in range(2)]
accelerometer = robot.getDevice("acc")
motors = [robot.getDevice(f"motor.{side}") for side in ("left", "right")]
colored = [robot.getDevice(f"leds.{name}") for name in ("top", "bottom.left", "bottom.right")]
for sensor in (keyboard, *buttons.values(), *ahead, *below, accelerometer):
    sensor.enable(step)
for motor in motors:
    motor.setPosition(float("inf"))
    motor.setVelocity(0.0)


def light(name, value):
    """Set a lamp by its name."""
    robot.getDevice(f"leds.{name}").set(int(value))


def color_at(time):
    """Return a colour that goes round with time."""
    parts = [0.5 + 0.5 * sin(2 * pi * time / PERIOD + k * pi / 3) for k in range(3)]
    red, green, blue = (int(255 * part) for part in parts)
    return (red << 16) + (green << 8) + blue


def speeds_of(pressed):
    """Return the speeds of the wheels: those of a button, else of all keys that are held."""
    for name, ways in WAYS.items():
        if name in pressed:
            return [SPEED * way for way in ways]
    speeds = [0.0, 0.0]
    while (key := keyboard.getKey()) > 0:
        for k, way in enumerate(KEYS.get(key, (0, 0))):
            speeds[k] += SPEED * way
    return [max(-SPEED, min(SPEED, speed)) for speed in speeds]


print("arrow keys drive the robot")
light("temperature.red", BRIGHT)
light("temperature.blue", BRIGHT)
while robot.step(step) != -1:
    time = robot.getTime()
    for k in range(8):
        light(f"circle.led{k}", BRIGHT if k == int(time) % 8 else 0)
    for k, lamp in enumerate(colored):
        lamp.set(color_at(time + k * PERIOD / 3))
    pressed = {name for name, button in buttons.items() if button.getValue() == 1}
    for k, name in enumerate(WAYS):
        light(f"buttons.led{k}", BRIGHT if pressed & {name, "center"} else 0)
    if "center" in pressed:
        print("acceleration:", *(f"{value:.3f}" for value in accelerometer.getValues()))
    for k in range(8):  # the sensor in the middle has two
        light(f"prox.h.led{k}", ahead[k - (k > 2)].getValue() * BRIGHT / 4400)
    for k, sensor in enumerate(below):
        light(f"prox.v.led{k}", sensor.getValue() * BRIGHT / 1000)
    for k, speed in enumerate(speeds_of(pressed)):
        motors[k].setVelocity(speed)
