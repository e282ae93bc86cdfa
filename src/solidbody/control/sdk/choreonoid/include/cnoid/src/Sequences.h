/* Sequences of frames, and motions of bodies that are made of them. */

#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "Body.h"
#include "BodyStates.h"
#include "Messages.h"
#include "SE3.h"
#include "Values.h"

namespace cnoid {

class AbstractSeq {
 public:
  explicit AbstractSeq(const char* type) : type_(type) {}
  virtual ~AbstractSeq() = default;
  virtual std::shared_ptr<AbstractSeq> cloneSeq() const = 0;
  const std::string& seqType() const { return type_; }
  const std::string& seqContentName() const { return content_; }
  virtual void setSeqContentName(const std::string& name) { content_ = name; }
  static double defaultFrameRate() { return 1000.0; }
  virtual double getFrameRate() const { return rate_; }
  virtual void setFrameRate(double rate) { rate_ = rate; }
  double frameRate() const { return getFrameRate(); }
  double timeStep() const { return getTimeStep(); }
  double getTimeStep() const { return getFrameRate() > 0.0 ? 1.0 / getFrameRate() : 0.0; }
  void setTimeStep(double step) { setFrameRate(1.0 / step); }
  virtual double getOffsetTime() const { return offset_; }
  virtual void setOffsetTime(double time) { offset_ = time; }
  double offsetTime() const { return offset_; }
  double getTimeOfFrame(int frame) const { return frame * getTimeStep() + offset_; }
  int getFrameOfTime(double time) const { return static_cast<int>((time - offset_) * getFrameRate()); }
  virtual int getNumFrames() const = 0;
  virtual void setNumFrames(int count, bool fill = false) = 0;
  double getTimeLength() const { return getNumFrames() * getTimeStep(); }
  double timeLength() const { return getTimeLength(); }
  void setTimeLength(double length, bool fill = false) {
    setNumFrames(static_cast<int>(length * getFrameRate()), fill);
  }
  int clampFrameIndex(int frame) const {
    return frame < 0 ? 0 : frame < getNumFrames() ? frame : getNumFrames() - 1;
  }
  bool readSeq(const Mapping* archive, std::ostream& messages = nullout());
  const std::string& seqMessage() const { return message_; }

 protected:
  virtual bool doReadSeq(const Mapping*, std::ostream&) { return false; }
  std::string message_;

 private:
  std::string type_, content_;
  double rate_ = defaultFrameRate(), offset_ = 0.0;
};

/* One row of a sequence. It refers to the sequence, as a pointer does. */
template <class T>
class SeqFrame {
 public:
  using iterator = T*;
  SeqFrame() = default;
  SeqFrame(T* data, int size) : data_(data), size_(size) {}
  int size() const { return size_; }
  bool empty() const { return !size_; }
  T& operator[](int part) const { return data_[part]; }
  T& at(int part) const { return data_[part]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }

 private:
  T* data_ = nullptr;
  int size_ = 0;
};

/* One column of a sequence. */
template <class T>
class SeqPart {
 public:
  SeqPart(T* data, int size, int stride) : data_(data), size_(size), stride_(stride) {}
  int size() const { return size_; }
  T& operator[](int frame) const { return data_[static_cast<std::size_t>(frame) * stride_]; }

 private:
  T* data_;
  int size_, stride_;
};

template <class T>
class MultiSeq : public AbstractSeq {
 public:
  using value_type = T;
  using Element = T;
  using Frame = SeqFrame<T>;
  using ConstFrame = SeqFrame<const T>;
  using Part = SeqPart<T>;
  explicit MultiSeq(const char* type) : AbstractSeq(type) {}
  MultiSeq(const char* type, int frames, int parts) : AbstractSeq(type) { setDimension(frames, parts); }

