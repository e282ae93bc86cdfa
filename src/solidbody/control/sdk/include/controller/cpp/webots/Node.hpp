/* Nodes of the world, as supervisors see them. */

#ifndef WEBOTS_NODE_HPP
#define WEBOTS_NODE_HPP

#include <map>
#include <string>
#include "../../c/webots/supervisor.h"
#include "text.hpp"

namespace webots {

class Field;
class Proto;

typedef WbContactPoint ContactPoint;

class Node {
public:
  typedef enum {
    NO_NODE = WB_NODE_NO_NODE,
    APPEARANCE = WB_NODE_APPEARANCE,
    BACKGROUND = WB_NODE_BACKGROUND,
    BILLBOARD = WB_NODE_BILLBOARD,
    BOX = WB_NODE_BOX,
    CAD_SHAPE = WB_NODE_CAD_SHAPE,
    CAPSULE = WB_NODE_CAPSULE,
    COLOR = WB_NODE_COLOR,
    CONE = WB_NODE_CONE,
    COORDINATE = WB_NODE_COORDINATE,
    CYLINDER = WB_NODE_CYLINDER,
    DIRECTIONAL_LIGHT = WB_NODE_DIRECTIONAL_LIGHT,
    ELEVATION_GRID = WB_NODE_ELEVATION_GRID,
    FOG = WB_NODE_FOG,
    GROUP = WB_NODE_GROUP,
    IMAGE_TEXTURE = WB_NODE_IMAGE_TEXTURE,
    INDEXED_FACE_SET = WB_NODE_INDEXED_FACE_SET,
    INDEXED_LINE_SET = WB_NODE_INDEXED_LINE_SET,
    MATERIAL = WB_NODE_MATERIAL,
    MESH = WB_NODE_MESH,
    MUSCLE = WB_NODE_MUSCLE,
    NORMAL = WB_NODE_NORMAL,
    PBR_APPEARANCE = WB_NODE_PBR_APPEARANCE,
    PLANE = WB_NODE_PLANE,
    POINT_LIGHT = WB_NODE_POINT_LIGHT,
    POINT_SET = WB_NODE_POINT_SET,
    POSE = WB_NODE_POSE,
    SHAPE = WB_NODE_SHAPE,
    SPHERE = WB_NODE_SPHERE,
    SPOT_LIGHT = WB_NODE_SPOT_LIGHT,
    TEXTURE_COORDINATE = WB_NODE_TEXTURE_COORDINATE,
    TEXTURE_TRANSFORM = WB_NODE_TEXTURE_TRANSFORM,
    TRANSFORM = WB_NODE_TRANSFORM,
    VIEWPOINT = WB_NODE_VIEWPOINT,
    ROBOT = WB_NODE_ROBOT,
    ACCELEROMETER = WB_NODE_ACCELEROMETER,
    ALTIMETER = WB_NODE_ALTIMETER,
    BRAKE = WB_NODE_BRAKE,
    CAMERA = WB_NODE_CAMERA,
    COMPASS = WB_NODE_COMPASS,
    CONNECTOR = WB_NODE_CONNECTOR,
    DISPLAY = WB_NODE_DISPLAY,
    DISTANCE_SENSOR = WB_NODE_DISTANCE_SENSOR,
    EMITTER = WB_NODE_EMITTER,
    GPS = WB_NODE_GPS,
    GYRO = WB_NODE_GYRO,
    INERTIAL_UNIT = WB_NODE_INERTIAL_UNIT,
    LED = WB_NODE_LED,
    LIDAR = WB_NODE_LIDAR,
    LIGHT_SENSOR = WB_NODE_LIGHT_SENSOR,
    LINEAR_MOTOR = WB_NODE_LINEAR_MOTOR,
    PEN = WB_NODE_PEN,
    POSITION_SENSOR = WB_NODE_POSITION_SENSOR,
    PROPELLER = WB_NODE_PROPELLER,
    RADAR = WB_NODE_RADAR,
    RANGE_FINDER = WB_NODE_RANGE_FINDER,
    RECEIVER = WB_NODE_RECEIVER,
    ROTATIONAL_MOTOR = WB_NODE_ROTATIONAL_MOTOR,
    SKIN = WB_NODE_SKIN,
    SPEAKER = WB_NODE_SPEAKER,
    TOUCH_SENSOR = WB_NODE_TOUCH_SENSOR,
    VACUUM_GRIPPER = WB_NODE_VACUUM_GRIPPER,
    BALL_JOINT = WB_NODE_BALL_JOINT,
    BALL_JOINT_PARAMETERS = WB_NODE_BALL_JOINT_PARAMETERS,
    CHARGER = WB_NODE_CHARGER,
    CONTACT_PROPERTIES = WB_NODE_CONTACT_PROPERTIES,
    DAMPING = WB_NODE_DAMPING,
    FLUID = WB_NODE_FLUID,
    FOCUS = WB_NODE_FOCUS,
    HINGE_JOINT = WB_NODE_HINGE_JOINT,
    HINGE_JOINT_PARAMETERS = WB_NODE_HINGE_JOINT_PARAMETERS,
    HINGE_2_JOINT = WB_NODE_HINGE_2_JOINT,
    IMMERSION_PROPERTIES = WB_NODE_IMMERSION_PROPERTIES,
    JOINT_PARAMETERS = WB_NODE_JOINT_PARAMETERS,
    LENS = WB_NODE_LENS,
    LENS_FLARE = WB_NODE_LENS_FLARE,
    PHYSICS = WB_NODE_PHYSICS,
    RECOGNITION = WB_NODE_RECOGNITION,
    SLIDER_JOINT = WB_NODE_SLIDER_JOINT,
    SLOT = WB_NODE_SLOT,
    SOLID = WB_NODE_SOLID,
    SOLID_REFERENCE = WB_NODE_SOLID_REFERENCE,
    TRACK = WB_NODE_TRACK,
    TRACK_WHEEL = WB_NODE_TRACK_WHEEL,
    WORLD_INFO = WB_NODE_WORLD_INFO,
    ZOOM = WB_NODE_ZOOM,
    MICROPHONE = WB_NODE_MICROPHONE,
    RADIO = WB_NODE_RADIO,
    CUBEMAP = WB_NODE_CUBEMAP,
    DIFFERENTIAL_WHEELS = WB_NODE_DIFFERENTIAL_WHEELS,
    SERVO = WB_NODE_SERVO,
    SUPERVISOR = WB_NODE_SUPERVISOR
  } Type;

