// A peer of ROS 2's default DDS (Fast DDS), on the loopback interface only. It takes orders from standard
// input and tells on standard output what comes; messages are hexadecimal, whatever their type.
//
//   sub TOPIC TYPE reliable|best_effort volatile|transient_local      -> got TOPIC HEX
//   pub TOPIC TYPE reliable|best_effort                               -> matched TOPIC COUNT
//   send TOPIC HEX
//   client NAME KIND, call NAME HEX   a service, as rmw_fastrtps calls it   -> served NAME COUNT, reply NAME N HEX
//   unsub TOPIC, slow TOPIC MS, quit
//   echo TOPIC OTHER        what comes is answered by its first bytes (a UInt64) on a topic that is written
//   quiet TOPIC             what comes is counted, and not told;  count TOPIC   -> counted TOPIC COUNT

#include <atomic>
#include <chrono>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/DataWriterListener.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/Topic.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/rtps/common/WriteParams.h>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>

using namespace eprosima::fastdds::dds;
using eprosima::fastrtps::rtps::InstanceHandle_t;
using eprosima::fastrtps::rtps::SerializedPayload_t;
using eprosima::fastrtps::rtps::WriteParams;

using Bytes = std::vector<unsigned char>;

// any type: its bytes are what they are
class AnyType : public TopicDataType {
 public:
  explicit AnyType(const std::string& name) {
    setName(name.c_str());
    m_typeSize = 64;
    m_isGetKeyDefined = false;
    auto_fill_type_object(false);
    auto_fill_type_information(false);
  }
  bool serialize(void* data, SerializedPayload_t* payload) override {
    const auto& bytes = *static_cast<Bytes*>(data);
    std::memcpy(payload->data, bytes.data(), bytes.size());
    payload->length = bytes.size();
    payload->encapsulation = bytes[1] ? CDR_LE : CDR_BE;
    return true;
  }
  bool deserialize(SerializedPayload_t* payload, void* data) override {
    static_cast<Bytes*>(data)->assign(payload->data, payload->data + payload->length);
    return true;
  }
  std::function<uint32_t()> getSerializedSizeProvider(void* data) override {
    const uint32_t size = static_cast<Bytes*>(data)->size();
    return [size] { return size; };
  }
  void* createData() override { return new Bytes; }
  void deleteData(void* data) override { delete static_cast<Bytes*>(data); }
  bool getKey(void*, InstanceHandle_t*, bool) override { return false; }
};

std::mutex out_lock;

