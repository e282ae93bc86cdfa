#include "hosted_controller.h"

#include <dlfcn.h>

#include <stdexcept>

using namespace cnoid;

static constexpr const char* RECOMPILE =
    " is no shared object of solidbody's SDK; compile its sources again (solidbody sdk --choreonoid)";

void HostedController::load() {
  const char* file = facts_.module.c_str();
  library_ = dlopen(file, RTLD_NOW | (facts_.exports ? RTLD_GLOBAL : RTLD_LOCAL));
  if (!library_) {
    const char* problem = dlerror();
    throw std::runtime_error(problem ? problem : facts_.module + " cannot be loaded");
  }
  auto abi = reinterpret_cast<int (*)()>(dlsym(library_, "solidbodyCnoidAbi"));
  auto make = reinterpret_cast<SimpleController::Factory>(dlsym(library_, "createSimpleController"));
  if (!make) throw std::runtime_error(facts_.module + " has no function createSimpleController");
  if (!abi) throw std::runtime_error(facts_.module + RECOMPILE);
  if (abi() != SOLIDBODY_CNOID_ABI)
    throw std::runtime_error(facts_.module + " was compiled with another release of the SDK; compile it again");
  controller_ = make();
  if (!controller_) throw std::runtime_error(facts_.module + ": its factory has returned no controller");
}

bool HostedController::configure() {
  load();
  SimpleControllerConfig config(this, item_body_, facts_.options);
  return controller_->configure(&config);
}

bool HostedController::initialize(HostedBody* hosted) {
  hosted_ = hosted;
  no_delay_ = facts_.no_delay;
  return is_active = controller_->initialize(this);
}

void HostedController::unload() {
  controller_->unconfigure();
  delete controller_;
  controller_ = nullptr;
  dlclose(library_);
  library_ = nullptr;
}

std::string HostedController::optionString() const {
  const std::string &first = facts_.simulator_options, &second = facts_.options;
  return first.empty() || second.empty() ? first + second : first + " " + second;
}

void HostedController::enableInput(Link* link) {
  const int mode = link->actuationMode();
  int flags = 0;
  if (mode & (Link::JointEffort | Link::JointDisplacement | Link::JointVelocity) &&
      link->jointType() != Link::PseudoContinuousTrackJoint)
    flags |= Link::JointDisplacement;
  if (mode & Link::LinkExtWrench) flags |= Link::LinkPosition;
  enableInput(link, flags);
}

void HostedController::enableInput(Link* link, int flags) {
  link->mergeSensingMode(static_cast<short>(flags));
  if (link->isValid()) hosted_->enabled().inputs.at(link->index()) |= flags;
}

void HostedController::enableOutput(Link* link) {
  if (link->isValid()) hosted_->enabled().outputs.at(link->index()) = 1;
}

void HostedController::enableOutput(Link* link, int flags) {
  link->setActuationMode(static_cast<short>(flags));
  if (flags) enableOutput(link);
}

void HostedController::enableInput(Device* device) { hosted_->enabled().senses.at(device->index()) = 1; }
