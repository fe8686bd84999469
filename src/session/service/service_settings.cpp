// What the user chose for every browser.
#include <algorithm>

#include "base/limits.h"
#include "base/log.h"
#include "session/service/session_service.h"

namespace lb {
namespace {

bool chooses(const SessionDefaults& defaults) {
  return defaults.cli_type || defaults.mode || defaults.model || defaults.thinking;
}

Result<void> check_sizes(const SessionDefaults& defaults) {
  for (const auto& text : {defaults.cli_type, defaults.mode, defaults.model, defaults.thinking}) {
    if (text && text->size() > limits::kSettingBytesMax) {
      return fail(ErrorCode::InvalidRequest, "a setting is longer than any agent's name for it");
    }
  }
  return {};
}

}  // namespace

void SessionService::load_settings(std::string_view stored) {
  if (stored.empty()) return;
  auto settings = decode_text<Settings>(stored);
  // Of a newer version, perhaps: the choices of this one begin afresh, the conversations are kept.
  if (!settings) return log_warn("settings.unreadable", {{"why", settings.error().message}});
  settings_ = std::move(*settings);
}

asio::awaitable<Result<SettingsMessage>> SessionService::change_settings(
    SettingsChangeRequest request) {
  if (request.defaults) {
    if (auto sizes = check_sizes(*request.defaults); !sizes) {
      co_return std::unexpected(std::move(sizes.error()));
    }
    if (request.defaults->project_id) {
      auto known = projects_.find(*request.defaults->project_id);
      if (!known) co_return std::unexpected(std::move(known.error()));
    }
  }
  if (auto possible = deps_.store.writable(); !possible) {
    co_return std::unexpected(std::move(possible.error()));
  }
  if (request.send_key) settings_.send_key = *request.send_key;
  if (request.defaults) {
    std::erase_if(settings_.defaults, [&](const SessionDefaults& one) {
      return one.project_id == request.defaults->project_id;
    });
    if (chooses(*request.defaults)) settings_.defaults.push_back(std::move(*request.defaults));
  }
  SettingsMessage changed{settings_};
  WriteBatch batch;
  batch.settings = encode(settings_);
  if (auto stored = co_await deps_.store.commit(std::move(batch)); !stored) {
    co_return std::unexpected(std::move(stored.error()));
  }
  events_->settings_changed(changed);
  co_return changed;
}

}  // namespace lb
