#include <iostream>

#include "app/serve.h"
#include "base/version.h"

namespace lb {

int licenses_command() {
  std::cout << "Liminal Builder " << kVersion << "\n\n" << license_text();
  return 0;
}

}  // namespace lb
