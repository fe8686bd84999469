/// The limits that somebody else can reach: a client, an agent, a disk, a stranger. Each has its
/// reason. What only paces one file of ours (a buffer, how much is done in one go) stands in it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace lb::limits {

// --- JSON -----------------------------------------------------------------------------------
/// Deep enough for any tool argument seen, far from the stack's end.
inline constexpr std::size_t kJsonDepthMax = 256;
/// What a client may nest: our own messages need four levels.
inline constexpr std::size_t kClientJsonDepthMax = 64;
/// An id on the wire: ours are UUIDs with little behind them.
inline constexpr std::size_t kIdCharsMax = 128;

// --- Timeline -------------------------------------------------------------------------------
/// Final entries kept in memory per session; older ones are read from the store.
inline constexpr std::size_t kTimelineBytesMax = 2U << 20U;
/// Append spans kept per growing text: a reader further behind gets the whole form instead.
inline constexpr std::size_t kSpansMax = 1024;
/// Tool output above this travels as head and tail; the whole is fetched on demand.
inline constexpr std::size_t kToolOutputInlineMax = 256U << 10U;

// --- Store ----------------------------------------------------------------------------------
/// How often a full disk is tried again: quick enough to heal before anyone looks, no busy loop.
inline constexpr int kStoreRetryMs = 250;
/// Growing text is synced at most this often: within 100 ms of being seen, with kFlushMs.
inline constexpr int kGrowthSyncMs = 50;
/// The store is idle after this long without a write: time for the index and the checkpoint.
inline constexpr int kStoreIdleMs = 100;
/// They are not put off longer than this, however busy the store is.
inline constexpr int kStoreIdleMaxMs = 2000;
/// Text given to the full-text index in one transaction, one long answer: a commit waits no longer
/// than that takes, and the index keeps each new word in memory until the end of its transaction.
inline constexpr std::size_t kIndexBytesMax = 256U << 10U;
/// The log of growing text begins again at this size.
inline constexpr std::uint64_t kGrowthLogMax = 8U << 20U;
/// Pages in the WAL before a checkpoint (4 MiB): pages that change often are then written once.
inline constexpr int kWalPagesMax = 1024;
/// Entries of one page read from the store: what a reader far behind costs in memory.
inline constexpr std::size_t kStorePageBytes = 1U << 20U;
/// Copies of a store of one older version: nobody goes back and forth that often.
inline constexpr int kStoreCopiesMax = 100;

/// Lines of the audit trail: years of what one person decides, in 10 MB. What strangers cause has
/// room of its own, so that a flood of wrong codes pushes nothing of the user's out.
inline constexpr std::size_t kAuditMax = 20'000;
inline constexpr std::size_t kAuditStrangersMax = 2'000;
/// So many more may be there before the oldest go.
inline constexpr std::int64_t kAuditSlack = 64;
/// What strangers cause is listed at most this often, each kind of it; the next line of that kind
/// says how often it was more.
inline constexpr std::size_t kAuditStrangersPerMinute = 10;
/// Texts in a line of the audit trail (what was asked, what was chosen): a line on the screen.
inline constexpr std::size_t kAuditTextBytesMax = 300;
/// Lines of one page, and without a wish.
inline constexpr std::uint64_t kAuditPageMax = 500;
inline constexpr std::uint64_t kAuditPageDefault = 100;

