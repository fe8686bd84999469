#!/bin/sh
# Runs a program as an ordinary user: root has no walls, and the sandboxes of agents do not start for
# root without its capabilities. What lies in root's home (the CLIs, perhaps this repository) is shown
# to that user in a mount namespace of the test's own.
set -e
[ "$(id -u)" = 0 ] || exec "$@"
if [ -z "$LB_AS_USER" ]; then
  LB_AS_USER=$(mktemp -d)
  export LB_AS_USER
  trap 'rm -rf "$LB_AS_USER"' EXIT
  unshare --mount --propagation private sh "$0" "$@"
  exit
fi
root_home=$HOME
here=$(cd "$(dirname "$0")/../.." && pwd)
mkdir "$LB_AS_USER/shown" "$LB_AS_USER/home"
shown=0
set_aside() {
  case "$1" in "$root_home"/*) [ -d "$1" ] || return 0 ;; *) return 0 ;; esac
  shown=$((shown + 1))
  mkdir "$LB_AS_USER/shown/$shown"
  mount --bind "$1" "$LB_AS_USER/shown/$shown"
  printf '%s\n' "$1" >"$LB_AS_USER/path.$shown"
}
set_aside "$root_home/.cache/liminal-builder"
set_aside "$here"
if [ "$shown" -gt 0 ]; then
  mount -t tmpfs -o mode=0755 none "$root_home"
  for number in $(seq "$shown"); do
    path=$(cat "$LB_AS_USER/path.$number")
    mkdir -p "$path"
    mount --bind "$LB_AS_USER/shown/$number" "$path"
  done
fi
user=54323
chmod 0755 "$LB_AS_USER"
chown "$user:$user" "$LB_AS_USER/home"
HOME=$LB_AS_USER/home TMPDIR=$LB_AS_USER/home exec setpriv --reuid="$user" --regid="$user" --clear-groups "$@"
