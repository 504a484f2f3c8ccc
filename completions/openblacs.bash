# Completion for bash: obrun, obbench, obtrace, obinfo, bsprun, bspcc. What there is, the tool's own
# --help says; so this file need not know it. Installed under each tool's name.
# shellcheck shell=bash

# Lines "WORD" of the help of the tool, or of one of its commands that has a help of its own; and "OPTION VALUE" where the help lists values with bars between them.
_openblacs_words() {
    "$@" --help 2>/dev/null | awk '
        /^[a-z]/ { commands = $0 == "commands" }
        commands && /^  [a-z]/ { line = $0; sub(/^ +/, "", line); sub(/   .*| [A-Z].*/, "", line); m = split(line, c, " "); while (m) print c[m--] }
        { n = split($0, w, /[][ ,()]+/)
          for (i = 1; i <= n; i++)
              if (w[i] ~ /^--?[A-Za-z][-A-Za-z0-9]*$/) {
                  print w[i]
                  if (w[i + 1] ~ /^[a-z][-a-z0-9]*(\|[a-z][-a-z0-9]*)+$/) {
                      k = split(w[i + 1], v, "|")
                      while (k) print w[i], v[k--]
                  }
              } }' | sort -u
}

_openblacs() {
    local tool=$1 current=$2 before=$3 i words
    COMPREPLY=()
    # The program that is started, and its arguments.
    case ${tool##*/} in
    obrun | bsprun)
        for ((i = 1; i < COMP_CWORD; i++)); do
            case ${COMP_WORDS[i]} in
            -n | -np | -npes | -x | --timeout | --bind) i=$((i + 1)) ;;
            -*) ;;
            *)
                if declare -F _command_offset >/dev/null; then _command_offset "$i"; fi
                return
                ;;
            esac
        done
        ;;
    esac
    if [[ ${tool##*/} == obbench && ${COMP_WORDS[1]-} == verdict && $COMP_CWORD -gt 1 ]]; then
        words=$(_openblacs_words "$tool" verdict)
    else
        words=$(_openblacs_words "$tool")
    fi
    if grep -q -- "^$before " <<<"$words"; then
        mapfile -t COMPREPLY < <(compgen -W "$(sed -n "s/^$before //p" <<<"$words")" -- "$current")
        return
    fi
    words=$(grep -v ' ' <<<"$words")
    case $before in
    -o | --output | --input | --profile | --against | --plot | --picture | --figures | --scalapack) words= ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    case ${tool##*/} in
    obrun | bsprun) [[ $current == -* ]] || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -c -- "$current") ;;
    esac
}

complete -o default -F _openblacs obrun obbench obtrace obinfo bsprun bspcc
