/// Provider: knows how to run one kind of agent. The rest of the program knows nothing of any CLI.
///
/// The session layer makes ids (session and turn), owns the queue and gives a provider one prompt
/// per session at a time; a provider makes a turn id only for a turn the agent begins by itself.
/// What happens comes back through the session's sink, in order: upserts and turns in our words.
/// Promises of every provider:
///   - send_message returns when the turn has really started, or an error; never a fake success;
///   - every turn that was started reaches exactly one terminal turn (complete or error), also when
///     the process dies, and every item of it is final by then (items of background subagents
///     excepted, which end with their task or their process);
///   - after kill_session nothing that the session started is left running.
/// Lives on the io thread. provider_base.h has what all providers do the same way.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/item.h"
#include "model/session.h"
#include "model/turn.h"
#include "process/agent_process.h"
#include "providers/session_sink.h"

namespace lb {

namespace asio = boost::asio;

struct CreateSessionOptions {
  SessionId session_id;     // Ours; every item and turn carries it.
  std::string project_dir;  // The project's real path.
  std::optional<std::string> model;
  std::optional<std::string> mode;
  std::optional<std::string> thinking;
  RawObject provider_options;  // A closed list per provider; an unknown key is an error.
  bool confined = false;       // Its process runs behind walls (process/confine.h).
  /// It shares its process with no other session. One that is confined, or that has an environment
  /// of its own, does not either.
  bool own_process = false;
  Environment env;  // Put over the agent's.
};

struct LoadSessionOptions {
  std::string cli_session_id;
  std::string project_dir;
  std::optional<std::string> model;  // That the user chose, or that it was switched to later.
  std::optional<std::string> mode;   // The same.
  std::optional<std::string> thinking;
  bool confined = false;     // As it was made.
  bool own_process = false;  // As in CreateSessionOptions.
  Environment env;           // The same.
  /// What the agent told last of the session: the model in effect, chosen or not, and what was
  /// spent so far.
  SessionFacts told;
  /// The newest turn our timeline holds; the CLI's record adds only what came after it. Nothing:
  /// the session is new to us and all of its history is imported.
  std::optional<TurnId> last_known_turn;
  /// When that turn ended: what is younger is new where the CLI's record has no such turn (Claude
  /// gives slash commands and turns of its own other ids).
  std::optional<Timestamp> last_known_at;
};

/// Where a copy of a session ends: before a turn.
struct ForkPoint {
  TurnId turn;
  /// The turn before it, which is the last that is copied, and when it ended: what finds the place
  /// where the CLI's record knows the turn under another id (see LoadSessionOptions). Nothing: it
  /// is the first.
  std::optional<TurnId> last_kept;
  std::optional<Timestamp> last_kept_at;
};

struct ProviderSession {
  SessionId session_id;
  std::string cli_type;
  std::string cli_session_id;
};

struct PromptImage {
  std::string mime_type;
  std::string data;  // Raw bytes.
};

struct PromptText {
  std::string name;
  std::string text;
};

struct Prompt {
  TurnId turn_id;       // Canonical: every output of the turn carries it.
  std::string content;  // May be empty where something is attached.
  std::vector<PromptImage> images;
  std::vector<PromptText> texts = {};
};

struct SendResult {
  TurnId turn_id;
};

/// The user's decision on an approval.
struct Answer {
  ItemId item_id;
  std::optional<std::string> option_id;
  std::optional<std::string> message;
  std::optional<std::map<std::string, std::string>> answers;
  std::optional<RawObject> input;
  std::string answered_by;
};

/// Whether an answer fits what was asked: one of the options, or answers to the questions.
Result<void> check_answer(const Approval& approval, const Answer& answer);
/// The question was answered already, or went away.
std::unexpected<Error> no_longer_asked();

/// An answer that the agent can be given. Nothing has happened yet.
struct PreparedAnswer {
  /// Gives it to the agent, once. Returns when the agent's stdin has taken it; after an error the
  /// agent does not get it, and the question is open again if it still has a reason to be.
  std::function<asio::awaitable<Result<void>>()> write;
  /// Whether the words that go with it (`Answer::message`) reach the agent with it.
  bool carries_message = false;
};

/// A session that exists in the CLI's own records.
struct DiscoveredSession {
  std::string cli_session_id;
  std::string title;
  Timestamp created_at;
  Timestamp last_active_at;
};

/// What a process that is started ahead is for.
struct WarmPlace {
  // Implicit: most are not confined.
  WarmPlace(std::string dir, bool behind_walls = false)  // NOLINT(google-explicit-constructor)
      : project_dir(std::move(dir)), confined(behind_walls) {}
  WarmPlace(const char* dir) : project_dir(dir) {}  // NOLINT(google-explicit-constructor)
  /// Where a session that is made or loaded with these options will run.
  template <class Options>
  static WarmPlace of(const Options& options) {
    WarmPlace place(options.project_dir, options.confined);
    place.own_process = options.own_process;
    place.env = options.env;
    return place;
  }
  std::string project_dir;
  bool confined = false;
  bool own_process = false;
  Environment env = {};
  /// Whether a process that several sessions share may serve it.
  [[nodiscard]] bool shared() const { return !confined && !own_process && env.empty(); }
  friend auto operator<=>(const WarmPlace&, const WarmPlace&) = default;
};

/// Status of the agent as a whole; the message is for people.
using StatusCallback = std::function<void(AgentStatus, std::optional<std::string> message)>;

/// Why a session that shall be confined is not made or loaded (see can_confine).
std::unexpected<Error> no_walls(std::string_view cli_type);

class Provider {
 public:
  Provider() = default;
  Provider(const Provider&) = delete;
  Provider& operator=(const Provider&) = delete;
  virtual ~Provider() = default;

