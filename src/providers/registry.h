/// ProviderRegistry: CLI type → provider, in the order they were added.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "providers/provider.h"

namespace lb {

/// Filled once at start by the composition root; read-only afterwards. Owns the providers.
class ProviderRegistry {
 public:
  /// A provider of the same type replaces the earlier one: configuration overrides built-ins.
  void add(std::unique_ptr<Provider> provider);
  /// The provider itself, always the same instance; `UnsupportedCliType` names what there is.
  [[nodiscard]] Result<Provider*> resolve(std::string_view cli_type) const;
  /// What people call an agent; its CLI type when nobody said. Also for those without provider.
  void name(std::string cli_type, std::string name);
  [[nodiscard]] std::string name_of(const std::string& cli_type) const;
  /// Sessions of this agent are confined where nobody says otherwise.
  void confine(std::string cli_type) { confined_.insert(std::move(cli_type)); }
  [[nodiscard]] bool confines(const std::string& cli_type) const {
    return confined_.contains(cli_type);
  }
  [[nodiscard]] const std::vector<std::unique_ptr<Provider>>& all() const { return providers_; }

 private:
  std::vector<std::unique_ptr<Provider>> providers_;
  std::map<std::string, std::string> names_;
  std::set<std::string> confined_;
};

}  // namespace lb