  int numFrames() const { return frames_; }
  int getNumFrames() const override { return frames_; }
  int numParts() const { return parts_; }
  int getNumParts() const { return parts_; }
  bool empty() const { return !frames_; }
  void setNumFrames(int frames, bool fill = false) override { setDimension(frames, parts_, fill); }
  void setNumParts(int parts, bool fill = false) { setDimension(frames_, parts, fill); }
  void setDimension(int frames, int parts, bool fill = false) {
    std::vector<T, Eigen::aligned_allocator<T>> next(static_cast<std::size_t>(frames) * parts, zero());
    const int kept = std::min(parts, parts_);
    for (int k = 0; k < frames; ++k) {
      if (!frames_ || (k >= frames_ && !fill)) break;
      const int from = std::min(k, frames_ - 1);
      for (int part = 0; part < kept; ++part)
        next[static_cast<std::size_t>(k) * parts + part] = values_[static_cast<std::size_t>(from) * parts_ + part];
    }
    values_.swap(next);
    frames_ = frames;
    parts_ = parts;
  }
  Frame frame(int k) { return Frame(row(k), parts_); }
  ConstFrame frame(int k) const { return ConstFrame(const_cast<MultiSeq*>(this)->row(k), parts_); }
  Frame clampedFrame(int k) { return frame(clampFrameIndex(k)); }
  ConstFrame clampedFrame(int k) const { return frame(clampFrameIndex(k)); }
  Frame operator[](int k) { return frame(k); }
  Part part(int k) { return Part(values_.data() + k, frames_, parts_); }
  T& at(int frame, int part) { return row(frame)[part]; }
  const T& at(int frame, int part) const { return const_cast<MultiSeq*>(this)->row(frame)[part]; }
  T& operator()(int frame, int part) { return row(frame)[part]; }
  Frame appendFrame() {
    setDimension(frames_ + 1, parts_);
    return frame(frames_ - 1);
  }

 protected:
  virtual T zero() const { return T(); }

 private:
  T* row(int k) { return values_.data() + static_cast<std::size_t>(k) * parts_; }
  std::vector<T, Eigen::aligned_allocator<T>> values_;
  int frames_ = 0, parts_ = 0;
};

class MultiValueSeq : public MultiSeq<double> {
 public:
  MultiValueSeq() : MultiSeq("MultiValueSeq") {}
  MultiValueSeq(int frames, int parts = 1, bool = false) : MultiSeq("MultiValueSeq", frames, parts) {}
  /* Lines of numbers: the time, then the values. */
  bool loadPlainFormat(const std::string& file, std::ostream& messages = nullout());
  bool saveAsPlainFormat(const std::string& file, std::ostream& messages = nullout()) const;

  std::shared_ptr<AbstractSeq> cloneSeq() const override { return std::make_shared<MultiValueSeq>(*this); }

 protected:
  bool doReadSeq(const Mapping* archive, std::ostream& messages) override;
};
using MultiValueSeqPtr = std::shared_ptr<MultiValueSeq>;

class MultiSE3Seq : public MultiSeq<SE3> {
 public:
  MultiSE3Seq() : MultiSeq("MultiSE3Seq") {}
  MultiSE3Seq(int frames, int parts = 1, bool = false) : MultiSeq("MultiSE3Seq", frames, parts) {}

  std::shared_ptr<AbstractSeq> cloneSeq() const override { return std::make_shared<MultiSE3Seq>(*this); }

 protected:
  bool doReadSeq(const Mapping* archive, std::ostream& messages) override;
};
using MultiSE3SeqPtr = std::shared_ptr<MultiSE3Seq>;

template <class T>
class Seq : public AbstractSeq {
 public:
  using value_type = T;
  explicit Seq(const char* type, int frames = 0) : AbstractSeq(type) {
    for (int k = 0; k < frames; ++k) frames_.emplace_back();
  }
  int numFrames() const { return static_cast<int>(frames_.size()); }
  int getNumFrames() const override { return numFrames(); }
  void setNumFrames(int count, bool fill = false) override {
    frames_.resize(count, fill && !frames_.empty() ? T(frames_.back()) : zero());
  }
  void resize(int count) { setNumFrames(count); }
  void clear() { frames_.clear(); }
  bool empty() const { return frames_.empty(); }
  T& operator[](int k) { return frames_[k]; }
  const T& operator[](int k) const { return frames_[k]; }
  T& frame(int k) { return frames_[k]; }
  const T& frame(int k) const { return frames_[k]; }
  T& at(int k) { return frames_[k]; }
  const T& at(int k) const { return frames_[k]; }
  T& front() { return frames_.front(); }
  const T& front() const { return frames_.front(); }
  T& back() { return frames_.back(); }
  const T& back() const { return frames_.back(); }
  void append(const T& one) { frames_.push_back(one); }
  T& append() {
    frames_.push_back(zero());
    return frames_.back();
  }
  void popFront() { frames_.pop_front(); }
  void popBack() { frames_.pop_back(); }

