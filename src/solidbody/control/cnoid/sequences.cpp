/* Sequences and motions, as `.seq` and `.yaml` files have them. */

#include "cnoid/src/Sequences.h"

#include <fstream>
#include <sstream>

namespace cnoid {

bool AbstractSeq::readSeq(const Mapping* archive, std::ostream& messages) {
  message_.clear();
  try {
    archive->read("content", content_);
    archive->read("purpose", content_); /* of old files */
    double rate;
    if (archive->read({"frame_rate", "frameRate"}, rate)) setFrameRate(rate);
    return doReadSeq(archive, messages);
  } catch (const ValueNode::Exception& problem) {
    message_ = problem.what();
    messages << message_ << std::endl;
    return false;
  }
}

static const Listing& frames_of(const Mapping* archive) { return *archive->get("frames")->toListing(); }

static int count_of(const Mapping* archive, std::initializer_list<const char*> keys, int otherwise) {
  const int count = archive->get(keys, otherwise);
  if (count < 0 || count > 1 << 20) throw ValueNode::Exception("a sequence has a wrong number of frames or parts");
  return count;
}

bool MultiValueSeq::doReadSeq(const Mapping* archive, std::ostream&) {
  const Listing& frames = frames_of(archive);
  const int first = frames.empty() ? 0 : frames.at(0)->toListing()->size();
  const int parts = count_of(archive, {"num_parts", "numParts"}, first);
  setDimension(frames.size(), parts);
  for (int k = 0; k < frames.size(); ++k) {
    const Listing& row = *frames.at(k)->toListing();
    if (row.size() != parts)
      throw ValueNode::Exception("line " + std::to_string(row.line()) + ": expected " + std::to_string(parts) +
                                 " values, got " + std::to_string(row.size()));
    for (int part = 0; part < parts; ++part) at(k, part) = row.at(part)->toDouble();
  }
  return true;
}

bool MultiValueSeq::loadPlainFormat(const std::string& file, std::ostream& messages) {
  std::ifstream in(file);
  std::vector<std::vector<double>> rows;
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::vector<double> row;
    for (double value; words >> value;) row.push_back(value);
    if (row.empty()) continue;
    if (!rows.empty() && row.size() != rows.front().size()) {
      message_ = "\"" + file + "\": lines have different numbers of values";
      messages << message_ << std::endl;
      return false;
    }
    rows.push_back(row);
  }
  if (rows.size() < 2) {
    message_ = "\"" + file + "\" has no frames";
    messages << message_ << std::endl;
    return false;
  }
  const int parts = static_cast<int>(rows.front().size()) - 1;
  setDimension(static_cast<int>(rows.size()), parts);
  setTimeStep(rows[1][0] - rows[0][0]);
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (int part = 0; part < parts; ++part) at(static_cast<int>(k), part) = rows[k][part + 1];
  return true;
}

bool MultiValueSeq::saveAsPlainFormat(const std::string& file, std::ostream& messages) const {
  std::ofstream out(file);
  for (int k = 0; k < numFrames(); ++k) {
    out << getTimeOfFrame(k);
    for (int part = 0; part < numParts(); ++part) out << " " << at(k, part);
    out << "\n";
  }
  if (!out) messages << "\"" << file << "\" cannot be written" << std::endl;
  return bool(out);
}

/* Places in the orders that files have: "XYZQWQXQYQZ" and others, or, of old files, axis first. */
bool MultiSE3Seq::doReadSeq(const Mapping* archive, std::ostream&) {
  const Listing& frames = frames_of(archive);
  const std::string order = archive->get("format", archive->get("SE3Format", "XYZQWQXQYQZ"));
  const int first = frames.empty() ? 0 : frames.at(0)->toListing()->size();
  setDimension(frames.size(), count_of(archive, {"num_parts", "numParts"}, first));
  const bool is_scalar_last = order == "XYZQXQYQZQW", is_rpy = order == "XYZRPY";
  for (int k = 0; k < frames.size(); ++k) {
    const Listing& row = *frames.at(k)->toListing();
    for (int part = 0; part < std::min(numParts(), row.size()); ++part) {
      const Listing& given = *row.at(part)->toListing();
      double x[7] = {};
      for (int n = 0; n < std::min(given.size(), 7); ++n) x[n] = given.at(n)->toDouble();
      const Vector3 p(x[0], x[1], x[2]);
      if (is_rpy) at(k, part).set(p, rotFromRpy(x[3], x[4], x[5]));
      else if (is_scalar_last) at(k, part).set(p, Quaternion(x[6], x[3], x[4], x[5]));
      else at(k, part).set(p, Quaternion(x[3], x[4], x[5], x[6]));
    }
  }
  return true;
}

bool Vector3Seq::doReadSeq(const Mapping* archive, std::ostream&) {
  const Listing& frames = frames_of(archive);
  setNumFrames(frames.size());
  for (int k = 0; k < frames.size(); ++k) {
    const Listing& row = *frames.at(k)->toListing();
    const int offset = row.size() > 3 ? 1 : 0; /* old files begin with the time */
    for (int n = 0; n < 3; ++n) at(k)[n] = row.at(n + offset)->toDouble();
  }
  return true;
}

bool ZMPSeq::doReadSeq(const Mapping* archive, std::ostream& messages) {
  setRootRelative(archive->get({"is_root_relative", "isRootRelative"}, false));
  return Vector3Seq::doReadSeq(archive, messages);
}

/* ------------------------------------------------------------------ motions of bodies */

BodyMotion::BodyMotion() : AbstractSeq("BodyMotion") {
  setSeqContentName("BodyMotion");
  joints_->setSeqContentName("JointDisplacement");
  links_->setSeqContentName("LinkPosition");
}

