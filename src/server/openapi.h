/// The OpenAPI 3.1 document: from the rows of the router and the descriptions of the codecs.
#pragma once

#include <string>

#include "server/router.h"

namespace lb {

std::string openapi_document(const Router& router);

}  // namespace lb
