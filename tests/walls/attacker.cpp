#include "tests/walls/attacker.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "base/fd.h"

namespace lb::test {
namespace {

template <class Self, class Visit>
void each_field(Self& target, Visit visit) {
  visit("home", target.home);
  visit("data", target.data_dir);
  visit("runtime", target.runtime);
  visit("terminal", target.terminal);
  visit("handle", target.handle);
  visit("abstract", target.abstract);
  visit("program", target.program);
  visit("server", target.server);
  visit("guardian", target.guardian);
  visit("neighbour", target.neighbour);
  visit("secret", target.secret_at);
}

}  // namespace

std::vector<std::string> Target::arguments() const {
  std::vector<std::string> out;
  each_field(*this, [&]<class Field>(std::string_view name, const Field& value) {
    std::string text(name);
    text += '=';
    if constexpr (std::is_same_v<Field, std::string>) {
      text += value;
    } else {
      text += std::to_string(value);
    }
    out.push_back(std::move(text));
  });
  return out;
}

Target Target::from(const std::vector<std::string>& arguments) {
  Target target;
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    const std::string value = argument.substr(equals + 1);
    each_field(target, [&]<class Field>(std::string_view name, Field& field) {
      if (name != std::string_view(argument).substr(0, equals)) return;
      if constexpr (std::is_same_v<Field, std::string>) {
        field = value;
      } else {
        field = static_cast<Field>(std::stoull(value));
      }
    });
  }
  return target;
}

std::optional<std::string> content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Outcome shows_secret(const std::string& path) {
  const auto text = content(path);
  if (!text || !text->contains(kSecret)) return {};
  return path + " was read";
}

Outcome takes_file(const std::string& folder) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  const std::string path = folder + "/from-the-agent";
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!file.valid()) return {};
  ::unlink(path.c_str());
  return path + " was written";
}

Outcome connects(const std::string& socket) {
  const Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket.data(), std::min(socket.size(), sizeof address.sun_path));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket.size());
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) return {};
  return "connected to " + socket;
}

int run_attacker(const std::vector<std::string>& arguments) {
  const Target target = Target::from(arguments);
  for (const auto& list : {attacks_on_files(), attacks_on_processes(), attacks_with_namespaces()}) {
    for (const Attack& attack : list) {
      const Outcome through = attack.run(target);
      std::cout << (through ? "open " : "closed ") << attack.name;
      if (through) std::cout << ": " << *through;
      std::cout << std::endl;
    }
  }
  std::_Exit(0);  // What looks for leaks at the end would have to trace us.
}

}  // namespace lb::test