 protected:
  virtual T zero() const { return T(); }

 private:
  std::deque<T, Eigen::aligned_allocator<T>> frames_;
};

class Vector3Seq : public Seq<Vector3> {
 public:
  explicit Vector3Seq(int frames = 0) : Seq("Vector3Seq", frames) {}
  std::shared_ptr<AbstractSeq> cloneSeq() const override { return std::make_shared<Vector3Seq>(*this); }

 protected:
  explicit Vector3Seq(const char* type) : Seq(type) {}
  Vector3 zero() const override { return Vector3::Zero(); }
  bool doReadSeq(const Mapping* archive, std::ostream& messages) override;
};

/* Where the ground carries a body. */
class ZMPSeq : public Vector3Seq {
 public:
  ZMPSeq() : Vector3Seq("ZMPSeq") {}
  bool isRootRelative() const { return is_root_relative_; }
  void setRootRelative(bool on) { is_root_relative_ = on; }
  std::shared_ptr<AbstractSeq> cloneSeq() const override { return std::make_shared<ZMPSeq>(*this); }

 protected:
  bool doReadSeq(const Mapping* archive, std::ostream& messages) override;

 private:
  bool is_root_relative_ = false;
};

/* States of a body over time. What is allocated without numbers has as many links and joints as the hints say. */
class BodyStateSeq : public Seq<BodyState> {
 public:
  explicit BodyStateSeq(int frames = 0) : Seq("BodyStateSeq", frames) {}
  int numLinkPositionsHint() const { return links_; }
  void setNumLinkPositionsHint(int count) { links_ = count; }
  int numJointDisplacementsHint() const { return joints_; }
  void setNumJointDisplacementsHint(int count) { joints_ = count; }
  int numDeviceStatesHint() const { return 0; }
  void setNumDeviceStatesHint(int) {}
  BodyState& appendAllocatedFrame() { return append().allocate(links_, joints_); }
  BodyState& allocateFrame(int k, int links, int joints, int = 0) {
    if (k >= numFrames()) setNumFrames(k + 1);
    return frame(k).allocate(links, joints);
  }
  BodyState& allocateFrame(int k) { return allocateFrame(k, links_, joints_); }
  std::shared_ptr<AbstractSeq> cloneSeq() const override { return std::make_shared<BodyStateSeq>(*this); }
  BodyStateBlock frameBlock(int k) { return frame(k).firstBlock(); }
  const BodyStateBlock frameBlock(int k) const { return frame(k).firstBlock(); }

 private:
  int links_ = 0, joints_ = 0;
};
using BodyPositionSeq = BodyStateSeq;

/* Positions of joints and places of links over time, with others that belong to them. */
class BodyMotion : public AbstractSeq {
 public:
  using ExtraSeqMap = std::map<std::string, std::shared_ptr<AbstractSeq>>;
  BodyMotion();
  BodyMotion(const BodyMotion& other);
  BodyMotion& operator=(const BodyMotion& other);
  double getFrameRate() const override { return joints_->getFrameRate(); }
  void setFrameRate(double rate) override;
  int numFrames() const { return getNumFrames(); }
  int getNumFrames() const override;
  void setNumFrames(int count, bool fill = false) override;
  void setDimension(int frames, int joints, int links, bool fill = false);
  int numJoints() const { return joints_->numParts(); }
  int numLinks() const { return links_->numParts(); }
  std::shared_ptr<MultiValueSeq> jointPosSeq() { return joints_; }
  std::shared_ptr<const MultiValueSeq> jointPosSeq() const { return joints_; }
  std::shared_ptr<MultiSE3Seq> linkPosSeq() { return links_; }
  std::shared_ptr<const MultiSE3Seq> linkPosSeq() const { return links_; }
  std::shared_ptr<BodyStateSeq> stateSeq() { return states_; }
  std::shared_ptr<const BodyStateSeq> stateSeq() const { return states_; }
  std::shared_ptr<BodyStateSeq> positionSeq() { return states_; }
  std::shared_ptr<const BodyStateSeq> positionSeq() const { return states_; }

