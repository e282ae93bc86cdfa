/* Cars made of the Car PROTO: what does not change while they drive, and their wheels. */

#ifndef WBU_CAR_H
#define WBU_CAR_H

#define WB_USING_C_API
#include "../types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { WBU_CAR_TRACTION = 0, WBU_CAR_PROPULSION, WBU_CAR_FOUR_BY_FOUR } WbuCarType;

typedef enum {
  WBU_CAR_COMBUSTION_ENGINE = 0,
  WBU_CAR_ELECTRIC_ENGINE,
  WBU_CAR_PARALLEL_HYBRID_ENGINE,
  WBU_CAR_POWER_SPLIT_HYBRID_ENGINE
} WbuCarEngineType;

typedef enum {
  WBU_CAR_WHEEL_FRONT_RIGHT = 0,
  WBU_CAR_WHEEL_FRONT_LEFT,
  WBU_CAR_WHEEL_REAR_RIGHT,
  WBU_CAR_WHEEL_REAR_LEFT,
  WBU_CAR_WHEEL_NB
} WbuCarWheelIndex;

void wbu_car_init();
void wbu_car_cleanup();

WbuCarType wbu_car_get_type();
WbuCarEngineType wbu_car_get_engine_type();
double wbu_car_get_track_front(); /* [m] */
double wbu_car_get_track_rear();
double wbu_car_get_wheelbase();
double wbu_car_get_front_wheel_radius();
double wbu_car_get_rear_wheel_radius();

double wbu_car_get_wheel_encoder(WbuCarWheelIndex wheel_index); /* [rad] */
double wbu_car_get_wheel_speed(WbuCarWheelIndex wheel_index);   /* [rad/s] */
double wbu_car_get_right_steering_angle();                      /* [rad] */
double wbu_car_get_left_steering_angle();
void wbu_car_set_right_steering_angle(double angle);
void wbu_car_set_left_steering_angle(double angle);

void wbu_car_set_indicator_period(double period); /* [s] */
double wbu_car_get_indicator_period();
bool wbu_car_get_backwards_lights();
bool wbu_car_get_brake_lights();
void wbu_car_enable_limited_slip_differential(bool enable);
void wbu_car_enable_indicator_auto_disabling(bool enable);

/* Of older releases. */
typedef WbuCarType wbu_car_type;
typedef WbuCarEngineType wbu_car_engine_type;
typedef WbuCarWheelIndex wbu_car_wheel_index;

#ifdef __cplusplus
}
#endif

#endif
