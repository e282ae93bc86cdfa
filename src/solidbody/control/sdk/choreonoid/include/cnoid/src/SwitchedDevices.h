/* Devices that programs switch on and off: lights, holders, effects. */

#pragma once

#include "Device.h"

namespace cnoid {

/* A device whose state begins with whether it is on. */
class SwitchedDevice : public Device {
 public:
  bool on() const override { return on_; }
  void on(bool on) override { on_ = on; }
  int stateSize() const override { return 1; }
  const double* readState(const double* from, int) override {
    on_ = *from != 0.0;
    return from + 1;
  }
  double* writeState(double* to) const override {
    *to = on_ ? 1.0 : 0.0;
    return to + 1;
  }

 protected:
  bool on_ = true;
};

class Light : public SwitchedDevice {
 public:
  const Vector3f& color() const { return color_; }
  void setColor(const Vector3f& color) { color_ = color; }
  float intensity() const { return intensity_; }
  void setIntensity(float intensity) { intensity_ = intensity; }
  float ambientIntensity() const { return ambient_; }
  void setAmbientIntensity(float ambient) { ambient_ = ambient; }
  int stateSize() const override { return 5; }
  const double* readState(const double* from, int size) override;
  double* writeState(double* to) const override;

 private:
  Vector3f color_ = Vector3f::Ones();
  float intensity_ = 1.0f, ambient_ = 0.0f;
};
using LightPtr = ref_ptr<Light>;

class PointLight : public Light {
 public:
  const char* typeName() const override { return "PointLight"; }

 protected:
  Referenced* doClone(CloneMap*) const override { return new PointLight(*this); }
};
using PointLightPtr = ref_ptr<PointLight>;

class SpotLight : public PointLight {
 public:
  const char* typeName() const override { return "SpotLight"; }
  float beamWidth() const { return beam_width_; }
  void setBeamWidth(float angle) { beam_width_ = angle; }
  float cutOffAngle() const { return cut_off_; }
  void setCutOffAngle(float angle) { cut_off_ = angle; }
  float cutOffExponent() const { return exponent_; }
  void setCutOffExponent(float exponent) { exponent_ = exponent; }
  const Vector3& direction() const { return direction_; }
  void setDirection(const Vector3& direction) { direction_ = direction; }
  int stateSize() const override { return 7; }
  const double* readState(const double* from, int size) override;
  double* writeState(double* to) const override;

 protected:
  Referenced* doClone(CloneMap*) const override { return new SpotLight(*this); }

 private:
  float beam_width_ = 1.570796f, cut_off_ = 0.785398f, exponent_ = 1.0f;
  Vector3 direction_ = -Vector3::UnitZ();
};
using SpotLightPtr = ref_ptr<SpotLight>;

class DirectionalLight : public Light {
 public:
  const char* typeName() const override { return "DirectionalLight"; }

 protected:
  Referenced* doClone(CloneMap*) const override { return new DirectionalLight(*this); }
};

class MarkerDevice : public SwitchedDevice {
 public:
  const char* typeName() const override { return "MarkerDevice"; }
  double markerSize() const { return size_; }
  void setMarkerSize(double size) { size_ = size; }
  const std::string& markerType() const { return type_; }
  void setMarkerType(const std::string& type) { type_ = type; }
  Vector3f color() const { return color_; }
  void setColor(const Vector3f& color) { color_ = color; }
  Vector3f emission() const { return color_; }
  void setEmission(const Vector3f&) {}
  double transparency() const { return transparency_; }
  void setTransparency(double transparency) { transparency_ = transparency; }
  Vector3 offsetTranslation() const { return offset_; }
  void setOffsetTranslation(const Vector3& offset) { offset_ = offset; }

 protected:
  Referenced* doClone(CloneMap*) const override { return new MarkerDevice(*this); }

 private:
  double size_ = 0.1, transparency_ = 0.0;
  std::string type_ = "cross";
  Vector3f color_ = Vector3f(1, 0, 0);
  Vector3 offset_ = Vector3::Zero();
};
using MarkerDevicePtr = ref_ptr<MarkerDevice>;

class HolderDevice : public SwitchedDevice {
 public:
  HolderDevice() { on_ = false; }
  const char* typeName() const override { return "HolderDevice"; }

 protected:
  Referenced* doClone(CloneMap*) const override { return new HolderDevice(*this); }
};
using HolderDevicePtr = ref_ptr<HolderDevice>;

class AttachmentDevice : public SwitchedDevice {
 public:
  const char* typeName() const override { return "AttachmentDevice"; }

 protected:
  Referenced* doClone(CloneMap*) const override { return new AttachmentDevice(*this); }
};

class ConveyorDevice : public SwitchedDevice {
 public:
  const char* typeName() const override { return "ConveyorDevice"; }
  double speed() const { return speed_; }
  void setSpeed(double speed) { speed_ = speed; }

 protected:
  Referenced* doClone(CloneMap*) const override { return new ConveyorDevice(*this); }

 private:
  double speed_ = 0.0;
};

class FireDevice : public SwitchedDevice {
 public:
  const char* typeName() const override { return "FireDevice"; }

 protected:
  Referenced* doClone(CloneMap*) const override { return new FireDevice(*this); }
};

class FountainDevice : public SwitchedDevice {
 public:
  const char* typeName() const override { return "FountainDevice"; }

 protected:
  Referenced* doClone(CloneMap*) const override { return new FountainDevice(*this); }
};

class SmokeDevice : public SwitchedDevice {
 public:
  const char* typeName() const override { return "SmokeDevice"; }

 protected:
  Referenced* doClone(CloneMap*) const override { return new SmokeDevice(*this); }
};

/* A device of a kind that has no class here: its name, link and switch. */
class UnknownDevice : public SwitchedDevice {
 public:
  explicit UnknownDevice(std::string type) : type_(std::move(type)) {}
  const char* typeName() const override { return type_.c_str(); }

 protected:
  Referenced* doClone(CloneMap*) const override { return new UnknownDevice(*this); }

 private:
  std::string type_;
};

}  // namespace cnoid
