#include "providers/registry.h"

#include <fmt/format.h>

#include <algorithm>

namespace lb {

void ProviderRegistry::add(std::unique_ptr<Provider> provider) {
  const auto same = std::ranges::find(providers_, provider->cli_type(),
                                      [](const auto& known) { return known->cli_type(); });
  if (same == providers_.end()) {
    providers_.push_back(std::move(provider));
  } else {
    *same = std::move(provider);
  }
}

void ProviderRegistry::name(std::string cli_type, std::string name) {
  names_.insert_or_assign(std::move(cli_type), std::move(name));
}

std::string ProviderRegistry::name_of(const std::string& cli_type) const {
  const auto known = names_.find(cli_type);
  return known == names_.end() ? cli_type : known->second;
}

Result<Provider*> ProviderRegistry::resolve(std::string_view cli_type) const {
  for (const auto& provider : providers_) {
    if (provider->cli_type() == cli_type) return provider.get();
  }
  std::string known;
  for (const auto& provider : providers_) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", provider->cli_type());
  }
  return fail(ErrorCode::UnsupportedCliType,
              fmt::format("There is no agent \"{}\". Known agents: {}.", cli_type, known));
}

}  // namespace lb
