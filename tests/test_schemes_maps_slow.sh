#!/usr/bin/env bash
# `ovoid bench convergence` and `ovoid bench portal`: tables, CSV and pictures. Slow, since the
# interior point method is.
# shellcheck disable=SC2016  # the conditions are those of awk
set -u
command=${OVOID_COMMAND:?the ovoid command to test}
case $command in
/*) ;;
*) command=$PWD/$command ;;
esac
export LC_ALL=C
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0
failed=0

run() { # ARGUMENTS...: sets status; the streams are in the files out and err
    case_name="ovoid ${*:2}"
    "$@" >out 2>err </dev/null
    status=$?
}
check() { # WHAT, then a command that must succeed
    local what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'failed: %s: %s\n  status %s\n' "$case_name" "$what" "$status"
        tail -n 60 out | sed 's/^/  out: /'
        tail -n 20 err | sed 's/^/  err: /'
    fi
}
# the awk condition holds for every row that matches, and there is one
all_rows() { # PATTERN CONDITION FILE
    awk -F, -v pattern="$1" '$0 ~ pattern { n++; if (!('"$2"')) { print; bad = 1 } }
        END { exit bad || n == 0 }' "$3"
}
is_svg() { # FILE
    head -c 200 "$1" | grep -q '<svg ' && tail -n 1 "$1" | grep -qx '</svg>' &&
        ! grep -qiE '(nan|inf)[",]' "$1"
}

if ! "$command" schemes >list 2>err; then
    # that it says so is tested with the command's other messages
    grep -q 'built without the published schemes' err && echo 'schemes: not built' && exit 0
    cat err
    exit 1
fi
available=$(awk '$2 == "available" { print $1 }' list)
has() { grep -qx "$1" <<<"$available"; }

run "$command" bench convergence --pairs 1 --csv c.csv --svg c.svg
check 'succeeds' [ "$status" -eq 0 ]
check 'picture' is_svg c.svg
check 'nine fields a row' all_rows . 'NF == 9' c.csv
check 'both maps of Ovoid' [ "$(grep -c ',Ovoid,' c.csv)" -eq $((9 * 9 + 9 * 12)) ]
check 'Ovoid fails in no cell' all_rows ',Ovoid,' '$6 == 1 && $7 == 1 && $8 == 0' c.csv
if has quadImplicit; then
    check 'round bodies are easy' all_rows '^exponents,quadImplicit,1,1,' '$8 == 0 && $9 < 10' c.csv
fi

run "$command" bench portal --csv p.csv --svg p.svg
check 'succeeds' [ "$status" -eq 0 ]
check 'picture' is_svg p.svg
check 'figures' [ "$(wc -l <p.csv)" -gt 8 ]

printf 'maps and cases: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
