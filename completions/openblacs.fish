# Completion for fish: obrun, obbench, obtrace, obinfo, bsprun, bspcc. What there is, the tool's own
# --help says; so this file need not know it. Installed under each tool's name.

# The help of the tool, or of its command on the line that has one of its own.
function __openblacs_help --argument-names tool
    set -l words (commandline -opc)
    if test $tool = obbench; and test (count $words) -gt 1; and test $words[2] = verdict
        $tool verdict --help 2>/dev/null
    else
        $tool --help 2>/dev/null
    end
end

# Options, or the values of the option given: those that the help lists with bars between them.
function __openblacs_options --argument-names tool
    __openblacs_help $tool | string match -a -r -g '(?:^|[][ ,(])(--?[A-Za-z][-A-Za-z0-9]*)(?=[][ ,=)]|$)' | sort -u
end

function __openblacs_values --argument-names tool option
    __openblacs_help $tool | string match -r -g -- "(?:^|[][ ,(])$option ([a-z][-a-z0-9]*(?:\|[a-z][-a-z0-9]*)+)" | string split '|' | sort -u
end

function __openblacs_commands --argument-names tool
    __openblacs_help $tool | awk '/^[a-z]/ { on = $0 == "commands" }
        on && /^  [a-z]/ { sub(/^  /, ""); sub(/   .*| [A-Z].*/, ""); n = split($0, w, " "); while (n) print w[n--] }'
end

# Those of the option before the cursor.
function __openblacs_here --argument-names tool
    set -l before (commandline -opc)[-1]
    string match -q -- '-*' $before; and __openblacs_values $tool $before
end

function __openblacs --argument-names tool
    string match -q -- '-*' (commandline -ct); and __openblacs_options $tool
    __openblacs_commands $tool
end

for tool in obrun obbench obtrace obinfo bsprun bspcc
    set -l valued "count (__openblacs_here $tool) >/dev/null"
    complete -c $tool -f -n $valued -a "(__openblacs_here $tool)"
    complete -c $tool -n "not $valued" -a "(__openblacs $tool)"
    contains $tool obrun bsprun; and complete -c $tool -n "not $valued" -a '(__fish_complete_subcommand -n -np -npes -x --timeout --bind)'
end
