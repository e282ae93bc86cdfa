/* How fast the wheels turn, by what the distance sensors see. */

#define SENSORS 8

void steer(const double seen[SENSORS], double speeds[2]);