BodyMotion::BodyMotion(const BodyMotion& other)
    : AbstractSeq(other),
      joints_(std::make_shared<MultiValueSeq>(*other.joints_)),
      links_(std::make_shared<MultiSE3Seq>(*other.links_)),
      states_(std::make_shared<BodyStateSeq>(*other.states_)) {
  for (auto& [name, seq] : other.extra_) extra_[name] = seq->cloneSeq();
}

BodyMotion& BodyMotion::operator=(const BodyMotion& other) {
  BodyMotion copy(other);
  AbstractSeq::operator=(copy);
  joints_.swap(copy.joints_);
  links_.swap(copy.links_);
  states_.swap(copy.states_);
  extra_.swap(copy.extra_);
  return *this;
}

void BodyMotion::setFrameRate(double rate) {
  joints_->setFrameRate(rate);
  links_->setFrameRate(rate);
  states_->setFrameRate(rate);
  for (auto& [name, seq] : extra_) seq->setFrameRate(rate);
}

int BodyMotion::getNumFrames() const {
  return std::max({joints_->numFrames(), links_->numFrames(), states_->numFrames()});
}

void BodyMotion::setNumFrames(int count, bool fill) {
  joints_->setNumFrames(count, fill);
  links_->setNumFrames(count, fill);
  states_->setNumFrames(count, fill);
}

void BodyMotion::setDimension(int frames, int joints, int links, bool fill) {
  joints_->setDimension(frames, joints, fill);
  links_->setDimension(frames, links, fill);
  updateBodyStateSeqWithLinkPosSeqAndJointPosSeq();
}

void BodyMotion::updateJointPosSeqWithBodyStateSeq() {
  const int count = states_->numFrames();
  int parts = 0;
  for (int k = 0; k < count; ++k) parts = std::max(parts, states_->frame(k).numJointDisplacements());
  joints_->setDimension(count, parts);
  for (int k = 0; k < count; ++k) {
    const BodyState& state = states_->frame(k);
    std::copy_n(state.jointDisplacements(), state.numJointDisplacements(), joints_->frame(k).begin());
  }
}

void BodyMotion::updateLinkPosSeqWithBodyStateSeq() {
  const int count = states_->numFrames();
  int parts = 0;
  for (int k = 0; k < count; ++k) parts = std::max(parts, states_->frame(k).numLinkPositions());
  links_->setDimension(count, parts);
  for (int k = 0; k < count; ++k)
    for (int part = 0; part < states_->frame(k).numLinkPositions(); ++part)
      states_->frame(k).linkPosition(part).get(links_->at(k, part));
}

void BodyMotion::updateBodyStateSeqWithLinkPosSeqAndJointPosSeq() {
  const int with_links = links_->numFrames(), with_joints = joints_->numFrames();
  const int count = std::max(with_links, with_joints);
  states_->setNumFrames(count);
  states_->setNumLinkPositionsHint(numLinks());
  states_->setNumJointDisplacementsHint(numJoints());
  for (int k = 0; k < count; ++k) {
    const int links = k < with_links ? numLinks() : 0, joints = k < with_joints ? numJoints() : 0;
    BodyState& state = states_->allocateFrame(k, links, joints);
    for (int part = 0; part < links; ++part) state.linkPosition(part).set(links_->at(k, part));
    if (joints) std::copy_n(joints_->frame(k).begin(), joints, state.jointDisplacements());
  }
}

bool BodyMotion::load(const std::string& file, std::ostream& messages) {
  YAMLReader reader;
  try {
    return readSeq(reader.loadDocument(file), messages);
  } catch (const ValueNode::Exception& problem) {
    message_ = problem.what();
    messages << message_ << std::endl;
    return false;
  }
}

/* One sequence that holds all (a row per frame: joints, then links), or components by their content. */
bool BodyMotion::doReadSeq(const Mapping* archive, std::ostream& messages) {
  const Listing& components = *archive->get("components")->toListing();
  for (auto& node : components) {
    const Mapping& part = *node->toMapping();
    const std::string type = part.get("type", ""), content = part.get("content", part.get("purpose", ""));
    std::shared_ptr<AbstractSeq> seq;
    if (content == "JointDisplacement" || content == "JointPosition") seq = joints_;
    else if (content == "LinkPosition") seq = links_;
    else if (type == "MultiValueSeq") seq = std::make_shared<MultiValueSeq>();
    else if (type == "MultiSE3Seq") seq = std::make_shared<MultiSE3Seq>();
    else if (type == "ZMPSeq" || content == "ZMP") seq = std::make_shared<ZMPSeq>();
    else if (type == "Vector3Seq") seq = std::make_shared<Vector3Seq>();
    else continue;
    seq->setFrameRate(archive->get({"frame_rate", "frameRate"}, defaultFrameRate()));
    if (!seq->readSeq(&part, messages)) {
      message_ = seq->seqMessage();
      return false;
    }
    if (seq != joints_ && seq != links_) extra_[content] = seq;
  }
  updateBodyStateSeqWithLinkPosSeqAndJointPosSeq();
  return true;
}

BodyMotion::ConstFrame operator>>(const BodyMotion::ConstFrame& frame, Body& body) {
  const auto states = frame.motion().stateSeq();
  if (frame.frame() < states->numFrames()) states->frame(frame.frame()).restoreStateToBody(&body);
  return frame;
}

std::shared_ptr<ZMPSeq> getZMPSeq(const BodyMotion& motion) { return motion.extraSeq<ZMPSeq>("ZMP"); }
std::shared_ptr<ZMPSeq> getOrCreateZMPSeq(BodyMotion& motion) {
  return motion.getOrCreateExtraSeq<ZMPSeq>("ZMP");
}

}  // namespace cnoid
