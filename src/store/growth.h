/// Growing text on its way to the disk: pieces, and how they become a form again after a crash.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/records.h"

namespace lb {

/// One piece as it was written, with the item it belongs to.
struct GrowthPiece {
  std::string session;
  GrowthPut put;
};

/// `payload` (an open item's last whole form) with the pieces that came after it. Pieces that do
/// not continue the text are ignored: they belong to an earlier form.
std::string fold_growth(const std::string& payload, const std::vector<GrowthPut>& pieces);

/// What the full-text index holds of an item: messages, and a tool's name, arguments and output.
/// Empty when there is nothing to find.
std::string searchable_text(std::string_view payload);

/// `text` as words for a search, each in lower case; the last may be a beginning only.
std::vector<std::string> search_words(const std::string& text);

}  // namespace lb
