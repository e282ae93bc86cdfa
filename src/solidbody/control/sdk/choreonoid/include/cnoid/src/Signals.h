/* Signals: lists of functions that are called when something has happened. */

#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace cnoid {

/* One function's place in the list of a signal. */
class Connection {
 public:
  struct Slot {
    bool is_connected = true;
    bool is_blocked = false;
  };
  Connection() = default;
  explicit Connection(std::shared_ptr<Slot> slot) : slot_(std::move(slot)) {}
  bool connected() const { return slot_ && slot_->is_connected; }
  void disconnect() {
    if (slot_) slot_->is_connected = false;
    slot_.reset();
  }
  void block() {
    if (slot_) slot_->is_blocked = true;
  }
  void unblock() {
    if (slot_) slot_->is_blocked = false;
  }
  bool isBlocked() const { return slot_ && slot_->is_blocked; }

 private:
  std::shared_ptr<Slot> slot_;
};

class ScopedConnection {
 public:
  ScopedConnection() = default;
  ScopedConnection(const Connection& connection) : connection_(connection) {}
  ScopedConnection(const ScopedConnection&) = delete;
  ScopedConnection& operator=(const ScopedConnection&) = delete;
  ScopedConnection& operator=(const Connection& connection) {
    reset(connection);
    return *this;
  }
  ~ScopedConnection() { connection_.disconnect(); }
  void reset(const Connection& connection) {
    connection_.disconnect();
    connection_ = connection;
  }
  void reset() { connection_.disconnect(); }
  void disconnect() { connection_.disconnect(); }
  bool connected() const { return connection_.connected(); }
  Connection& connection() { return connection_; }

 private:
  Connection connection_;
};

class ConnectionSet {
 public:
  void add(const Connection& connection) { connections_.push_back(connection); }
  void disconnect() {
    for (auto& one : connections_) one.disconnect();
    connections_.clear();
  }
  bool empty() const { return connections_.empty(); }

 private:
  std::vector<Connection> connections_;
};

class ScopedConnectionSet : public ConnectionSet {
 public:
  ~ScopedConnectionSet() { disconnect(); }
};

template <class F>
class Signal;

template <class... Args>
class Signal<void(Args...)> {
 public:
  using Function = std::function<void(Args...)>;
  Signal() = default;
  Signal(const Signal&) {} /* listeners of one object are not those of its copy */
  Signal& operator=(const Signal&) { return *this; }
  Connection connect(Function function) {
    auto slot = std::make_shared<Connection::Slot>();
    slots_.emplace_back(slot, std::move(function));
    return Connection(slot);
  }
  void operator()(Args... args) {
    if (slots_.empty()) return;
    auto called = slots_; /* a listener may connect others */
    for (auto& [slot, function] : called)
      if (slot->is_connected && !slot->is_blocked) function(args...);
    std::vector<std::pair<std::shared_ptr<Connection::Slot>, Function>> left;
    for (auto& one : slots_)
      if (one.first->is_connected) left.push_back(one);
    slots_.swap(left);
  }
  bool hasConnections() const { return !slots_.empty(); }
  bool empty() const { return slots_.empty(); }
  void disconnectAllSlots() { slots_.clear(); }

 private:
  std::vector<std::pair<std::shared_ptr<Connection::Slot>, Function>> slots_;
};

/* What others may connect to, but not emit. */
template <class F>
class SignalProxy {
 public:
  SignalProxy(Signal<F>& signal) : signal_(&signal) {}
  template <class Function>
  Connection connect(Function function) {
    return signal_->connect(std::move(function));
  }

 private:
  Signal<F>* signal_;
};

}  // namespace cnoid
