#include "cnoid/src/BodyStates.h"

namespace cnoid {

void BodyStateBlock::storeStateOfBody(const Body* body) {
  for (int k = 0; k < std::min(links_, body->numLinks()); ++k) linkPosition(k).set(body->link(k)->T());
  for (int k = 0; k < std::min(joints_, body->numAllJoints()); ++k) jointDisplacement(k) = body->joint(k)->q();
}

bool BodyStateBlock::restoreStateToBody(Body* body) const {
  const int joints = std::min(joints_, body->numAllJoints()), links = std::min(links_, body->numLinks());
  for (int k = 0; k < joints; ++k) body->joint(k)->q() = jointDisplacement(k);
  if (links > 0) {
    body->rootLink()->T() = linkPosition(0).T();
    body->calcForwardKinematics();
    for (int k = 1; k < links; ++k) body->link(k)->T() = linkPosition(k).T();
  }
  return links > 0 || joints > 0;
}

BodyState& operator<<(BodyState& state, const Body& body) {
  state.storeStateOfBody(&body);
  return state;
}
const BodyState& operator>>(const BodyState& state, Body& body) {
  state.restoreStateToBody(&body);
  return state;
}
Body& operator<<(Body& body, const BodyState& state) {
  state.restoreStateToBody(&body);
  return body;
}
const Body& operator>>(const Body& body, BodyState& state) {
  state.storeStateOfBody(&body);
  return body;
}

}  // namespace cnoid
