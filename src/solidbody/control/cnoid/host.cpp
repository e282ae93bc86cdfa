/*
 * The process that runs the controllers of a body: a controller and those below it in the project.
 *
 * It does what the simulator orders, one thing after another (`docs/wire.md`). Controllers compute when the
 * number of the step in the shared memory has changed; until then it looks there for a moment, and then sleeps.
 * An exception that a controller lets out ends the process, with a line that says where it came from.
 */

#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "hosted_controller.h"
#include "joystick.h"

extern "C" {
#include "link.h"
}

namespace {

constexpr int TERMINATED = 134; /* exit status of a program that std::terminate has ended */
constexpr auto SPIN = std::chrono::microseconds(100);
constexpr int MOST_PAUSES = 256; /* see link.c: how rarely, at least, looking is tried again */

std::string text_in(const Slice& slice) { return std::string(slice.data, slice.size); }

class Host {
 public:
  explicit Host(Reader frame) : frame_(frame.at, frame.end) {
    Reader reader{frame_.data(), frame_.data() + frame_.size(), false};
    const auto number = read_number(&reader);
    if (number == M_Refusal) {
      Refusal refusal{};
      read_fields(&reader, &layout_Refusal, &refusal);
      throw std::runtime_error(text_in(refusal.text));
    }
    if (number != M_BodyWelcome || !read_fields(&reader, &layout_BodyWelcome, &welcome_))
      throw std::runtime_error("the simulator's greeting is broken");
    item_body_ = make_body(welcome_);
    std::size_t joints = 0;
    Reader links = welcome_.links.items;
    for (std::uint32_t k = 0; k < welcome_.links.count; ++k) {
      LinkFacts facts{};
      read_fields(&links, &layout_LinkFacts, &facts);
      if (facts.joint >= 0) joints = std::max<std::size_t>(joints, facts.joint + 1);
    }
    block_ = std::make_unique<Block>(text_in(welcome_.block), welcome_.block_size, welcome_.offsets,
                                     welcome_.links.count, joints, welcome_.devices.count,
                                     welcome_.controllers.count);
    item_body_->setCurrentTimeFunction([this] { return *block_->at(SECTION_time); });
    Reader controllers = welcome_.controllers.items;
    for (std::uint32_t k = 0; k < welcome_.controllers.count; ++k) {
      BodyControllerFacts facts{};
      read_fields(&controllers, &layout_BodyControllerFacts, &facts);
      controllers_.push_back(std::make_unique<HostedController>(
          ControllerFacts{text_in(facts.name), text_in(facts.module), text_in(facts.options),
                          text_in(facts.simulator_options), facts.parent, facts.no_delay, facts.reloads,
                          facts.exports, facts.old_targets},
          welcome_.time_step, item_body_.get()));
    }
    cnoid::joystick_state().is_there = welcome_.has_joystick;
  }

  /* Does what is ordered until it is over. As in the original, `control` runs in a thread of its own. */
  void run() {
    for (;;) {
      BodyOrder order{};
      std::thread([&] { compute_until(order); }).join();
      if (order.phase == PHASE_end || order.controller >= controllers_.size()) return;
      obey(order, *controllers_[order.controller]);
    }
  }

 private:
  /* Lets controllers compute, step by step, until there is an order. */
  void compute_until(BodyOrder& order) {
    try {
      while (!wait(order)) control();
    } catch (...) {
      blame();
      std::_Exit(TERMINATED); /* the program's own objects are not trusted to end well */
    }
  }

  /* Waits for an order, or for the next step; returns whether it is an order. */
  bool wait(BodyOrder& order) {
    auto& asked = block_->header(HEADER_asked);
    auto& done = block_->header(HEADER_done);
    if (pauses_) {
      --pauses_;
    } else {
      const auto end = std::chrono::steady_clock::now() + SPIN;
      do {
        if (asked.load() != done.load()) {
          in_vain_ = 1;
          return false;
        }
        sched_yield();
      } while (std::chrono::steady_clock::now() < end);
      pauses_ = in_vain_;
      in_vain_ = std::min(2 * in_vain_, MOST_PAUSES);
    }
    auto& sleeps = block_->header(HEADER_host_sleeps);
    sleeps.store(1);
    while (asked.load() == done.load()) {
      Reader reader = link_receive();
      if (reader.failed) std::_Exit(EXIT_SUCCESS); /* the simulator has gone */
      if (read_number(&reader) != M_BodyOrder || !read_fields(&reader, &layout_BodyOrder, &order))
        throw std::runtime_error("an order of the simulator is broken");
      if (order.phase != PHASE_control) {
        sleeps.store(0);
        return true;
      }
    }
    sleeps.store(0);
    return false;
  }

