/// Access: what asking takes.
#pragma once

namespace lb {

enum class Access {
  Shell,       // The page and its assets: no credential, a link from anywhere may lead here.
  Open,        // No credential, but not from another site: health, the code exchange.
  Credential,  // A bearer.
  Socket,      // A bearer, or from a browser a ticket and an exact Origin.
  Terminal,    // Like Credential, of somebody who may have a shell.
  TerminalSocket,
};

}  // namespace lb
