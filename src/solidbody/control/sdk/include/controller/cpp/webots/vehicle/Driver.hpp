/* Drivers of cars made of the Car PROTO. */

#ifndef WEBOTS_VEHICLE_DRIVER_HPP
#define WEBOTS_VEHICLE_DRIVER_HPP

#include "../Supervisor.hpp"

// The C header has names such as LEFT and SPEED, which are not for programs in C++.
#ifndef WBU_DRIVER_H
extern "C" {
bool wbu_driver_initialization_is_possible();
void wbu_driver_init();
void wbu_driver_cleanup();
int wbu_driver_step();
void wbu_driver_set_steering_angle(double);
double wbu_driver_get_steering_angle();
void wbu_driver_set_cruising_speed(double);
double wbu_driver_get_target_cruising_speed();
double wbu_driver_get_current_speed();
void wbu_driver_set_throttle(double);
double wbu_driver_get_throttle();
void wbu_driver_set_brake_intensity(double);
double wbu_driver_get_brake_intensity();
int wbu_driver_get_control_mode();
void wbu_driver_set_gear(int);
int wbu_driver_get_gear();
int wbu_driver_get_gear_number();
double wbu_driver_get_rpm();
void wbu_driver_set_indicator(int);
int wbu_driver_get_indicator();
void wbu_driver_set_hazard_flashers(bool);
bool wbu_driver_get_hazard_flashers();
void wbu_driver_set_dipped_beams(bool);
bool wbu_driver_get_dipped_beams();
void wbu_driver_set_antifog_lights(bool);
bool wbu_driver_get_antifog_lights();
void wbu_driver_set_wiper_mode(int);
int wbu_driver_get_wiper_mode();
typedef int WbuDriverIndicatorState;
typedef int WbuDriverWiperMode;
}
#endif

namespace webots {

class Driver : public Supervisor {
public:
  typedef enum { INDICATOR_OFF, INDICATOR_RIGHT, INDICATOR_LEFT } IndicatorState;
  typedef enum { SPEED, TORQUE } ControlMode;
  typedef enum { DOWN, SLOW, NORMAL, FAST } WiperMode;

  static bool isInitialisationPossible() { return wbu_driver_initialization_is_possible(); }
  static Driver *getDriverInstance() { return dynamic_cast<Driver *>(instance() ? instance() : new Driver()); }
  Driver() : Supervisor() { wbu_driver_init(); }
  virtual ~Driver() {}
  virtual int step() { return wbu_driver_step(); }
  virtual int step(int duration) { return Supervisor::step(duration); }

  void setSteeringAngle(double steeringAngle) { wbu_driver_set_steering_angle(steeringAngle); }
  double getSteeringAngle() { return wbu_driver_get_steering_angle(); }
  void setCruisingSpeed(double speed) { wbu_driver_set_cruising_speed(speed); }
  double getTargetCruisingSpeed() { return wbu_driver_get_target_cruising_speed(); }
  double getCurrentSpeed() { return wbu_driver_get_current_speed(); }
  void setThrottle(double throttle) { wbu_driver_set_throttle(throttle); }
  double getThrottle() { return wbu_driver_get_throttle(); }
  void setBrakeIntensity(double intensity) { wbu_driver_set_brake_intensity(intensity); }
  double getBrakeIntensity() { return wbu_driver_get_brake_intensity(); }
  ControlMode getControlMode() { return static_cast<ControlMode>(wbu_driver_get_control_mode()); }
  void setGear(int gear) { wbu_driver_set_gear(gear); }
  int getGear() { return wbu_driver_get_gear(); }
  int getGearNumber() { return wbu_driver_get_gear_number(); }
  double getRpm() { return wbu_driver_get_rpm(); }

  void setIndicator(IndicatorState state) { wbu_driver_set_indicator(static_cast<WbuDriverIndicatorState>(state)); }
  IndicatorState getIndicator() { return static_cast<IndicatorState>(wbu_driver_get_indicator()); }
  void setHazardFlashers(bool state) { wbu_driver_set_hazard_flashers(state); }
  bool getHazardFlashers() { return wbu_driver_get_hazard_flashers(); }
  void setDippedBeams(bool state) { wbu_driver_set_dipped_beams(state); }
  bool getDippedBeams() { return wbu_driver_get_dipped_beams(); }
  void setAntifogLights(bool state) { wbu_driver_set_antifog_lights(state); }
  bool getAntifogLights() { return wbu_driver_get_antifog_lights(); }
  void setWiperMode(WiperMode mode) { wbu_driver_set_wiper_mode(static_cast<WbuDriverWiperMode>(mode)); }
  WiperMode getWiperMode() { return static_cast<WiperMode>(wbu_driver_get_wiper_mode()); }

  // of older releases
  void setBrake(double brake) { setBrakeIntensity(brake); }
  double getBrake() { return getBrakeIntensity(); }
  void setWipersMode(WiperMode mode) { setWiperMode(mode); }
  WiperMode getWipersMode() { return getWiperMode(); }
};

}  // namespace webots

#endif