  /* Frames are kept as states and as two sequences. What was written to one side goes to the other when it is
     told to; a file fills both. */
  void updateJointPosSeqWithBodyStateSeq();
  void updateLinkPosSeqWithBodyStateSeq();
  void updateBodyStateSeqWithLinkPosSeqAndJointPosSeq();
  void updateLinkPosSeqAndJointPosSeqWithBodyStateSeq() {
    updateLinkPosSeqWithBodyStateSeq();
    updateJointPosSeqWithBodyStateSeq();
  }
  void updateJointPosSeqWithBodyPositionSeq() { updateJointPosSeqWithBodyStateSeq(); }
  void updateLinkPosSeqWithBodyPositionSeq() { updateLinkPosSeqWithBodyStateSeq(); }
  void updateLinkPosSeqAndJointPosSeqWithBodyPositionSeq() { updateLinkPosSeqAndJointPosSeqWithBodyStateSeq(); }
  void updateBodyPositionSeqWithLinkPosSeqAndJointPosSeq() { updateBodyStateSeqWithLinkPosSeqAndJointPosSeq(); }

  class Frame {
   public:
    Frame(const BodyMotion& motion, int frame) : motion_(&motion), frame_(frame) {}
    const BodyMotion& motion() const { return *motion_; }
    int frame() const { return frame_; }

   private:
    const BodyMotion* motion_;
    int frame_;
  };
  using ConstFrame = Frame;
  Frame frame(int frame) const { return Frame(*this, frame); }

  std::shared_ptr<AbstractSeq> cloneSeq() const override { return std::make_shared<BodyMotion>(*this); }

  bool load(const std::string& file, std::ostream& messages = nullout());
  template <class Seq>
  std::shared_ptr<Seq> extraSeq(const std::string& name) const {
    auto found = extra_.find(name);
    return found == extra_.end() ? nullptr : std::dynamic_pointer_cast<Seq>(found->second);
  }
  void setExtraSeq(std::shared_ptr<AbstractSeq> seq) { extra_[seq->seqContentName()] = std::move(seq); }
  template <class Seq>
  std::shared_ptr<Seq> getOrCreateExtraSeq(const std::string& name) {
    auto found = extraSeq<Seq>(name);
    if (!found) {
      found = std::make_shared<Seq>();
      found->setSeqContentName(name);
      extra_[name] = found;
    }
    return found;
  }
  const ExtraSeqMap& extraSeqs() const { return extra_; }
  bool hasExtraSeqs() const { return !extra_.empty(); }

 protected:
  bool doReadSeq(const Mapping* archive, std::ostream& messages) override;

 private:
  std::shared_ptr<MultiValueSeq> joints_ = std::make_shared<MultiValueSeq>();
  std::shared_ptr<MultiSE3Seq> links_ = std::make_shared<MultiSE3Seq>();
  std::shared_ptr<BodyStateSeq> states_ = std::make_shared<BodyStateSeq>();
  ExtraSeqMap extra_;
};
using BodyMotionPtr = std::shared_ptr<BodyMotion>;

/* Puts a body where a motion has it. */
BodyMotion::ConstFrame operator>>(const BodyMotion::ConstFrame& frame, Body& body);
std::shared_ptr<ZMPSeq> getZMPSeq(const BodyMotion& motion);
std::shared_ptr<ZMPSeq> getOrCreateZMPSeq(BodyMotion& motion);

}  // namespace cnoid
