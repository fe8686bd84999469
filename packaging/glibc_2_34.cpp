// The two functions of newer glibcs that the static libstdc++ and libgcc of Debian 12 call. With
// these the portable program needs glibc 2.34 (2021) and not 2.36. Only that program has this file.

#include <dlfcn.h>
#include <link.h>
#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

namespace {

struct Search {
  ElfW(Addr) at;
  dl_find_object* found;
};

/// True when the object holds the address: what the unwinder wants to know of it is filled in.
bool describe(const dl_phdr_info& object, const Search& search) {
  const ElfW(Phdr)* tables = nullptr;
  bool holds = false;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object.dlpi_phdr[i];
    const ElfW(Addr) begin = object.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_GNU_EH_FRAME) tables = &part;
    if (part.p_type == PT_LOAD && search.at >= begin && search.at - begin < part.p_memsz) {
      holds = true;
      search.found->dlfo_map_start = reinterpret_cast<void*>(begin);
      search.found->dlfo_map_end = reinterpret_cast<void*>(begin + part.p_memsz);
    }
  }
  if (!holds || tables == nullptr) return false;
  search.found->dlfo_eh_frame = reinterpret_cast<void*>(object.dlpi_addr + tables->p_vaddr);
  return true;
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): glibc's own name.
/// Which loaded object holds an address; the unwinder asks for every frame of an exception.
extern "C" int _dl_find_object(void* address, dl_find_object* result) noexcept {
  *result = {};
  Search search{reinterpret_cast<ElfW(Addr)>(address), result};
  const auto visit = [](dl_phdr_info* object, std::size_t, void* data) {
    return describe(*object, *static_cast<Search*>(data)) ? 1 : 0;
  };
  return ::dl_iterate_phdr(visit, &search) == 1 ? 0 : -1;
}
// NOLINTEND(bugprone-reserved-identifier)

/// What std::random_device draws from.
extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t value = 0;
  // Four bytes come whole or not at all, and only a kernel without the call refuses.
  while (::getrandom(&value, sizeof value, 0) != sizeof value) {
    if (errno != EINTR) std::abort();
  }
  return value;
}