std::string hex(const Bytes& bytes) {
  static const char digits[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (auto byte : bytes) {
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

Bytes unhex(const std::string& text) {
  Bytes out;
  for (size_t k = 0; k + 1 < text.size(); k += 2) out.push_back(std::stoi(text.substr(k, 2), nullptr, 16));
  return out;
}

void tell(const std::string& line) {
  std::lock_guard<std::mutex> hold(out_lock);
  std::cout << line << std::endl;
}

class Taker : public DataReaderListener {
 public:
  explicit Taker(const std::string& topic) : topic_(topic) {}
  void on_data_available(DataReader* reader) override {
    Bytes bytes;
    SampleInfo info;
    while (reader->take_next_sample(&bytes, &info) == ReturnCode_t::RETCODE_OK) {
      if (slow_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(slow_ms));
      if (!info.valid_data) continue;
      ++count;
      if (auto* out = echo.load()) {
        bytes.resize(12);
        out->write(&bytes);
      } else if (!is_quiet) {
        tell("got " + topic_ + " " + hex(bytes));
      }
    }
  }
  void on_subscription_matched(DataReader*, const SubscriptionMatchedStatus& status) override {
    tell("matched " + topic_ + " " + std::to_string(status.current_count));
  }
  std::atomic<int> slow_ms{0};
  std::atomic<int> count{0};
  std::atomic<bool> is_quiet{false};
  std::atomic<DataWriter*> echo{nullptr};

 private:
  std::string topic_;
};

class Giver : public DataWriterListener {
 public:
  explicit Giver(const std::string& topic) : topic_(topic) {}
  void on_publication_matched(DataWriter*, const PublicationMatchedStatus& status) override {
    tell("matched " + topic_ + " " + std::to_string(status.current_count));
  }

 private:
  std::string topic_;
};

// a client as rmw_fastrtps has it: a response is told by the identity of the request that it is related to
class Client : public DataReaderListener {
 public:
  Client(const std::string& name, DataWriter** writer) : name_(name), writer_(writer) {}
  void on_data_available(DataReader* reader) override {
    Bytes bytes;
    SampleInfo info;
    while (reader->take_next_sample(&bytes, &info) == ReturnCode_t::RETCODE_OK) {
      const auto& related = info.related_sample_identity;
      const bool is_ours = related.writer_guid() == (*writer_)->guid();
      if (info.valid_data && is_ours) {
        tell("reply " + name_ + " " + std::to_string(related.sequence_number().to64long()) + " " + hex(bytes));
      }
    }
  }
  void on_subscription_matched(DataReader*, const SubscriptionMatchedStatus& status) override {
    tell("served " + name_ + " " + std::to_string(status.current_count));
  }

 private:
  std::string name_;
  DataWriter** writer_;
};

int main(int argc, char** argv) {
  const int domain = argc > 1 ? std::atoi(argv[1]) : 0;
  DomainParticipantQos qos = PARTICIPANT_QOS_DEFAULT;
  auto transport = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
  transport->interfaceWhiteList.push_back("127.0.0.1");
  transport->maxInitialPeersRange = 100;
  qos.transport().use_builtin_transports = false;
  qos.transport().user_transports.push_back(transport);
  eprosima::fastrtps::rtps::Locator_t here;
  here.kind = LOCATOR_KIND_UDPv4;
  eprosima::fastrtps::rtps::IPLocator::setIPv4(here, "127.0.0.1");
  qos.wire_protocol().builtin.initialPeersList.push_back(here);
  auto* participant = DomainParticipantFactory::get_instance()->create_participant(domain, qos);
  if (!participant) {
    std::cerr << "no participant" << std::endl;
    return 1;
  }
  auto* publisher = participant->create_publisher(PUBLISHER_QOS_DEFAULT);
  auto* subscriber = participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT);
  std::map<std::string, Topic*> topics;
  std::map<std::string, DataReader*> readers;
  std::map<std::string, std::shared_ptr<Taker>> takers;
  std::map<std::string, DataWriter*> writers;
  std::vector<std::shared_ptr<Giver>> givers;
  std::vector<std::shared_ptr<Client>> clients;
  std::map<std::string, TypeSupport> types;

  auto topic_of = [&](const std::string& name, const std::string& type) {
    if (!types.count(type)) {
      types[type] = TypeSupport(new AnyType(type));
      types[type].register_type(participant);
    }
    if (!topics.count(name)) topics[name] = participant->create_topic(name, type, TOPIC_QOS_DEFAULT);
    return topics[name];
  };
  auto reader_qos = [&](bool reliable, bool keeps) {
    DataReaderQos out = DATAREADER_QOS_DEFAULT;
    out.reliability().kind = reliable ? RELIABLE_RELIABILITY_QOS : BEST_EFFORT_RELIABILITY_QOS;
    out.durability().kind = keeps ? TRANSIENT_LOCAL_DURABILITY_QOS : VOLATILE_DURABILITY_QOS;
    out.history().depth = 1000;
    out.endpoint().history_memory_policy = eprosima::fastrtps::rtps::DYNAMIC_RESERVE_MEMORY_MODE;
    return out;
  };
  auto writer_qos = [&](bool reliable) {
    DataWriterQos out = DATAWRITER_QOS_DEFAULT;
    out.reliability().kind = reliable ? RELIABLE_RELIABILITY_QOS : BEST_EFFORT_RELIABILITY_QOS;
    out.history().depth = 1000;
    out.endpoint().history_memory_policy = eprosima::fastrtps::rtps::DYNAMIC_RESERVE_MEMORY_MODE;
    return out;
  };

  tell("ready");
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string order, name, type, reliability, durability;
    words >> order >> name;
    if (order == "quit") break;
    if (order == "sub") {
      words >> type >> reliability >> durability;
      auto taker = std::make_shared<Taker>(name);
      takers[name] = taker;
      auto reader_settings = reader_qos(reliability == "reliable", durability == "transient_local");
      readers[name] = subscriber->create_datareader(topic_of(name, type), reader_settings, taker.get());
    } else if (order == "unsub") {
      subscriber->delete_datareader(readers[name]);
      readers.erase(name);
    } else if (order == "slow") {
      int ms = 0;
      words >> ms;
      takers[name]->slow_ms = ms;
    } else if (order == "echo") {
      words >> type;
      takers[name]->echo = writers[type];
    } else if (order == "quiet") {
      takers[name]->is_quiet = true;
      tell("counted " + name + " 0");
    } else if (order == "count") {
      tell("counted " + name + " " + std::to_string(takers[name]->count));
    } else if (order == "pub") {
      words >> type >> reliability;
      auto giver = std::make_shared<Giver>(name);
      givers.push_back(giver);
      writers[name] =
          publisher->create_datawriter(topic_of(name, type), writer_qos(reliability == "reliable"), giver.get());
    } else if (order == "send") {
      std::string text;
      words >> text;
      Bytes bytes = unhex(text);
      writers[name]->write(&bytes);
    } else if (order == "client") {
      words >> type;
      auto* asked = topic_of("rq" + name + "Request", type + "_Request_");
      auto* told = topic_of("rr" + name + "Reply", type + "_Response_");
      writers[name] = publisher->create_datawriter(asked, writer_qos(true), nullptr);
      auto client = std::make_shared<Client>(name, &writers[name]);
      clients.push_back(client);
      readers["service " + name] = subscriber->create_datareader(told, reader_qos(true, false), client.get());
    } else if (order == "call") {
      std::string text;
      words >> text;
      Bytes bytes = unhex(text);
      WriteParams params;
      writers[name]->write(&bytes, params);
      tell("asked " + name + " " + std::to_string(params.sample_identity().sequence_number().to64long()));
    }
  }
  participant->delete_contained_entities();
  DomainParticipantFactory::get_instance()->delete_participant(participant);
  return 0;
}
