/* Drivers of cars made of the Car PROTO. */

#ifndef WBU_DRIVER_H
#define WBU_DRIVER_H

#define WB_USING_C_API
#include "../types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { OFF, RIGHT, LEFT } WbuDriverIndicatorState;
typedef enum { UNDEFINED_CONTROL_MODE = -1, SPEED, TORQUE } WbuDriverControlMode;
typedef enum { DOWN, SLOW, NORMAL, FAST } WbuDriverWiperMode;

bool wbu_driver_initialization_is_possible(); /* whether the robot is a car */
void wbu_driver_init();
void wbu_driver_cleanup();
int wbu_driver_step(); /* one basic time step: 0, or -1 when it is over */

void wbu_driver_set_steering_angle(double steering_angle); /* [rad], positive = to the right */
double wbu_driver_get_steering_angle();
void wbu_driver_set_cruising_speed(double speed); /* [km/h] */
double wbu_driver_get_target_cruising_speed();
double wbu_driver_get_current_speed();
void wbu_driver_set_throttle(double throttle); /* 0 to 1 */
double wbu_driver_get_throttle();
void wbu_driver_set_brake_intensity(double intensity); /* 0 to 1 */
double wbu_driver_get_brake_intensity();
WbuDriverControlMode wbu_driver_get_control_mode();

void wbu_driver_set_gear(int gear); /* 0 = none, -1 = backwards */
int wbu_driver_get_gear();
int wbu_driver_get_gear_number();
double wbu_driver_get_rpm();

void wbu_driver_set_indicator(WbuDriverIndicatorState state);
WbuDriverIndicatorState wbu_driver_get_indicator();
void wbu_driver_set_hazard_flashers(bool state);
bool wbu_driver_get_hazard_flashers();
void wbu_driver_set_dipped_beams(bool state);
bool wbu_driver_get_dipped_beams();
void wbu_driver_set_antifog_lights(bool state);
bool wbu_driver_get_antifog_lights();
void wbu_driver_set_wiper_mode(WbuDriverWiperMode mode);
WbuDriverWiperMode wbu_driver_get_wiper_mode();

/* Of older releases. */
typedef WbuDriverIndicatorState wbu_indicator_state;
typedef WbuDriverControlMode wbu_control_mode;
typedef WbuDriverWiperMode wbu_wipers_mode;
void wbu_driver_set_brake(double brake) WB_DEPRECATED;
double wbu_driver_get_brake() WB_DEPRECATED;
void wbu_driver_set_wipers_mode(wbu_wipers_mode mode) WB_DEPRECATED;
wbu_wipers_mode wbu_driver_get_wipers_mode() WB_DEPRECATED;

#ifdef __cplusplus
}
#endif

#endif