// --- Sessions -------------------------------------------------------------------------------
/// Growing text is handed to the store at most this long after it was seen.
inline constexpr int kFlushMs = 40;
/// A reader without appends sees growing text at most this often.
inline constexpr int kReaderPaceMs = 100;
/// Revisions reserved ahead in the store: after a crash numbering goes on above the reservation.
inline constexpr std::uint64_t kRevisionBlock = 1U << 16U;
/// A prompt; larger texts belong into a file of the project.
inline constexpr std::size_t kPromptBytesMax = 1U << 20U;
/// An Idempotency-Key or clientMessageId: all of a session's are in memory while it is used.
/// Programs send a UUID.
inline constexpr std::size_t kIdempotencyKeyBytesMax = 256;
/// Prompts that wait behind a running turn, per session.
inline constexpr std::size_t kQueueMax = 100;
/// An attached image, as documented on the wire.
inline constexpr std::size_t kAttachmentBytesMax = 20U << 20U;
/// An attached text: more than any log or listing that a model can read.
inline constexpr std::size_t kTextBytesMax = 5U << 20U;
/// A title is one line in a narrow column.
inline constexpr std::size_t kTitleBytesMax = 200;
/// A setting: the id that an agent has for a mode or a model.
inline constexpr std::size_t kSettingBytesMax = 256;
/// Idle sessions are looked for this often, and suspended when they were idle the time before too:
/// what a program asks in a row finds the session in memory, and hundreds used in an hour cost
/// nothing.
inline constexpr std::chrono::milliseconds kSuspendEvery{3000};
/// Sessions made outside are looked for at most this often per project.
inline constexpr int kDiscoveryEveryMs = 5000;
/// How often it is looked whether agents keep new sessions, made outside: a few stats each.
inline constexpr std::chrono::milliseconds kOutsideEvery{6000};
/// How many times in a row a project is looked at once something is new: a session has no words yet
/// when its file appears.
inline constexpr int kOutsideLooks = 3;
/// How many files of a project are looked at for @-mentions: more makes the answer slow, not
/// better.
inline constexpr std::size_t kProjectFilesMax = 200'000;
/// How deep its folders are gone through: each level is an open descriptor.
inline constexpr std::size_t kProjectDepthMax = 64;
/// A listing serves this long: typing a mention asks at every key.
inline constexpr std::int64_t kProjectListingMs = 5000;
/// git gets this long to list them; without it the folders are gone through.
inline constexpr std::int64_t kGitMs = 5000;
/// What one request gets at most, whatever it asks for: entries of a page, found items, files for
/// a mention, directories for a path. Whoever wants more asks again or more precisely.
inline constexpr std::uint64_t kPageMax = 10'000;
inline constexpr std::uint64_t kSearchMax = 200;
inline constexpr std::uint64_t kFilesMax = 500;
inline constexpr std::size_t kDirectoriesMax = 50;

// --- Batching -------------------------------------------------------------------------------
/// Text that nobody has seen is shown at the latest this long after it arrived.
inline constexpr std::int64_t kBatchAgeMs = 50;
/// A quiet stream shows what it holds after this long.
inline constexpr std::int64_t kBatchIdleMs = 1000;

// --- Text -----------------------------------------------------------------------------------
/// An ACP agent's text goes on in a further item at this size: more than nearly every answer has,
/// and little enough to encode its final form in one go while everybody else waits.
inline constexpr std::size_t kTextItemBytesMax = 256U << 10U;
/// Where a text cannot be divided (an item with its own id, a tool's output) its growth ends here.
/// What a final form says is kept up to kLineBytesMax.
inline constexpr std::size_t kGrowingBytesMax = 8U << 20U;

// --- Processes ------------------------------------------------------------------------------
/// One line of a child: base64 images and tool results are large, 32 MiB is larger than any seen.
inline constexpr std::size_t kLineBytesMax = 32U << 20U;
/// What a child may leave unread on its stdin before a write is refused.
inline constexpr std::size_t kStdinQueueBytesMax = 4U << 20U;
/// How much of a child's stderr is kept for error texts.
inline constexpr std::size_t kStderrTailBytes = 256U << 10U;
/// What is kept of a line beyond kLineBytesMax: enough to see what it was.
inline constexpr std::size_t kTruncatedLineBytes = 64U << 10U;
/// A child that is asked to go gets this long before SIGTERM, and this long before SIGKILL.
inline constexpr std::chrono::milliseconds kStopTermAfter{2000};
inline constexpr std::chrono::milliseconds kStopKillAfter{5000};
/// Output and exit of a child end together; one without the other is believed after this long.
inline constexpr std::chrono::milliseconds kRpcEndGrace{1000};
/// A process stuck in the kernel cannot be killed; after this long its guardian leaves it to us.
inline constexpr std::chrono::seconds kGuardianKillMax{10};
/// A guardian that was told to kill and is still there (stopped, say) is killed after this long.
inline constexpr std::chrono::seconds kGuardianEnd{12};
/// What a killed guardian leaves is swept for this long; what it leaves then cannot be killed.
inline constexpr std::chrono::seconds kSweepMax{5};
/// A process whose owner goes is waited for this long, then killed and waited for once more: the
/// destructor blocks.
inline constexpr int kTeardownMs = 2000;

