# Shared by the scripts of this folder: source it, do not run it.
#   lb_root    the source tree          lb_cache   what is kept outside of it, between runs
# Nothing here changes the machine; script/setup does that.

set -euo pipefail

lb_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
lb_cache="${XDG_CACHE_HOME:-${HOME:?HOME is not set}/.cache}/liminal-builder"
lb_node_min=22

## Messages. One line for each thing that takes time; problems say what to do.

say() { printf '%s\n' "$*" >&2; }

die() {
  printf '\nerror: %s\n' "$1" >&2
  shift
  [ $# -eq 0 ] || printf '       %s\n' "$@" >&2
  exit 1
}

# quietly WHAT COMMAND...: says WHAT, runs COMMAND, shows its output only when it fails.
quietly() {
  local what=$1 log status=0
  shift
  say "$what"
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if [ "$status" -ne 0 ]; then
    # npm tells the reason first and compilers last.
    awk '{ line[NR] = $0 } END { for (i = 1; i <= NR; i++)
      if (i <= 15 || i > NR - 25) print line[i]; else if (i == 16) print "[...]" }' "$log" >&2
    say "failed (status $status): $*"
  fi
  rm -f "$log"
  return "$status"
}

## Node. The machine's own when it is new enough, else the one that script/setup put in the cache.

# A short name for the locked packages of a folder: what is installed from them is kept under it.
key_of() { cat "$1/package.json" "$1/package-lock.json" | sha256sum | cut -c1-16; }

lb_arch() {
  case $(uname -m) in
    x86_64) echo x64 ;;
    aarch64) echo arm64 ;;
    *) uname -m ;;
  esac
}

lb_node_dir() {
  printf '%s/node/%s' "$lb_cache" "$(key_of "$lb_root/script/node")"
}

# Puts a Node that is new enough, and an npm, at the front of PATH. False when there is none yet.
use_node() {
  local own
  if command -v npm >/dev/null && own=$(node --version 2>/dev/null); then
    own=${own#v}
    [ "${own%%.*}" -lt "$lb_node_min" ] || return 0
  fi
  own="$(lb_node_dir)/node_modules"
  [ -x "$own/node-linux-$(lb_arch)/bin/node" ] || return 1
  # Not through .bin/node: npm 9, which is Debian's, makes no such link.
  export PATH="$own/node-linux-$(lb_arch)/bin:$own/.bin:$PATH"
}

## The real CLIs that the tests drive; see tests/clis.

# lb_clis_dir FOLDER: where the packages of tests/clis (or tests/clis/more) are installed.
lb_clis_dir() {
  printf '%s/%s/%s' "$lb_cache" "$(basename "$1")" "$(key_of "$lb_root/$1")"
}

lb_cli_names=(LB_TEST_NODE LB_TEST_CLAUDE LB_TEST_CODEX_ACP LB_TEST_CODEX_ACP_JS LB_TEST_GEMINI
  LB_TEST_OPENCODE)

# export_clis [yes]: exports the path of each installed CLI, with "yes" also those of
# tests/clis/more. One that is not installed is left unset.
export_clis() {
  local base more
  unset "${lb_cli_names[@]}"
  base="$(lb_clis_dir tests/clis)/node_modules"
  more="$(lb_clis_dir tests/clis/more)/node_modules"
  export_if LB_TEST_NODE "$(command -v node || true)"
  export_if LB_TEST_CLAUDE "$base/@anthropic-ai/claude-code/bin/claude.exe"
  export_if LB_TEST_CODEX_ACP "$base/@zed-industries/codex-acp-linux-$(lb_arch)/bin/codex-acp"
  export_if LB_TEST_CODEX_ACP_JS "$base/@agentclientprotocol/codex-acp/dist/index.js"
  [ "${1:-no}" = yes ] || return 0
  export_if LB_TEST_GEMINI "$more/.bin/gemini"
  export_if LB_TEST_OPENCODE "$more/opencode-linux-$(lb_arch)/bin/opencode"
}

export_if() {
  [ -x "$2" ] || return 0
  export "$1=$2"
}

## Building.

# build PRESET TARGET...: configures when needed and builds, with little to read.
build() {
  local preset=$1
  shift
  if [ ! -f "$lb_root/build/$preset/build.ninja" ]; then
    (cd "$lb_root" && quietly "Configuring $preset ..." cmake --preset "$preset") || exit 1
  fi
  local command=(cmake --build --preset "$preset" --parallel "$(nproc)")
  [ $# -eq 0 ] || command+=(--target "$@")
  if [ -t 2 ]; then
    (cd "$lb_root" && NINJA_STATUS="Building $preset: %f of %t  " "${command[@]}" >&2) || exit 1
  else
    (cd "$lb_root" && NINJA_STATUS='[%f/%t] ' "${command[@]}" 2>&1) | build_digest "$preset" ||
      die "The build of $preset failed."
  fi
}

# How much there is to do when it is much, every tenth of the progress, and whatever is not progress
# (warnings, errors). Not in awk: Debian's reads a pipe in blocks and would be minutes late.
build_digest() {
  local line last=0 tenth said=no
  while IFS= read -r line || [ -n "$line" ]; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\  ]]; then
      # Ninja's first lines may count only its own checks.
      if [ "$said" = no ] && [ "${BASH_REMATCH[2]}" -gt 50 ]; then
        say "Building $1: ${BASH_REMATCH[2]} steps, minutes the first time ..."
        said=yes
      fi
      tenth=$((10 * BASH_REMATCH[1] / BASH_REMATCH[2]))
      if [ "$tenth" -gt "$last" ]; then
        last=$tenth
        say "Building $1: ${tenth}0 %"
      fi
    elif [[ $line != 'ninja: no work to do'* ]]; then
      say "$line"
    fi
  done
}
