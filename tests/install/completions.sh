#!/bin/bash
# What bash, fish and zsh complete of the installed tools, as somebody who types sees it.
#   tests/install/completions.sh PREFIX      in a folder of its own; says what is wrong
set -u
prefix=$(cd "$1" && pwd)
export PATH=$prefix/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

in_bash() { # LINE: what bash offers for it
    bash -c '
        read -ra COMP_WORDS <<<"$1"
        [ "${1: -1}" != " " ] || COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$1 COMP_POINT=${#1}
        [ ! -r /usr/share/bash-completion/bash_completion ] || . /usr/share/bash-completion/bash_completion
        . "$2/share/bash-completion/completions/${COMP_WORDS[0]}"
        _openblacs "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf "%s\n" "${COMPREPLY[@]}"' - "$1" "$prefix"
}

in_fish() {
    HOME=$work fish --no-config -c "source $prefix/share/fish/vendor_completions.d/${1%% *}.fish; complete -C '$1'" | cut -f1
}

# Its completion system answers keys on a terminal only: its functions are stood in for, and say what
# they are asked to add.
in_zsh() {
    zsh -f -c '
        compadd() { [[ $1 = -a ]] && print -l -- ${(P)2} }
        _files() { : }
        _command_names() { : }
        _normal() { service=$words[1] _openblacs_again }
        words=(${(s: :)1}) CURRENT=${#words}
        [[ $1 != *" " ]] || { words+=("") CURRENT=${#words} }
        functions[_openblacs_again]="emulate -L zsh; $(<$2/share/zsh/site-functions/_openblacs)"
        _openblacs_again' - "$1" "$prefix"
}

offers() { # LINE WORD...: among what each shell offers
    local line=$1 word shell
    shift
    for shell in bash fish zsh; do
        in_$shell "$line" 2>&1 | tr -s ' \t' '\n' >"$shell"
        for word; do
            grep -qxF -- "$word" "$shell" || echo "$shell: '$line' does not offer $word: $(head -c 300 "$shell" | paste -sd' ')"
        done
    done
}
offers "obrun --" --bind --timeout --tag
offers "obrun --bind " core none
offers "obbench b" broadcast barrier bsp_probe
offers "obbench tc --format " csv json table
offers "obbench v" verdict
offers "obbench verdict --" --picture --noise --scalapack
offers "obbench verdict --rows " short long
offers "obtrace " convert report stat
offers "obinfo --" --explain --torus --error
offers "bspcc --" --mcbsp --level1
# The program that obrun starts completes its own words.
offers "obrun -n 2 obtrace " convert report stat