// --- HTTP and WebSocket ---------------------------------------------------------------------
/// A request's line and fields: ours need less than 2 KiB, browsers send up to 8.
inline constexpr std::size_t kHeadBytesMax = 16U << 10U;
inline constexpr std::size_t kHeadFieldsMax = 100;
inline constexpr std::size_t kTargetBytesMax = 8U << 10U;
/// A line of the chunked encoding: a size, and extensions that nobody sends.
inline constexpr std::size_t kChunkLineBytesMax = 256;
/// A JSON body or a client's WebSocket message: a long prompt is a hundredth of it. A larger
/// message is answered with an error; the connection goes on.
inline constexpr std::size_t kBodyBytesMax = 1U << 20U;
/// A message is read in pieces of this size: what one that is too large costs beyond the limit.
inline constexpr std::size_t kMessagePieceBytes = 64U << 10U;
/// What is kept of either end of a message that is too large, to find its requestId.
inline constexpr std::size_t kLargeMessageEndBytes = 256;
/// Open connections: a thousand readers and some room.
inline constexpr std::size_t kConnectionsMax = 1024;
/// Of those, such of other users of the machine that have shown no credential yet: all of them, and
/// one user's. Strangers must not fill the house; what is left is the owner's.
inline constexpr std::size_t kAnonymousConnectionsMax = 64;
inline constexpr std::size_t kAnonymousPerUserMax = 32;
/// The same where a proxy is declared, which speaks for every browser: half of the house.
inline constexpr std::size_t kAnonymousProxiedMax = 512;
/// Connections that are being told to come later: beyond it they are cut without a word.
inline constexpr std::size_t kLeavingConnectionsMax = 256;
inline constexpr std::chrono::seconds kHeadTimeout{10};
inline constexpr std::chrono::seconds kBodyTimeout{30};
/// How long a connection may wait for its next request, with and without a credential shown.
inline constexpr std::chrono::seconds kKeepAliveTimeout{75};
inline constexpr std::chrono::seconds kAnonymousKeepAliveTimeout{5};
/// A reader that takes nothing for this long is closed; it resumes with its cursor.
inline constexpr std::chrono::seconds kNoProgressTimeout{30};
inline constexpr std::chrono::seconds kPingInterval{25};
inline constexpr std::chrono::seconds kPongTimeout{10};
inline constexpr std::chrono::seconds kSsePingInterval{15};
/// What the kernel may hold unsent per reader; more would be megabytes of old states.
inline constexpr int kUnsentBytesMax = 128 << 10;
/// Taken from a session for one write; with the frame that reaches it, all a stopped reader costs.
inline constexpr std::size_t kPumpBytesMax = 32U << 10U;
/// Answers that wait for a client to take them: beyond it nothing more is read from the client,
/// until it has taken some. One that takes nothing is closed after kNoProgressTimeout.
inline constexpr std::size_t kControlBytesMax = 1U << 20U;
/// Requests of one WebSocket that are not answered yet.
inline constexpr std::size_t kRequestsInFlightMax = 64;
/// Sessions one connection may follow.
inline constexpr std::size_t kReadersPerConnectionMax = 256;
/// How long the other side has to answer a close before the socket is cut.
inline constexpr std::chrono::seconds kCloseTimeout{2};
/// How long all clients have to take their goodbye when the server stops.
inline constexpr std::chrono::milliseconds kFarewell{1500};
/// The whole stop: SIGTERM is answered within 10 s whatever hangs.
inline constexpr std::chrono::milliseconds kServerStopMax{9000};

// --- The control socket -----------------------------------------------------------------------
/// A command of `open` or `export`: a path and a few words.
inline constexpr std::size_t kControlRequestBytesMax = 64U << 10U;
/// Commands at once, and how long one may take to say what it wants: people type them.
inline constexpr std::size_t kControlAskersMax = 16;
inline constexpr std::chrono::seconds kControlAskTimeout{10};

