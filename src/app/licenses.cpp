#include <iostream>
#include <string_view>

#include "app/serve.h"
#include "base/version.h"

namespace lb {
namespace {

constexpr std::string_view kLicenses = R"(
Liminal Builder is under the MIT licence (the file LICENSE of its source).
Inside the program are, with thanks:

  Boost (Asio, Beast, JSON, Uuid)   Boost Software License 1.0   www.boost.org/LICENSE_1_0.txt
  SQLite                            public domain                sqlite.org/copyright.html
  CLI11                             BSD 3-Clause                 github.com/CLIUtils/CLI11
  toml++                            MIT                          github.com/marzer/tomlplusplus
  {fmt}                             MIT                          github.com/fmtlib/fmt
  Preact and Preact Signals         MIT                          github.com/preactjs
  DOMPurify                         Apache-2.0 or MPL-2.0        github.com/cure53/DOMPurify
  marked                            MIT                          github.com/markedjs/marked

MIT: Permission is hereby granted, free of charge, to any person obtaining a copy of this software
and associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions: The above copyright notice and this
permission notice shall be included in all copies or substantial portions of the Software. THE
SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT.
IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

BSD 3-Clause (CLI11, Copyright (c) 2017-2022 University of Cincinnati, developed by Henry Schreiner
under NSF AWARD 1414736): Redistribution and use in source and binary forms, with or without
modification, are permitted provided that the following conditions are met: 1. Redistributions of
source code must retain the above copyright notice, this list of conditions and the following
disclaimer. 2. Redistributions in binary form must reproduce the above copyright notice, this list
of conditions and the following disclaimer in the documentation and/or other materials provided
with the distribution. 3. Neither the name of the copyright holder nor the names of its
contributors may be used to endorse or promote products derived from this software without specific
prior written permission. THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS
IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF
MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE
COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL,
EXEMPLARY, OR CONSEQUENTIAL DAMAGES ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE.
)";

}  // namespace

int licenses_command() {
  std::cout << "Liminal Builder " << kVersion << "\n" << kLicenses;
  return 0;
}

}  // namespace lb
