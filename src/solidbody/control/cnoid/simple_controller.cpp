/* What programs are given: options, messages. */

#include "cnoid/src/SimpleController.h"

#include <iostream>

namespace cnoid {

std::vector<std::string> splitOptions(const std::string& text) {
  std::vector<std::string> out;
  std::string word;
  bool is_quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '\\' && k + 1 < text.size()) word += text[++k];
    else if (text[k] == '"') is_quoted = !is_quoted;
    else if (text[k] == ' ' && !is_quoted) {
      if (!word.empty()) out.push_back(word);
      word.clear();
    } else word += text[k];
  }
  if (!word.empty()) out.push_back(word);
  return out;
}

std::vector<std::string> ControllerIO::options() const { return splitOptions(optionString()); }
std::vector<std::string> SimpleControllerConfig::options() const { return splitOptions(options_); }

MappingPtr ControllerIO::structuredOptions() const {
  YAMLReader reader;
  if (reader.parse(optionString()) && reader.document()->isMapping()) return reader.document()->toMapping();
  os() << "The options of " << controllerName() << " are no mapping: " << reader.errorMessage() << std::endl;
  return nullptr;
}

MessageOut* ControllerIO::mout() const { return MessageOut::master(); }
std::ostream& ControllerIO::os() const { return std::cout; }

void SimpleControllerIO::setJointInput(int flags) {
  for (auto joint : body()->joints()) enableInput(joint, flags);
}
void SimpleControllerIO::setJointOutput(int flags) {
  for (auto joint : body()->joints()) enableOutput(joint, flags);
}

}  // namespace cnoid
