/* One controller of the host: its shared object, its object, and what it is given. */

#pragma once

#include <string>
#include <vector>

#include "cnoid/src/SimpleController.h"
#include "hosted_body.h"

struct ControllerFacts {
  std::string name, module, options, simulator_options;
  int parent;
  bool no_delay, reloads, exports, old_targets;
};

class HostedController : public cnoid::SimulationSimpleControllerIO {
 public:
  HostedController(ControllerFacts facts, double time_step, cnoid::Body* item_body)
      : facts_(std::move(facts)), time_step_(time_step), item_body_(item_body), no_delay_(facts_.no_delay) {}
  const ControllerFacts& facts() const { return facts_; }
  cnoid::SimpleController* controller() { return controller_; }
  bool is_active = false;
  double time = 0.0;

  /* Loads the shared object and configures its controller; throws std::runtime_error if that cannot be. */
  bool configure();
  bool initialize(HostedBody* hosted);
  void unload();

  std::string controllerName() const override { return facts_.name; }
  cnoid::Body* body() override { return hosted_->body(); }
  std::string optionString() const override;
  double timeStep() const override { return time_step_; }
  double currentTime() const override { return time; }
  bool isNoDelayMode() const override { return no_delay_; }
  bool setNoDelayMode(bool on) override {
    no_delay_ = on;
    return true;
  }
  bool isSimulationFromInitialState() const override { return true; }
  void enableIO(cnoid::Link* link) override {
    enableInput(link);
    enableOutput(link);
  }
  void enableInput(cnoid::Link* link) override;
  void enableInput(cnoid::Link* link, int flags) override;
  void enableOutput(cnoid::Link* link) override;
  void enableOutput(cnoid::Link* link, int flags) override;
  void enableInput(cnoid::Device* device) override;

 private:
  void load();
  ControllerFacts facts_;
  double time_step_;
  cnoid::Body* item_body_;
  bool no_delay_;
  HostedBody* hosted_ = nullptr;
  void* library_ = nullptr;
  cnoid::SimpleController* controller_ = nullptr;
};
