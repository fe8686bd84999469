#!/bin/sh
# Runs the program that the package for this system holds, wherever npm, pnpm or npx put it. It becomes that program: signals
# and the exit status are the program's own, and nothing of npm stays in memory.

case $(uname -s)-$(uname -m) in
  Linux-x86_64) package=@liminal-builder/linux-x64 ;;
  *)
    echo "error: there is no Liminal Builder for $(uname -s) on $(uname -m); it can be built from source." >&2
    exit 1
    ;;
esac

directory=$(dirname -- "$(readlink -f -- "$0")")
while [ "$directory" != / ]; do
  program=$directory/node_modules/$package/bin/liminal-builder
  if [ -x "$program" ]; then exec "$program" "$@"; fi
  directory=$(dirname -- "$directory")
done
echo "error: the package $package is missing. Install liminal-builder again, without --omit=optional." >&2
exit 1