  [[nodiscard]] virtual std::string_view cli_type() const = 0;

  virtual asio::awaitable<Result<ProviderSession>> create_session(CreateSessionOptions options) = 0;
  /// Makes a session ready for prompts again. What the CLI's record has beyond
  /// `last_known_turn` comes through the sink before this returns.
  virtual asio::awaitable<Result<ProviderSession>> load_session(SessionId session,
                                                                LoadSessionOptions options) = 0;
  virtual asio::awaitable<Result<SendResult>> send_message(SessionId session, Prompt prompt) = 0;
  /// Gives the agent a message while a turn runs (`steers` of the session's facts). It is taken up
  /// in that turn, or begins one behind it: the sink is told which (Steered, or a turn with the
  /// prompt's id), exactly once. Returns when it was written.
  virtual asio::awaitable<Result<void>> steer_turn(SessionId session, Prompt prompt);
  virtual asio::awaitable<Result<void>> cancel_turn(SessionId session) = 0;
  virtual asio::awaitable<Result<void>> kill_session(SessionId session) = 0;
  [[nodiscard]] virtual bool is_alive(const SessionId& session) const = 0;

  /// `sink` is told what happens in the session from now on; null: nobody is. It may be given
  /// before the session exists and stays when its process is gone.
  virtual void attach(const SessionId& session, std::shared_ptr<SessionSink> sink) = 0;
  virtual void on_status(StatusCallback callback) = 0;
  /// Drops the sink and all memory of a session (killed before, or never loaded).
  virtual void forget(const SessionId& session) = 0;

  /// Brings history into the timeline without making the session ready for prompts. Providers
  /// that can only replay through a process do the same as load_session.
  virtual asio::awaitable<Result<void>> import_history(SessionId session,
                                                       LoadSessionOptions options) = 0;

  /// Refuses an answer that does not fit; else what gives it to the agent. The approval's answered
  /// form is the caller's to publish.
  virtual Result<PreparedAnswer> prepare_answer(const SessionId& session, const Answer& answer) = 0;
  virtual asio::awaitable<Result<void>> set_mode(SessionId session, std::string mode) = 0;
  virtual asio::awaitable<Result<void>> set_model(SessionId session, std::string model) = 0;
  /// How much to think: one of the `thinking_levels` of the session's facts.
  virtual asio::awaitable<Result<void>> set_thinking(SessionId session, std::string level) = 0;
  /// A copy of `from` that goes its own way, in a folder that may be another, known to us as
  /// `options.session_id`. It has everything so far, or what was before a turn. The conversation is
  /// copied by the session layer; nothing of it comes through the sink.
  virtual asio::awaitable<Result<ProviderSession>> fork_session(SessionId from,
                                                                CreateSessionOptions options,
                                                                std::optional<ForkPoint> before);
  /// Whether a copy of this session may end before a turn.
  [[nodiscard]] virtual bool can_fork_before(const SessionId& from) const;

  /// Sessions of this project that the CLI knows.
  virtual asio::awaitable<std::vector<DiscoveredSession>> discover(std::string project_dir);
  /// Another number when the CLI may have begun a session of this project meanwhile: cheap to ask,
  /// where `discover` is not. 0: nothing is known of that.
  virtual asio::awaitable<std::int64_t> outside_mark(std::string project_dir);
  /// Where the CLI keeps its records. What two agents find in the same place is one session; empty
  /// when nothing is known of it.
  [[nodiscard]] virtual std::string records() const;

  /// Whether the process of a session that shall be confined is: whoever says so passes `confined`
  /// on to every launch for it. Where nothing is said no session is confined, and none that shall
  /// be is made or loaded.
  [[nodiscard]] virtual bool can_confine() const;

  /// Whether a prompt may carry texts; nothing while the agent has not said. Where it may not, the
  /// session layer refuses such a prompt.
  [[nodiscard]] virtual std::optional<bool> takes_text() const;

  /// What is installed and how it is doing; may look at the disk and run `--version`.
  virtual asio::awaitable<AgentInfo> inspect() = 0;
  /// The user asks for another try to connect.
  virtual asio::awaitable<Result<void>> reconnect();
  /// Starts ahead what the next session at `place` will need. Cheap to call, also when it is
  /// there already; a failure is only seen in that nothing is warm.
  virtual void prewarm(const WarmPlace& place);
  /// A session at `place` is opened in a moment: what all sessions share may start meanwhile.
  /// `end_prewarmed` when nothing came of it.
  virtual void prewarm_shared(const WarmPlace& place);
  /// Ends what was started ahead for `place` and no session uses.
  virtual void end_prewarmed(const WarmPlace& place);
  /// How many processes run that were started ahead and that no session uses yet.
  [[nodiscard]] virtual std::size_t prewarmed() const;

  /// Holds a session's agent back (true) while nothing more can be stored, and lets it go on.
  virtual void hold(const SessionId& session, bool held) = 0;

  /// Ends every process of this provider; open turns end as errors.
  virtual asio::awaitable<void> shutdown() = 0;
};

}  // namespace lb