// --- Credentials ----------------------------------------------------------------------------
inline constexpr std::chrono::minutes kLaunchCodeLife{15};
inline constexpr std::chrono::seconds kTicketLife{30};
/// How often, and how far apart, we look at whose connection a launch code came through while an
/// agent that is being started hides itself: half a second, many times what a start takes.
inline constexpr int kHolderLooks = 20;
inline constexpr std::chrono::milliseconds kHolderPause{25};
/// Wrong launch codes per minute before everyone has to wait.
inline constexpr std::size_t kFailedExchangesMax = 10;
inline constexpr std::size_t kLaunchCodesMax = 64;
inline constexpr std::size_t kTicketsMax = 1024;
/// Browsers that may be logged in; the one that logged in first goes.
inline constexpr std::size_t kGrantsMax = 512;
/// Logins in the file that this server did not issue: listed, so that the user sees them, and of no
/// use. More than these are let go.
inline constexpr std::size_t kUnknownLoginsMax = 16;
/// A token from the environment must not be guessable.
inline constexpr std::size_t kTokenCharsMin = 32;
/// What a page makes up to have the server prove itself: not guessable, and not a text to sign.
inline constexpr std::size_t kNonceCharsMin = 32;
inline constexpr std::size_t kNonceCharsMax = 128;