  virtual void remove() { wb_supervisor_node_remove(ref); }
  int getId() const { return wb_supervisor_node_get_id(ref); }
  Type getType() const { return static_cast<Type>(wb_supervisor_node_get_type(ref)); }
  std::string getDef() const { return sb::text(wb_supervisor_node_get_def(ref)); }
  std::string getTypeName() const { return sb::text(wb_supervisor_node_get_type_name(ref)); }
  std::string getBaseTypeName() const { return sb::text(wb_supervisor_node_get_base_type_name(ref)); }
  Node *getParentNode() const { return findNode(wb_supervisor_node_get_parent_node(ref)); }
  bool isProto() const { return wb_supervisor_node_is_proto(ref); }
  Proto *getProto() const;
  Node *getFromProtoDef(const std::string &name) const {
    return findNode(wb_supervisor_node_get_from_proto_def(ref, name.c_str()));
  }
  std::string exportString() const { return sb::text(wb_supervisor_node_export_string(ref)); }

  int getNumberOfFields() const { return wb_supervisor_node_get_number_of_fields(ref); }
  Field *getField(const std::string &fieldName) const;
  Field *getFieldByIndex(int index) const;
  int getNumberOfBaseNodeFields() const { return wb_supervisor_node_get_number_of_base_node_fields(ref); }
  Field *getBaseNodeField(const std::string &fieldName) const;
  Field *getBaseNodeFieldByIndex(int index) const;

