# The frame of the command's shell tests; sourced, first of all. Needs OVOID_COMMAND. Goes to an empty
# folder that is removed at the end; the streams of the last run are in its files out and err.
set -u
command=${OVOID_COMMAND:?the ovoid command to test}
source_dir=${OVOID_SOURCE_DIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
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
status=0

run_program() { # PROGRAM ARGUMENTS...: sets status
    case_name="$(basename "$1") ${*:2}"
    "$@" >out 2>err </dev/null
    status=$?
}
run() { # ARGUMENTS of the command...: sets status
    run_program "$command" "$@"
}
check() { # WHAT, then a command that must succeed
    local what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'failed: %s: %s\n  status %s\n' "$case_name" "$what" "$status"
        tail -n 60 out | head -c 3000 | sed 's/^/  out: /'
        tail -n 20 err | head -c 1500 | sed 's/^/  err: /'
    fi
}
good() { # ARGUMENTS...: must succeed and say nothing on the error stream
    run "$@"
    check 'exit status 0' [ "$status" -eq 0 ]
    check 'no message' [ ! -s err ]
}
bad() { # MESSAGE ARGUMENTS...: exit status 2, no output, exactly this line on the error stream
    local message=$1
    shift
    run "$@"
    check 'exit status 2' [ "$status" -eq 2 ]
    check "message '$message'" [ "$(cat err)" = "$message" ]
    check 'no output' [ ! -s out ]
}
says() { grep -qF -- "$1" out; }
# the awk condition holds for every row that matches, and there is one
all_rows() { # PATTERN CONDITION FILE
    awk -F, -v pattern="$1" '$0 ~ pattern { n++; if (!('"$2"')) { print; bad = 1 } }
        END { exit bad || n == 0 }' "$3"
}
is_svg() { # FILE
    head -c 200 "$1" | grep -q '<svg ' && tail -n 1 "$1" | grep -qx '</svg>' &&
        ! grep -qiE '(nan|inf)[",]' "$1"
}
# the schemes that were built; ends the test where the command has none at all
list_schemes() {
    if ! "$command" schemes >list 2>err; then
        # that it says so is tested with the command's other messages
        grep -q 'built without the published schemes' err && echo 'schemes: not built' && exit 0
        cat err
        exit 1
    fi
    available=$(awk '$2 == "available" { print $1 }' list)
}
has_scheme() { grep -qx "$1" <<<"$available"; }

# A robot of two spheres on a bent arm: their gap is 2 |cos(q/2)| - 0.2, q the first joint's position.
two_spheres() { # LARGEST SPEED
    cat <<END
<robot name="two">
  <link name="root"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="middle"/>
  <link name="tip"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="first" type="revolute">
    <parent link="root"/><child link="middle"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-3.05" upper="3.05" effort="1" velocity="$1"/>
  </joint>
  <joint name="second" type="continuous">
    <parent link="middle"/><child link="tip"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
  </joint>
</robot>
END
}
