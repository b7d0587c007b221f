# Completion of the ovoid command for bash: verbs, kinds of shape, options, file names.
#
# The words come from the command itself (`ovoid help --list`), so this file does not change when a
# verb or an option is added. Install it as /usr/share/bash-completion/completions/ovoid, or source it.

_ovoid() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[0]} verb=${COMP_WORDS[1]} words='' kind='' word i
    COMPREPLY=()

    if ((COMP_CWORD == 1)); then
        words="$("$command" help --list verbs 2>/dev/null) --help --version"
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
        return
    fi
    if [[ $verb == help ]]; then
        if ((COMP_CWORD == 2)); then
            words="$("$command" help --list verbs 2>/dev/null) $("$command" help --list topics 2>/dev/null)"
            mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
        fi
        return
    fi

    # the value of an option: one of its words, a file, or free
    if [[ $previous == -* ]]; then
        words=$("$command" help --list values "$verb" "$previous" 2>/dev/null)
        if [[ $words == FILE ]]; then
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            return
        elif [[ -n $words ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
            return
        fi
    fi
    if [[ $current == -* ]]; then
        words=$("$command" help --list options "$verb" 2>/dev/null)
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
        return
    fi

    # the words are files, or the first one is a kind and the only words after it that are not
    # numbers are file names
    words=$("$command" help --list kinds "$verb" 2>/dev/null)
    if [[ $words == FILE ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
    fi
    for ((i = 2; i < COMP_CWORD; i++)); do
        for word in $words; do
            [[ ${COMP_WORDS[i]} == "$word" ]] && kind=$word
        done
    done
    if [[ -n $words && -z $kind ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    elif [[ $kind == polyhedron ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}

complete -F _ovoid ovoid
