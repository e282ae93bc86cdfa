/* The body that controllers see, and the copies between it and the shared memory. */

#pragma once

#include <memory>
#include <vector>

#include "block.h"
#include "cnoid/src/Body.h"

/* Returns the body that the simulator has described. */
cnoid::BodyPtr make_body(const BodyWelcome& welcome);

/* What a tree of controllers has enabled, by link and by device. */
struct Enabled {
  std::vector<std::int32_t> inputs, outputs;
  std::vector<std::uint8_t> senses;
};

class HostedBody {
 public:
  HostedBody(cnoid::Body* body, Block& block, const BodyWelcome& welcome);
  cnoid::Body* body() { return body_; }
  Enabled& enabled() { return enabled_; }
  void set_modes(const List& modes);
  std::vector<std::int32_t> modes() const;
  /* What is copied by links' actuation modes, where output is enabled. */
  std::vector<std::int32_t> output_modes() const;
  void copy_input();
  void copy_output(bool old_targets);

 private:
  void copy_contacts(double* from);
  cnoid::BodyPtr body_;
  Block& block_;
  std::vector<int> joints_;
  std::vector<std::unique_ptr<Picture>> pictures_;
  std::vector<double> heard_;
  std::vector<unsigned> told_;
  Enabled enabled_;
};
