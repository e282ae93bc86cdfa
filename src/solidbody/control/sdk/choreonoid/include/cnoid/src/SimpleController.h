/* The program of a body, and what it is given. */

#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "Body.h"
#include "Messages.h"
#include "Signals.h"
#include "Values.h"

namespace cnoid {

class BodyMotion;

class ControllerIO {
 public:
  virtual ~ControllerIO() = default;
  virtual std::string controllerName() const = 0;
  virtual Body* body() = 0;
  virtual std::string optionString() const = 0;
  std::vector<std::string> options() const;
  MappingPtr structuredOptions() const;
  virtual MessageOut* mout() const;
  virtual std::ostream& os() const;
  virtual double timeStep() const = 0;
  virtual double currentTime() const = 0;
  double worldTimeStep() const { return timeStep(); }
  virtual bool isNoDelayMode() const = 0;
  virtual bool setNoDelayMode(bool on) = 0;
  virtual bool isSimulationFromInitialState() const = 0;
  /* Logs of programs are not kept here. */
  virtual std::shared_ptr<BodyMotion> logBodyMotion() { return nullptr; }
  virtual bool enableLog() { return false; }
  virtual void outputLogFrame(Referenced* frame) { ReferencedPtr dropped(frame); }
  void outputLog(Referenced* frame) { outputLogFrame(frame); }
  SignalProxy<void()> sigLogFlushRequested() { return log_flush_requested_; }

 private:
  Signal<void()> log_flush_requested_;
};

class SimpleControllerIO : public ControllerIO {
 public:
  virtual void enableIO(Link* link) = 0;
  virtual void enableInput(Link* link) = 0;
  virtual void enableInput(Link* link, int flags) = 0;
  virtual void enableOutput(Link* link) = 0;
  virtual void enableOutput(Link* link, int flags) = 0;
  virtual void enableInput(Device* device) = 0;
  template <class T>
  T* getOrCreateSharedObject(const std::string& name) {
    return body()->getOrCreateCache<T>(name);
  }
  template <class T>
  T* findSharedObject(const std::string& name) {
    return body()->findCache<T>(name);
  }
  std::string name() const { return controllerName(); }
  void setJointInput(int flags);
  void setJointOutput(int flags);
  void setLinkInput(Link* link, int flags) { enableInput(link, flags); }
  void setLinkOutput(Link* link, int flags) { enableOutput(link, flags); }
};

class SimulationSimpleControllerIO : public SimpleControllerIO {
 public:
  bool isImmediateMode() const { return isNoDelayMode(); }
  void setImmediateMode(bool on) { setNoDelayMode(on); }
};

class SimpleControllerConfig {
 public:
  explicit SimpleControllerConfig(SimpleControllerIO* io, Body* body, std::string options)
      : io_(io), body_(body), options_(std::move(options)) {}
  std::string controllerName() const { return io_->controllerName(); }
  Body* body() { return body_; }
  /* The item of the body in the program's window: there is no window, but a program may ask whether it is there. */
  Referenced* bodyItem() { return body_; }
  std::string optionString() const { return options_; }
  std::vector<std::string> options() const;
  std::ostream& os() const { return io_->os(); }
  SignalProxy<void()> sigChanged() { return changed_; }

 private:
  SimpleControllerIO* io_;
  Body* body_;
  std::string options_;
  Signal<void()> changed_;
};

class SimpleController {
 public:
  using Factory = SimpleController* (*)();
  virtual ~SimpleController() = default;
  virtual bool configure(SimpleControllerConfig*) { return true; }
  virtual bool initialize(SimpleControllerIO*) { return true; }
  virtual bool start() { return true; }
  virtual bool control() { return false; }
  virtual void stop() {}
  virtual void pause() {}
  virtual bool resume() { return true; }
  virtual void unconfigure() {}

  /* The flags of links, so that programs can write them without a prefix. */
  enum StateType {
    StateNone = Link::StateNone,
    JointDisplacement = Link::JointDisplacement,
    JointAngle = Link::JointAngle,
    JointVelocity = Link::JointVelocity,
    JointAcceleration = Link::JointAcceleration,
    JointEffort = Link::JointEffort,
    JointForce = Link::JointForce,
    JointTorque = Link::JointTorque,
    LinkPosition = Link::LinkPosition,
    LinkTwist = Link::LinkTwist,
    LinkAcceleration = Link::LinkAcceleration,
    LinkExtWrench = Link::LinkExtWrench,
    LinkContactState = Link::LinkContactState,
    JOINT_DISPLACEMENT = Link::JointDisplacement,
    JOINT_ANGLE = Link::JointAngle,
    JOINT_VELOCITY = Link::JointVelocity,
    JOINT_ACCELERATION = Link::JointAcceleration,
    JOINT_EFFORT = Link::JointEffort,
    JOINT_FORCE = Link::JointForce,
    JOINT_TORQUE = Link::JointTorque,
    LINK_POSITION = Link::LinkPosition,
    LINK_FORCE = Link::LinkExtWrench
  };
};

/* Splits options at blanks; quotes keep blanks, a backslash keeps the next character. */
std::vector<std::string> splitOptions(const std::string& text);

}  // namespace cnoid

/* What the SDK's shared objects are recognised by; raised when what was compiled before does not fit any more. */
#define SOLIDBODY_CNOID_ABI 2

#define CNOID_IMPLEMENT_SIMPLE_CONTROLLER_FACTORY(Class)                                                       \
  extern "C" __attribute__((visibility("default"))) int solidbodyCnoidAbi() { return SOLIDBODY_CNOID_ABI; }   \
  extern "C" __attribute__((visibility("default"))) cnoid::SimpleController* createSimpleController() {        \
    return new Class;                                                                                          \
  }
