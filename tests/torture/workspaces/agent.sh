#!/usr/bin/env bash
# An agent for `protocol = "events"` that changes files: `work FOLDER NUMBER`. It edits, adds, removes, links and makes runnable,
# below FOLDER of where it was started, and answers with one word. In bash, because it starts in a few milliseconds.
export TZ=UTC LC_ALL=C
count=0

say() { # TYPE FIELDS
  printf '{"eventId":"e%d","timestamp":"%(%Y-%m-%dT%H:%M:%S)T.000Z","turnId":"%s","sessionId":"%s","type":"%s","payload":{"type":"%s"%s}}\n' \
    $((++count)) -1 "$turn" "$session" "$1" "$1" "$2"
}

work() { # FOLDER NUMBER
  local i lines
  for ((i = 1; i <= 12; ++i)); do printf 'line %d\nwork %d\n' "$i" "$2" >"$1/file$i"; done
  mkdir -p "$1/new/deep$2"
  for ((i = 1; i <= 6; ++i)); do printf 'new %d of %d\n' "$i" "$2" >"$1/new/deep$2/n$i"; done
  rm -rf "$1/new/deep$(($2 - 1))" "$1/gone$2" "$1/link"
  printf 'run %d\n' "$2" >"$1/run$2"
  chmod +x "$1/run$2"
  ln -s "file$2" "$1/link"
  mapfile -t lines <"$1/shared"
  lines[1]="agent $2"
  printf '%s\n' "${lines[@]}" >"$1/shared"
}

while IFS= read -r line; do
  [[ $line == *'"type":"prompt"'* ]] || continue
  [[ $line =~ \"turnId\":\"([^\"]+)\" ]] && turn=${BASH_REMATCH[1]}
  [[ $line =~ \"sessionId\":\"([^\"]+)\" ]] && session=${BASH_REMATCH[1]}
  say response_start ',"modelId":"work-1","providerId":"work"'
  [[ $line =~ work\ ([a-z]+)\ ([0-9]+) ]] && work "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
  say item_start ',"itemId":"'"m$turn"'","itemType":"message"'
  say item_done ',"itemId":"'"m$turn"'","finalItem":{"type":"message","content":"done","origin":"agent"}'
  say response_done ',"status":"completed"'
done
