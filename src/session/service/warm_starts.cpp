#include "session/service/warm_starts.h"

#include <algorithm>

#include "base/limits.h"
#include "base/metrics.h"

namespace lb {
namespace {

struct WarmMeters {
  Counter& started =
      counter("lb_warm_starts_total", "Agents started before a session needed them.");
  Counter& used = counter("lb_warm_used_total", "Sessions begun where an agent was started ahead.");
  Counter& dropped = counter("lb_warm_dropped_total", "Agents started ahead that nobody used.");
};
WarmMeters& warm_meters() {
  static WarmMeters all;
  return all;
}

}  // namespace

WarmStarts::OnePtr WarmStarts::find(const Provider& provider, const WarmPlace& place) const {
  for (const OnePtr& one : started_) {
    if (&one->provider == &provider && one->place == place) return one;
  }
  return nullptr;
}

bool WarmStarts::start(Provider& provider, const WarmPlace& place) {
  provider.prewarm(place);
  if (provider.prewarmed() == 0) return false;
  OnePtr one = find(provider, place);
  if (!one) {
    while (started_.size() >= limits::kWarmMax) end(started_.front());
    one = std::make_shared<One>(provider, place, io_);
    started_.push_back(one);
    warm_meters().started.add();
  }
  arm(one);
  return true;
}

void WarmStarts::arm(const OnePtr& one) {
  one->life.expires_after(life_);
  one->life.async_wait([this, weak = std::weak_ptr(one)](const boost::system::error_code& why) {
    if (why) return;
    if (const OnePtr still = weak.lock()) end(still);  // It lives as long as we do, or shorter.
  });
}

void WarmStarts::end(const OnePtr& one) {
  const OnePtr ended = one;
  std::erase(started_, ended);
  warm_meters().dropped.add();
  ended->provider.end_prewarmed(ended->place);
}

void WarmStarts::used(const Provider& provider, const WarmPlace& place) {
  if (std::erase(started_, find(provider, place)) > 0) warm_meters().used.add();
}

}  // namespace lb
