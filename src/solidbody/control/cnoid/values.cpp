/* YAML as motion and configuration files have it: block and flow collections, plain and quoted scalars. */

#include "cnoid/src/Values.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace cnoid {

/* ------------------------------------------------------------------ values */

static ValueNode* nothing() {
  static ValueNodePtr node = new ValueNode;
  return node;
}

template <class T, class Exception>
static T* cast(const ValueNode* node, const char* what) {
  auto* found = dynamic_cast<const T*>(node);
  if (!found)
    throw Exception("line " + std::to_string(node ? node->line() : 0) + ": expected " + what);
  return const_cast<T*>(found);
}

static const std::string& text_of(const ValueNode* node) {
  return cast<ScalarNode, ValueNode::NotScalarException>(node, "a scalar")->stringValue();
}

const std::string& ValueNode::toString() const { return text_of(this); }

bool ValueNode::read(std::string& out) const {
  auto* scalar = dynamic_cast<const ScalarNode*>(this);
  if (scalar) out = scalar->stringValue();
  return scalar;
}
bool ValueNode::read(double& out) const {
  auto* scalar = dynamic_cast<const ScalarNode*>(this);
  if (!scalar || scalar->stringValue().empty()) return false;
  char* end;
  const double value = std::strtod(scalar->stringValue().c_str(), &end);
  if (*end) return false;
  out = value;
  return true;
}
bool ValueNode::read(float& out) const {
  double value;
  if (!read(value)) return false;
  out = static_cast<float>(value);
  return true;
}
bool ValueNode::read(int& out) const {
  double value;
  if (!read(value)) return false;
  out = static_cast<int>(value);
  return true;
}
bool ValueNode::read(bool& out) const {
  auto* scalar = dynamic_cast<const ScalarNode*>(this);
  if (!scalar) return false;
  const std::string& text = scalar->stringValue();
  const bool yes = text == "true" || text == "yes" || text == "on" || text == "True" || text == "1";
  const bool no = text == "false" || text == "no" || text == "off" || text == "False" || text == "0";
  if (yes || no) out = yes;
  return yes || no;
}

template <class T>
static T read_or_throw(const ValueNode* node, const char* what) {
  T out;
  if (!node->read(out))
    throw ValueNode::ScalarTypeMismatchException("line " + std::to_string(node->line()) + ": expected " + what +
                                                 ", got \"" + text_of(node) + "\"");
  return out;
}
double ValueNode::toDouble() const { return read_or_throw<double>(this, "a number"); }
int ValueNode::toInt() const { return read_or_throw<int>(this, "a whole number"); }
bool ValueNode::toBool() const { return read_or_throw<bool>(this, "true or false"); }

Mapping* ValueNode::toMapping() { return cast<Mapping, NotMappingException>(this, "a mapping"); }
const Mapping* ValueNode::toMapping() const { return cast<Mapping, NotMappingException>(this, "a mapping"); }
Listing* ValueNode::toListing() { return cast<Listing, NotListingException>(this, "a list"); }
const Listing* ValueNode::toListing() const { return cast<Listing, NotListingException>(this, "a list"); }

ValueNode* Mapping::find(const std::string& key) const {
  auto found = values_.find(key);
  return found == values_.end() ? nothing() : found->second.get();
}
ValueNode* Mapping::find(std::initializer_list<const char*> keys) const {
  for (auto* key : keys) {
    auto found = values_.find(key);
    if (found != values_.end()) return found->second;
  }
  return nothing();
}
ValueNode* Mapping::get(const std::string& key) const {
  auto found = values_.find(key);
  if (found == values_.end()) throw KeyNotFoundException(key);
  return found->second;
}
Mapping* Mapping::findMapping(const std::string& key) const {
  static MappingPtr empty = new Mapping;
  auto* found = dynamic_cast<Mapping*>(find(key));
  return found ? found : empty.get();
}
Listing* Mapping::findListing(const std::string& key) const {
  static ListingPtr empty = new Listing;
  auto* found = dynamic_cast<Listing*>(find(key));
  return found ? found : empty.get();
}
void Mapping::write(const std::string& key, double value) {
  std::ostringstream out;
  out.precision(17);
  out << value;
  insert(key, new ScalarNode(out.str()));
}
ValueNode* Listing::at(int index) const {
  if (index < 0 || index >= size()) throw Exception("the list has no element " + std::to_string(index));
  return values_[index];
}

/* ------------------------------------------------------------------ text */

