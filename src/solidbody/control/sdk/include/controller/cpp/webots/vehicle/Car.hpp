/* Cars made of the Car PROTO: what does not change while they drive, and their wheels. */

#ifndef WEBOTS_VEHICLE_CAR_HPP
#define WEBOTS_VEHICLE_CAR_HPP

#include "../../../c/webots/vehicle/car.h"
#include "Driver.hpp"

namespace webots {

class Car : public Driver {
public:
  typedef enum { TRACTION = 0, PROPULSION, FOUR_BY_FOUR } Type;
  typedef enum {
    COMBUSTION_ENGINE = 0,
    ELECTRIC_ENGINE,
    PARALLEL_HYBRID_ENGINE,
    POWER_SPLIT_HYBRID_ENGINE
  } EngineType;
  typedef enum {
    WHEEL_FRONT_RIGHT = 0,
    WHEEL_FRONT_LEFT,
    WHEEL_REAR_RIGHT,
    WHEEL_REAR_LEFT,
    WHEEL_NB
  } WheelIndex;

  Car() : Driver() {}
  virtual ~Car() {}
  Type getType() { return static_cast<Type>(wbu_car_get_type()); }
  EngineType getEngineType() { return static_cast<EngineType>(wbu_car_get_engine_type()); }
  double getTrackFront() { return wbu_car_get_track_front(); }
  double getTrackRear() { return wbu_car_get_track_rear(); }
  double getWheelbase() { return wbu_car_get_wheelbase(); }
  double getFrontWheelRadius() { return wbu_car_get_front_wheel_radius(); }
  double getRearWheelRadius() { return wbu_car_get_rear_wheel_radius(); }
  double getWheelEncoder(WheelIndex wheel) {
    return wbu_car_get_wheel_encoder(static_cast<WbuCarWheelIndex>(wheel));
  }
  double getWheelSpeed(WheelIndex wheel) {
    return wbu_car_get_wheel_speed(static_cast<WbuCarWheelIndex>(wheel));
  }
  double getRightSteeringAngle() { return wbu_car_get_right_steering_angle(); }
  double getLeftSteeringAngle() { return wbu_car_get_left_steering_angle(); }
  void setRightSteeringAngle(double angle) { wbu_car_set_right_steering_angle(angle); }
  void setLeftSteeringAngle(double angle) { wbu_car_set_left_steering_angle(angle); }
  void setIndicatorPeriod(double period) { wbu_car_set_indicator_period(period); }
  double getIndicatorPeriod() { return wbu_car_get_indicator_period(); }
  bool getBackwardsLights() { return wbu_car_get_backwards_lights(); }
  bool getBrakeLights() { return wbu_car_get_brake_lights(); }
  void enableLimitedSlipDifferential(bool enable) { wbu_car_enable_limited_slip_differential(enable); }
  void enableIndicatorAutoDisabling(bool enable) { wbu_car_enable_indicator_auto_disabling(enable); }
};

}  // namespace webots

#endif
