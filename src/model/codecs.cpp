// The encoders and decoders of what is encoded and decoded in many places, compiled here and
// nowhere else: they are most of what a file that touches an Item would otherwise spend its build
// on.
#include "model/server_message.h"
#include "model/stream_event.h"

namespace lb {

template void describe(Encoder&, Item&);
template void describe(Decoder&, Item&);
template void describe(Encoder&, Turn&);
template void describe(Decoder&, Turn&);
template void describe(Encoder&, SessionInfo&);
template void describe(Decoder&, SessionInfo&);
template void describe(Encoder&, SessionFacts&);
template void describe(Decoder&, SessionFacts&);
template void describe(Encoder&, AgentInfo&);
template void describe(Decoder&, AgentInfo&);
template void describe(Encoder&, ServerMessage&);
template void describe(Decoder&, ServerMessage&);
template void describe(Encoder&, StreamEvent&);
template void describe(Decoder&, StreamEvent&);

}  // namespace lb
