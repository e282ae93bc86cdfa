/* Shapes of links are not told to controllers: these classes have only names here. */

#pragma once

#include "References.h"

namespace cnoid {

class SgObject;
class SgNode;
class SgGroup;
class SgTransform;
class SgPosTransform;
class SgShape;
class SgMesh;
class SgMaterial;
class SgUpdate;

}  // namespace cnoid
