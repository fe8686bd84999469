# Completion of liminal-builder for bash. tests/package compares the words with --help.

_liminal_builder() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    case ${COMP_WORDS[at]} in
      serve | open | doctor | export | demo-agent) command=${COMP_WORDS[at]} && break ;;
    esac
  done
  case $before in
    --data-dir | --ui-root) mapfile -t COMPREPLY < <(compgen -d -- "$word") && return ;;
    --config) mapfile -t COMPREPLY < <(compgen -f -- "$word") && return ;;
    --log-level)
      mapfile -t COMPREPLY < <(compgen -W 'debug info warn error off' -- "$word") && return ;;
    --log-format) mapfile -t COMPREPLY < <(compgen -W 'text json' -- "$word") && return ;;
    --format) mapfile -t COMPREPLY < <(compgen -W 'md json' -- "$word") && return ;;
    --host | --port | --external-origin | --trusted-proxy) return ;;
  esac
  local options='--host --port --data-dir --config --no-open --log-level --log-format
    --external-origin --trusted-proxy --ui-root --help --version --licenses'
  [ "$command" != demo-agent ] || options=''
  [ "$command" != export ] || options="--format $options"
  local commands='serve open doctor export demo-agent'
  [ -z "$command" ] || commands=''
  mapfile -t COMPREPLY < <(compgen -W "$commands $options" -- "$word")
}
complete -o filenames -F _liminal_builder liminal-builder