  const double *getPosition() const { return wb_supervisor_node_get_position(ref); }
  const double *getOrientation() const { return wb_supervisor_node_get_orientation(ref); }
  const double *getPose(const Node *fromNode = NULL) const {
    return wb_supervisor_node_get_pose(ref, refOf(fromNode));
  }
  void enablePoseTracking(int samplingPeriod, const Node *fromNode = NULL) const {
    wb_supervisor_node_enable_pose_tracking(ref, samplingPeriod, refOf(fromNode));
  }
  void disablePoseTracking(const Node *fromNode = NULL) const {
    wb_supervisor_node_disable_pose_tracking(ref, refOf(fromNode));
  }

  const double *getCenterOfMass() const { return wb_supervisor_node_get_center_of_mass(ref); }
  ContactPoint *getContactPoints(bool includeDescendants, int *size) const {
    return wb_supervisor_node_get_contact_points(ref, includeDescendants, size);
  }
  const double *getContactPoint(int index) const { return wb_supervisor_node_get_contact_point(ref, index); }
  Node *getContactPointNode(int index) const {
    return findNode(wb_supervisor_node_get_contact_point_node(ref, index));
  }
  int getNumberOfContactPoints(bool includeDescendants = false) const {
    return wb_supervisor_node_get_number_of_contact_points(ref, includeDescendants);
  }
  void enableContactPointsTracking(int samplingPeriod, bool includeDescendants = false) const {
    wb_supervisor_node_enable_contact_points_tracking(ref, samplingPeriod, includeDescendants);
  }
  void disableContactPointsTracking(bool = false) const { wb_supervisor_node_disable_contact_points_tracking(ref); }
  void enableContactPointTracking(int samplingPeriod, bool includeDescendants = false) const {
    enableContactPointsTracking(samplingPeriod, includeDescendants);
  }
  void disableContactPointTracking(bool = false) const { disableContactPointsTracking(); }
  bool getStaticBalance() const { return wb_supervisor_node_get_static_balance(ref); }
  const double *getVelocity() const { return wb_supervisor_node_get_velocity(ref); }
  void setVelocity(const double velocity[6]) { wb_supervisor_node_set_velocity(ref, velocity); }
  void addForce(const double force[3], bool relative) { wb_supervisor_node_add_force(ref, force, relative); }
  void addForceWithOffset(const double force[3], const double offset[3], bool relative) {
    wb_supervisor_node_add_force_with_offset(ref, force, offset, relative);
  }
  void addTorque(const double torque[3], bool relative) {
    wb_supervisor_node_add_torque(ref, torque, relative);
  }
  void resetPhysics() { wb_supervisor_node_reset_physics(ref); }
  void setJointPosition(double position, int index = 1) {
    wb_supervisor_node_set_joint_position(ref, position, index);
  }

  void saveState(const std::string &stateName) { wb_supervisor_node_save_state(ref, stateName.c_str()); }
  void loadState(const std::string &stateName) { wb_supervisor_node_load_state(ref, stateName.c_str()); }
  void restartController() { wb_supervisor_node_restart_controller(ref); }
  void moveViewpoint() const { wb_supervisor_node_move_viewpoint(ref); }
  void setVisibility(Node *from, bool visible) {
    wb_supervisor_node_set_visibility(ref, refOf(from), visible);
  }

  // of older releases
  Field *getProtoField(const std::string &fieldName) const { return getBaseNodeField(fieldName); }
  Field *getProtoFieldByIndex(int index) const { return getBaseNodeFieldByIndex(index); }
  int getProtoNumberOfFields() const { return getNumberOfBaseNodeFields(); }

  // the same node is always the same object
  static Node *findNode(WbNodeRef ref) {
    if (!ref)
      return NULL;
    Node *&found = all()[ref];
    if (!found)
      found = new Node(ref);
    return found;
  }
  static void cleanup() {
    for (std::map<WbNodeRef, Node *>::iterator i = all().begin(); i != all().end(); ++i)
      delete i->second;
    all().clear();
  }

private:
  explicit Node(WbNodeRef ref) : ref(ref) {}
  virtual ~Node() {}
  static WbNodeRef refOf(const Node *node) { return node ? node->ref : NULL; }
  static std::map<WbNodeRef, Node *> &all() {
    static std::map<WbNodeRef, Node *> nodes;
    return nodes;
  }

  WbNodeRef ref;
};

}  // namespace webots

#include "Field.hpp"

#endif