namespace {

constexpr int MOST_DEPTH = 200; /* collections in each other; more would be no file that somebody has written */

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  ValueNodePtr document() {
    skip_blank();
    while (looking_at("---") || (at_ < text_.size() && text_[at_] == '%' && column() == 0)) {
      skip_line();
      skip_blank();
    }
    if (at_ >= text_.size()) return nullptr;
    ValueNodePtr value = block(0, 0);
    skip_blank();
    if (at_ < text_.size() && !looking_at("...") && !looking_at("---")) fail("this belongs to nothing");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw ValueNode::Exception("line " + std::to_string(line_) + ": " + what);
  }
  char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }
  bool looking_at(const char* word) const { return text_.compare(at_, std::char_traits<char>::length(word), word) == 0; }
  int column() const {
    const std::size_t start = at_ ? text_.rfind('\n', at_ - 1) : std::string::npos;
    return static_cast<int>(start == std::string::npos ? at_ : at_ - start - 1);
  }
  void step() {
    if (now() == '\n') ++line_;
    ++at_;
  }
  void skip_line() {
    while (at_ < text_.size() && now() != '\n') ++at_;
  }
  void skip_spaces() {
    while (now() == ' ' || now() == '\t' || now() == '\r') ++at_;
  }
  /* Blanks, comments and ends of lines. */
  void skip_blank() {
    for (;;) {
      skip_spaces();
      if (now() == '#') skip_line();
      if (at_ >= text_.size() || now() != '\n') return;
      step();
    }
  }
  bool ends_word(char c) const { return c == '\0' || c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  bool at_dash() const { return now() == '-' && ends_word(next()); }

  template <class T>
  ref_ptr<T> made() {
    ref_ptr<T> node = new T;
    node->setLine(line_);
    return node;
  }
  ValueNodePtr scalar(std::string text) {
    ValueNodePtr node = new ScalarNode(std::move(text));
    node->setLine(line_);
    return node;
  }

  /* The value that begins here; what is less indented than `least` is no part of it. */
  ValueNodePtr block(int least, int depth) {
    if (depth > MOST_DEPTH) fail("collections are too deep in each other");
    skip_blank();
    const int indent = column();
    if (at_ >= text_.size() || indent < least) return scalar("");
    if (at_dash()) return block_list(indent, depth);
    if (is_key_ahead()) return block_mapping(indent, depth);
    return inline_value(depth);
  }

  ValueNodePtr block_list(int indent, int depth) {
    auto list = made<Listing>();
    while (at_ < text_.size() && column() == indent && at_dash()) {
      ++at_;
      const int line = line_;
      skip_blank();
      const bool is_empty = at_ >= text_.size() || (line_ != line && column() <= indent);
      list->append(is_empty ? scalar("").get() : block(indent + 1, depth + 1).get());
      skip_blank();
    }
    return list;
  }

  ValueNodePtr block_mapping(int indent, int depth) {
    auto mapping = made<Mapping>();
    while (at_ < text_.size() && column() == indent && !at_dash() && is_key_ahead()) {
      const std::string key = now() == '"' || now() == '\'' ? quoted() : key_text();
      skip_spaces();
      if (now() != ':') fail("expected \":\" after \"" + key + "\"");
      ++at_;
      const int line = line_;
      skip_blank();
      ValueNodePtr value;
      if (at_ < text_.size() && line_ == line)
        value = now() == '|' || now() == '>' ? folded(indent) : inline_value(depth + 1);
      else if (at_ < text_.size() && (column() > indent || (column() == indent && at_dash())))
        value = block(indent, depth + 1);
      else
        value = scalar("");
      mapping->insert(key, value);
      skip_blank();
    }
    return mapping;
  }

  bool is_key_ahead() const {
    if (now() == '[' || now() == '{') return false;
    char quote = 0;
    for (std::size_t k = at_; k < text_.size() && text_[k] != '\n'; ++k) {
      const char c = text_[k];
      if (quote) {
        if (c == quote) quote = 0;
      } else if ((c == '"' || c == '\'') && k == at_) {
        quote = c;
      } else if (c == '#' && k > at_ && text_[k - 1] == ' ') {
        return false;
      } else if (c == ':' && ends_word(k + 1 < text_.size() ? text_[k + 1] : '\0')) {
        return true;
      }
    }
    return false;
  }

  std::string key_text() {
    const std::size_t start = at_;
    while (at_ < text_.size() && !(now() == ':' && ends_word(next()))) ++at_;
    return trimmed(text_.substr(start, at_ - start));
  }

  static std::string trimmed(std::string text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
    return text;
  }

  /* A text under `|` or `>`. */
  ValueNodePtr folded(int indent) {
    const bool keeps = now() == '|';
    skip_line();
    std::string out;
    int inner = -1;
    while (at_ < text_.size()) {
      step();
      std::size_t end = at_;
      while (end < text_.size() && text_[end] == ' ') ++end;
      const bool is_blank = end >= text_.size() || text_[end] == '\n';
      const int width = static_cast<int>(end - at_);
      if (!is_blank && width <= indent) {
        --at_, --line_;
        break;
      }
      if (inner < 0 && !is_blank) inner = width;
      const std::size_t start = is_blank ? end : at_ + inner;
      at_ = end;
      skip_line();
      out += text_.substr(start, at_ - start) + (keeps ? "\n" : " ");
    }
    return scalar(keeps ? out : trimmed(out));
  }

  /* A value within a line: flow collections may go on over several. */
  ValueNodePtr inline_value(int depth) {
    if (depth > MOST_DEPTH) fail("collections are too deep in each other");
    while (now() == '&' || now() == '!') { /* anchors and tags mean nothing here */
      while (!ends_word(now())) ++at_;
      skip_spaces();
    }
    if (now() == '[') return flow_list(depth);
    if (now() == '{') return flow_mapping(depth);
    if (now() == '"' || now() == '\'') return scalar(quoted());
    return scalar(plain(false));
  }

  ValueNodePtr flow_value(int depth) {
    if (depth > MOST_DEPTH) fail("collections are too deep in each other");
    if (now() == '[') return flow_list(depth);
    if (now() == '{') return flow_mapping(depth);
    if (now() == '"' || now() == '\'') return scalar(quoted());
    return scalar(plain(true));
  }

  ValueNodePtr flow_list(int depth) {
    auto list = made<Listing>();
    ++at_;
    for (;;) {
      skip_blank();
      if (now() == ']') break;
      if (at_ >= text_.size()) fail("a list is not closed");
      list->append(flow_value(depth + 1));
      skip_blank();
      if (now() == ',') ++at_;
      else if (now() != ']') fail("expected \",\" or \"]\"");
    }
    ++at_;
    return list;
  }

  ValueNodePtr flow_mapping(int depth) {
    auto mapping = made<Mapping>();
    ++at_;
    for (;;) {
      skip_blank();
      if (now() == '}') break;
      if (at_ >= text_.size()) fail("a mapping is not closed");
      const std::string key = now() == '"' || now() == '\'' ? quoted() : plain(true);
      skip_blank();
      ValueNodePtr value = scalar("");
      if (now() == ':') {
        ++at_;
        skip_blank();
        if (now() != ',' && now() != '}') value = flow_value(depth + 1);
      }
      mapping->insert(key, value);
      skip_blank();
      if (now() == ',') ++at_;
      else if (now() != '}') fail("expected \",\" or \"}\"");
    }
    ++at_;
    return mapping;
  }

  std::string plain(bool in_flow) {
    const std::size_t start = at_;
    while (at_ < text_.size() && now() != '\n') {
      if (now() == '#' && at_ > start && text_[at_ - 1] == ' ') break;
      if (in_flow && (now() == ',' || now() == ']' || now() == '}' || now() == '[' || now() == '{')) break;
      if (now() == ':' && (ends_word(next()) && in_flow)) break;
      ++at_;
    }
    return trimmed(text_.substr(start, at_ - start));
  }

  std::string quoted() {
    const char quote = now();
    std::string out;
    step();
    while (now() != quote || (quote == '\'' && next() == '\'')) {
      if (at_ >= text_.size()) fail("a text is not closed");
      if (quote == '\'' && now() == '\'') ++at_;
      else if (quote == '"' && now() == '\\') {
        ++at_;
        static const std::string codes = "ntr0", meant("\n\t\r\0", 4);
        const auto found = codes.find(now());
        out += found == std::string::npos ? now() : meant[found];
        step();
        continue;
      }
      out += now();
      step();
    }
    ++at_;
    return out;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

bool YAMLReader::parse(const std::string& text) {
  document_.reset();
  error_.clear();
  try {
    document_ = Parser(text).document();
  } catch (const ValueNode::Exception& problem) {
    error_ = problem.what();
  }
  if (!document_ && error_.empty()) error_ = "there is nothing in it";
  return bool(document_);
}

bool YAMLReader::load(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    document_.reset();
    error_ = "\"" + file + "\" cannot be opened.";
    return false;
  }
  std::ostringstream text;
  text << in.rdbuf();
  if (parse(text.str())) return true;
  error_ = "\"" + file + "\": " + error_;
  return false;
}

ValueNode* YAMLReader::document(int) const { return document_ ? document_.get() : nothing(); }

Mapping* YAMLReader::loadDocument(const std::string& file) {
  if (!load(file)) throw ValueNode::Exception(error_);
  return document_->toMapping();
}

}  // namespace cnoid