  void obey(const BodyOrder& order, HostedController& one) {
    int result = 1;
    std::string problem;
    static const char* const names[] = {"configure", "initialize", "start", "control", "stop", "unconfigure"};
    doing_ = names[std::min<int>(order.phase, PHASE_end)];
    now_ = &one;
    one.time = *block_->at(SECTION_time);
    switch (order.phase) {
      case PHASE_configure:
        try {
          result = one.configure();
        } catch (const std::runtime_error& error) {
          if (one.controller()) throw; /* the program's own */
          result = -1;
          problem = error.what();
        }
        break;
      case PHASE_initialize:
        if (one.facts().parent < 0) renew(order.modes);
        result = one.initialize(hosted_.get());
        if (result) hosted_->copy_output(top().facts().old_targets);
        break;
      case PHASE_start:
        result = one.is_active = one.controller()->start();
        break;
      case PHASE_stop:
        if (one.is_active) one.controller()->stop();
        one.is_active = false;
        doing_ = "unconfigure";
        if (one.facts().reloads) one.unload();
        break;
      default:
        break;
    }
    now_ = nullptr;
    report(result, problem);
  }

  HostedController& top() { return *controllers_.front(); }

  /* A new body for controllers to see, as the simulated one is at the start. */
  void renew(const List& modes) {
    hosted_ = std::make_unique<HostedBody>(item_body_->clone(), *block_, welcome_);
    for (auto& link : hosted_->body()->links()) link->initializeState();
    hosted_->set_modes(modes);
  }

  void control() {
    auto& joystick = cnoid::joystick_state();
    const double* told = block_->at(SECTION_joystick);
    joystick.is_there = told[0] != 0.0;
    std::copy(told + 1, told + 9, joystick.axes);
    std::copy(told + 9, told + 20, joystick.buttons);
    joystick.time = *block_->at(SECTION_time);
    hosted_->copy_input();
    double* results = block_->at(SECTION_results);
    doing_ = "control";
    for (std::size_t k = 0; k < controllers_.size(); ++k) {
      HostedController& one = *controllers_[k];
      one.time = joystick.time;
      now_ = &one;
      results[k] = one.is_active && one.controller()->control() ? 1.0 : 0.0;
    }
    now_ = nullptr;
    hosted_->copy_output(top().facts().old_targets);
    block_->header(HEADER_done).store(block_->header(HEADER_asked).load());
    if (block_->header(HEADER_simulator_sleeps).load()) send(nullptr);
  }

  void report(int result, const std::string& problem) {
    Buffer said{};
    begin_turn(said);
    if (hosted_) {
      const auto modes = hosted_->modes(), outputs = hosted_->output_modes();
      const auto& enabled = hosted_->enabled();
      const auto count = static_cast<std::uint32_t>(modes.size());
      say_BodyReport(&said, result, problem.c_str(), top().isNoDelayMode(), enabled.inputs.data(), count,
                     outputs.data(), count, modes.data(), count, enabled.senses.data(),
                     static_cast<std::uint32_t>(enabled.senses.size()));
    } else {
      say_BodyReport(&said, result, problem.c_str(), false, nullptr, 0, nullptr, 0, nullptr, 0, nullptr, 0);
    }
    send(&said);
  }

  static void begin_turn(Buffer& said) {
    put_uint32_t(&said, 0);
    put_uint16_t(&said, M_Turn);
    put_uint32_t(&said, 0);
  }

  /* Sends a turn; one that says nothing only wakes the simulator. */
  static void send(Buffer* said) {
    Buffer nothing{};
    if (!said) begin_turn(*(said = &nothing));
    const auto size = static_cast<std::uint32_t>(said->size) - 4;
    std::memcpy(said->data, &size, 4);
    std::memcpy(said->data + 6, &said->count, 4);
    std::fflush(stdout);
    const bool sent = link_send(said->data, said->size);
    std::free(said->data);
    if (!sent) std::_Exit(EXIT_SUCCESS);
  }

 public:
  /* Says which controller let the present exception out, and where. */
  void blame() const {
    std::fflush(nullptr);
    if (now_) std::fprintf(stderr, "the controller \"%s\" has ended in %s(): ", now_->facts().name.c_str(), doing_);
    try {
      throw;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    } catch (...) {
      std::fprintf(stderr, "it has thrown what is no std::exception\n");
    }
    std::fflush(nullptr);
  }

 private:
  std::vector<std::uint8_t> frame_;
  BodyWelcome welcome_{};
  cnoid::BodyPtr item_body_;
  std::unique_ptr<Block> block_;
  std::vector<std::unique_ptr<HostedController>> controllers_;
  std::unique_ptr<HostedBody> hosted_;
  HostedController* now_ = nullptr;
  const char* doing_ = "";
  int pauses_ = 0, in_vain_ = 1;
};

}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 14);
  std::unique_ptr<Host> host;
  try {
    host = std::make_unique<Host>(link_open());
    host->run();
  } catch (...) {
    if (host) host->blame();
    else
      try {
        throw;
      } catch (const std::exception& error) {
        std::fprintf(stderr, "Error: %s\n", error.what());
      }
    std::fflush(nullptr);
    std::_Exit(TERMINATED);
  }
  return EXIT_SUCCESS;
}
