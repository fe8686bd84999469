// Any lines through the ACP translator: never a crash, and a final item never changes again.
//
// The input is a transcript as in src/providers/acp/transcripts (the seeds): JSON lines with
// `dir` and `msg`. Lines that are none are skipped.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "providers/acp/translator.h"
#include "tests/support/answers.h"

namespace {

using namespace lb;

class Checked {
 public:
  void line(std::string_view text) {
    const auto value = parse_json(text);
    if (!value || !value->is_object()) return;
    const json::object* message = object_at(value->get_object(), "msg");
    if (message == nullptr) return;
    const std::string_view method = string_at(*message, "method");
    const json::object* params = object_at(*message, "params");
    ++now_.ms;
    if (method == "session/prompt" && !translator_.turn_open()) {
      take(translator_.start_turn(TurnId("t" + std::to_string(now_.ms)), now_));
    } else if (method == "session/cancel") {
      translator_.cancel_requested();
    } else if (method == "session/load" && !translator_.turn_open() && !replayed_) {
      replayed_ = true;  // A second one would say again what is final, under the same ids.
      translator_.begin_replay("cli");
    } else if (method == "session/update" && params != nullptr) {
      if (const json::object* update = object_at(*params, "update")) {
        take(translator_.update(*update, now_));
      }
    } else if (method == "session/request_permission" && params != nullptr) {
      auto asked = translator_.permission(*params, now_);
      take(asked.outputs);
      asked_ = asked.item_id;
    } else if (const json::object* result = object_at(*message, "result")) {
      on_result(*result);
    } else if (const json::object* error = object_at(*message, "error")) {
      RpcError why;
      why.message = string_at(*error, "message");
      take(translator_.end_turn_with_error(why, now_));
    }
  }
  void end() {
    take(translator_.fail_turn({ErrorCode::ProcessCrash, "gone"}, now_));
    for (const auto& [id, status] : items_) {
      if (!is_final(status)) std::abort();
    }
  }

 private:
  void on_result(const json::object& result) {
    if (result.contains("stopReason")) {
      take(translator_.end_turn(result, now_));
    } else if (result.contains("outcome")) {
      if (const auto approval = translator_.take_approval(asked_)) {
        take(acp::Outputs{test::as_answered(*approval, {}, now_)});  // As the session layer does.
      }
    } else {
      take(translator_.session_result(result));
    }
  }
  void take(const acp::Outputs& outputs) {
    for (const auto& output : outputs) {
      const auto* item = std::get_if<Upsert>(&output);
      if (item == nullptr) continue;
      if (!decode_text<Item>(encode(*item))) std::abort();
      const auto known = items_.find(item->item_id);
      if (known != items_.end() && is_final(known->second)) std::abort();
      items_[item->item_id] = item->status;
    }
  }

  acp::Translator translator_{SessionId("s"), "agent"};
  Timestamp now_;
  bool replayed_ = false;
  ItemId asked_;
  std::map<ItemId, ItemStatus> items_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  Checked checked;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    checked.line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  checked.end();
  return 0;
}