// --- Agents ---------------------------------------------------------------------------------
/// A start and its handshake: the slowest agent needs 3 s on an idle machine.
inline constexpr std::chrono::milliseconds kAgentHandshake{30'000};
/// Opening, loading or configuring a session; a long history is replayed before the answer.
inline constexpr std::chrono::milliseconds kAgentCall{120'000};
/// Between an agent's end and the first attempt to bring it back; doubled each time.
inline constexpr std::chrono::milliseconds kReconnectFirst{1000};
inline constexpr std::chrono::milliseconds kReconnectDelayMax{30'000};
inline constexpr int kReconnectTries = 5;
/// A turn in which nothing happens and nothing explains why: after the first the user is told,
/// after the second the turn is given up. Slow models think for minutes without a word.
inline constexpr std::chrono::milliseconds kAgentSilenceNote{60'000};
inline constexpr std::chrono::milliseconds kAgentSilenceMax{900'000};
/// Agents end a cancelled turn within 200 ms; one that has not by then will not.
inline constexpr std::chrono::milliseconds kCancelGrace{10'000};
/// How long the end of a session waits for the agent to let go of its turn.
inline constexpr std::chrono::milliseconds kCloseGrace{1000};
/// What an agent says without a prompt ends when it has been quiet for this long.
inline constexpr std::chrono::milliseconds kAgentTurnQuiet{2000};
/// Processes started ahead at one time: each is 250 MB that may not be needed.
inline constexpr std::size_t kWarmMax = 2;
/// One that no session took by then was not wanted: setting a session up takes a minute or two.
inline constexpr std::chrono::minutes kWarmLife{5};
/// How much of an agent's complaints goes into an error message: a few lines.
inline constexpr std::size_t kErrorStderrBytes = 600;
/// A canonical-events agent that cannot listen while it works is ended this soon after a cancel.
inline constexpr std::chrono::milliseconds kEventsCancelGrace{2000};
/// `idle_minutes` of the configuration: a week. Longer than that is "never", which is 0.
inline constexpr std::int64_t kIdleMinutesMax = 7 * 24 * 60;
/// The package.json above a CLI, read for its version: a few kilobytes; much larger is none.
inline constexpr std::size_t kPackageFileBytesMax = 256U << 10U;
/// How much of a CLI's session file is read to find its title; instructions come before it.
inline constexpr std::size_t kDiscoverBytesMax = 256U << 10U;
/// Sessions listed per project, newest first: more than anyone scrolls through.
inline constexpr std::size_t kDiscoverSessionsMax = 500;
/// How long an agent may take to read the user's answer from its stdin. One that reads takes
/// milliseconds; after this the answer is taken back and the question is open again.
inline constexpr std::chrono::seconds kAnswerTaken{10};
/// Ten Claudes are 2 to 3 GB: a process that one session has to itself ends after this long without
/// work.
inline constexpr std::chrono::minutes kAgentIdleEnd{30};

// --- Claude Code ----------------------------------------------------------------------------
/// How long `claude auth status` may take: 0.3 s were seen on an idle machine.
inline constexpr std::chrono::seconds kClaudeAuthStatusMax{10};
/// How often it is asked again while there is no login: each time is a process.
inline constexpr int kClaudeAuthStatusEveryMs = 10'000;
/// From start to the answer of `initialize`: 0.5 to 4 s were seen on a busy machine.
inline constexpr std::chrono::seconds kClaudeStartMax{30};
/// Silence after a prompt before we say that it was not taken up.
inline constexpr std::chrono::seconds kClaudeBindMax{30};
/// An interrupt is answered within 20 ms and the turn ends 30 ms later; then the process is ended.
inline constexpr std::chrono::seconds kClaudeInterruptMax{5};
/// A file of the CLI that changed this recently may have another writer.
inline constexpr std::chrono::seconds kClaudeOtherWriter{60};
/// What is read of a session's file to list it: from its beginning and from its end.
inline constexpr std::size_t kClaudeHeadBytes = 256U << 10U;
inline constexpr std::size_t kClaudeTailBytes = 64U << 10U;
/// Imported history goes to the timeline in pieces of this size, so that others get their turn.
inline constexpr std::size_t kClaudeImportBytes = 1U << 20U;
/// Subagents in subagents whose records are read; a cycle of them would not end.
inline constexpr int kClaudeSubagentDepthMax = 8;
/// Parents of a tool call that are followed: so many do not exist, a cycle of them would.
inline constexpr int kClaudeNestingMax = 64;
/// How much of its stderr goes into an error message: it ends with a reason, after some lines.
inline constexpr std::size_t kClaudeErrorStderrBytes = 2000;

// --- git and workspaces -----------------------------------------------------------------------
/// A call of git that only reads, or writes a few objects: milliseconds, seconds on a cold disk.
inline constexpr std::chrono::seconds kGitCall{30};
/// One that writes a whole work tree, or runs the user's hooks.
inline constexpr std::chrono::minutes kGitLong{15};
/// What one call may print: the names of half a million files.
inline constexpr std::size_t kGitOutputMax = 64U << 20U;
/// How long a prompt waits for the checkpoint before it; a turn that did not wait has none.
/// `checkpoint_wait_ms` of the configuration says otherwise, for large repositories.
inline constexpr std::chrono::milliseconds kCheckpointWait{200};
/// A checkpoint that takes longer is given up: the next one would wait for it.
inline constexpr std::chrono::seconds kCheckpointMax{20};
/// New or changed since the last one: somebody's home folder or a data set is not a project.
inline constexpr std::size_t kCheckpointFilesMax = 100'000;
inline constexpr std::uint64_t kCheckpointBytesMax = 512ULL << 20U;
/// Turns of one session that can be rewound, newest first; older ones lose their checkpoints.
inline constexpr std::size_t kCheckpointsKept = 200;
inline constexpr std::chrono::hours kCheckpointLife{24 * 60};
/// Rewinds that can be undone, of all sessions.
inline constexpr std::uint64_t kRewindsKept = 1000;
/// What a rewind or a carried change may write.
inline constexpr std::uint64_t kApplyBytesMax = 1ULL << 30U;
/// What `.worktreeinclude` may bring along: more is a setup command.
inline constexpr std::size_t kIncludeFilesMax = 100'000;
inline constexpr std::uint64_t kIncludeBytesMax = 2ULL << 30U;
/// `.worktreesetup`, which a person has to read before it runs.
inline constexpr std::uint64_t kSetupBytesMax = 64U << 10U;
/// The setup commands of a repository: an `npm ci` on a slow line.
inline constexpr std::chrono::minutes kSetupMax{30};
/// Names that an inventory shows, and an answer lists.
inline constexpr std::size_t kSamplesMax = 20;
inline constexpr std::size_t kPathsMax = 1000;
/// Branches and tags that are offered as a base, newest first.
inline constexpr std::size_t kBasesMax = 500;
/// Workspaces of one server that are not removed: each has its ports.
inline constexpr std::size_t kWorkspacesMax = 500;
inline constexpr std::uint64_t kPortsEach = 10;
inline constexpr std::uint64_t kPortFirst = 24'000;
/// How often a working session's files are compared with those of others.
inline constexpr std::chrono::seconds kRadarEvery{5};
/// Files of one session that are compared: one that changed more overlaps with everybody.
inline constexpr std::size_t kRadarFilesMax = 5000;
/// A workspace that nobody used for so long is offered for removal.
inline constexpr std::chrono::hours kWorkspaceOld{24 * 14};

// --- Review -------------------------------------------------------------------------------------
/// Comments of one session, sent ones too: a review of more than this is read by nobody.
inline constexpr std::size_t kCommentsMax = 1000;
/// What one comment says, and the line it is about as the user saw it: a page of text, and a line
/// that is cut where a screen ends.
inline constexpr std::size_t kCommentBytesMax = 16U << 10U;
inline constexpr std::size_t kQuoteBytesMax = 2U << 10U;
/// Files of one session whose content the user has marked as seen.
inline constexpr std::size_t kSeenMax = 20'000;
/// Sessions whose comments are in memory; those of others are read again when they are asked for.
inline constexpr std::size_t kReviewsInMemory = 64;

// --- Changes ------------------------------------------------------------------------------------
/// Files that an answer lists: nobody looks through more, and the page draws these without a pause.
inline constexpr std::size_t kChangedFilesMax = 10'000;
/// Files in remembered comparisons of trees, all together: the longest one twice, about 4 MB.
inline constexpr std::size_t kChangedFilesKept = 20'000;
/// A difference, and a file that is shown: what a page can still draw and search.
inline constexpr std::size_t kShownBytesMax = 8U << 20U;
/// Lines around a change: all of them, of any file that is small enough to be shown.
inline constexpr std::uint64_t kContextLinesMax = 100'000;
/// Turns that changes can be compared with, newest first: a menu.
inline constexpr std::size_t kTurnsOffered = 20;
/// Editors that are being started at once.
inline constexpr std::size_t kEditorsMax = 4;
/// A program that has not failed by then has opened the file.
inline constexpr std::chrono::milliseconds kEditorStart{1500};

// --- Terminals --------------------------------------------------------------------------------
/// Shells of one session and of all: each is a process, and a ring of what it said.
inline constexpr std::size_t kTerminalsPerSessionMax = 8;
inline constexpr std::size_t kTerminalsMax = 32;
/// Ended ones of a session that can still be read; the oldest go.
inline constexpr std::size_t kEndedTerminalsKept = 8;
/// A tab on the screen.
inline constexpr std::size_t kTerminalNameCharsMax = 60;
/// Columns and rows: more than any screen has.
inline constexpr std::uint64_t kTerminalSideMin = 2;
inline constexpr std::uint64_t kTerminalSideMax = 1000;
/// What a terminal said last, for who comes later: some ten thousand lines.
inline constexpr std::size_t kScrollbackBytes = 1U << 20U;
/// What a reader is sent beyond what it has drawn. Less than the scrollback, so that a reader the
/// shell waits for never falls out of it.
inline constexpr std::size_t kTerminalUnackedMax = 512U << 10U;
/// A reader that draws nothing for this long makes nobody wait any more.
inline constexpr std::chrono::milliseconds kTerminalAckMax{2000};
/// What a shell may leave unread of what was typed and pasted, and one message of it.
inline constexpr std::size_t kTerminalInputMax = 1U << 20U;
inline constexpr std::size_t kTerminalMessageBytesMax = 64U << 10U;
/// Windows on one terminal.
inline constexpr std::size_t kTerminalSocketsMax = 8;
/// After SIGHUP a shell writes its history; what is left then is killed.
inline constexpr std::chrono::milliseconds kHangUpGrace{500};
/// Processes that are looked at for the ports they listen on, and ports that are listed.
inline constexpr std::size_t kPortProcessesMax = 4096;
inline constexpr std::size_t kPortsListedMax = 256;

}  // namespace lb::limits
