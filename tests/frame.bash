# The frame of the command's shell tests; sourced, first of all. Needs OVOID_COMMAND, and for tests of
# ovoid-bench OVOID_BENCH_COMMAND. Goes to an empty folder that is removed at the end; the streams of
# the last run are in its files out and err.
set -u
command=${OVOID_COMMAND:?the ovoid command to test}
source_dir=${OVOID_SOURCE_DIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
case $command in
/*) ;;
*) command=$PWD/$command ;;
esac
if [ ! -x "$command" ]; then
    printf 'no command to test: %s\n' "$command"
    exit 1
fi
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
silent() { # nothing on the error stream, or what open_meshes has announced
    check "message '${announced-}', or none" [ "$(cat err)" = "${announced-}" ]
}
# until it is called without arguments: what is said of meshes that are not closed
open_meshes() { # FILE NAMES
    announced=${1:+"ovoid: $1: note: meshes that are not closed are surfaces, which have no inside: ${2-}"}
}
good() { # ARGUMENTS...: must succeed and say nothing on the error stream
    run "$@"
    check 'exit status 0' [ "$status" -eq 0 ]
    silent
}
bad() { # MESSAGE ARGUMENTS...: exit status 2, no output, exactly this line on the error stream
    local message=$1
    shift
    run "$@"
    check 'exit status 2' [ "$status" -eq 2 ]
    check "message '$message'" [ "$(cat err)" = "$message" ]
    check 'no output' [ ! -s out ]
}
refused() { # PATTERN ARGUMENTS...: exit status 2, no output, one line that has this
    local pattern=$1
    shift
    run "$@"
    check 'exit status 2' [ "$status" -eq 2 ]
    check "says $pattern" grep -qE -- "$pattern" err
    check 'one line' [ "$(wc -l <err)" -eq 1 ]
    check 'no output' [ ! -s out ]
}
says() { grep -qF -- "$1" out; }
# the awk condition holds for every row that matches, and there is one
all_rows() { # PATTERN CONDITION FILE
    awk -F, -v pattern="$1" '$0 ~ pattern { n++; if (!('"$2"')) { print; bad = 1 } }
        END { exit bad || n == 0 }' "$3"
}
# read by others, which the tests need: NaN and Infinity are no JSON
is_json() { # FILE
    python3 -c 'import json, sys
json.load(open(sys.argv[1], encoding="utf-8"), parse_constant=lambda word: sys.exit(1))' "$1" 2>/dev/null
}
is_xml() { # FILE
    python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$1" 2>/dev/null
}
is_svg() { # FILE
    head -c 200 "$1" | grep -q '<svg ' && tail -n 1 "$1" | grep -qx '</svg>' && is_xml "$1" &&
        ! grep -qiE '(nan|inf)[",]' "$1"
}
# from here on `run`, `good` and `bad` are about ovoid-bench; $ovoid is the command. OVOID_BENCH_PEERS:
# was FCL there at build time?
use_bench() {
    ovoid=$command
    command=${OVOID_BENCH_COMMAND:?ovoid-bench to test}
    has_peers=${OVOID_BENCH_PEERS:-no}
}
# the schemes that were built; ends the test where ovoid-bench has none at all
list_schemes() {
    if ! "$command" schemes >list 2>err; then
        # that it says so is tested with the command's other messages
        grep -q 'built without the published schemes' err && echo 'schemes: not built' && exit 0
        cat err
        exit 1
    fi
    available=$(awk '$2 == "available" { print $1 }' list)
}
plots() { # PLOT CSV: a script of bench/plots makes a picture of a study's figures
    gnuplot -c "$source_dir/bench/plots/$1.gp" "$2" "$1.svg" 2>>err && is_xml "$1.svg" &&
        [ "$(grep -c '<path' "$1.svg")" -gt 5 ]
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

# An arm whose upper arm is a box along x from 0 to 1, 0.2 thick, in a file of triangles; turned about z.
box_obj() { # FILE [LINES to leave out at the end]
    {
        for x in 0 1; do for y in -0.1 0.1; do for z in -0.1 0.1; do echo "v $x $y $z"; done; done; done
        printf 'f %s\n' '1 2 4' '1 4 3' '5 7 8' '5 8 6' '1 5 6' '1 6 2' '3 4 8' '3 8 7' '1 3 7' '1 7 5' \
            '2 6 8' '2 8 4' | head -n "-${2:-0}"
    } >"$1"
}
mesh_arm() { # MESH
    cat <<END
<robot name="arm">
  <link name="base"/>
  <link name="upper_arm"><collision><geometry><mesh filename="$1"/></geometry></collision></link>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="upper_arm"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="9"/>
  </joint>
</robot>
END
}
marble() { # X Y Z [RADIUS]
    printf '{"bodies": [{"name": "marble", "kind": "sphere", "radius": %s, "position": [%s, %s, %s]}]}\n' \
        "${4:-0.01}" "$1" "$2" "$3"
}
# A robot's arm of a closed mesh and of an open one, how it turns, and a marble inside of it.
arm_with_marble() {
    box_obj arm.obj
    box_obj open.obj 1
    mesh_arm arm.obj >solid.urdf
    mesh_arm open.obj >open.urdf
    printf 'time,turn\n0,0\n1,1\n' >turn.csv
    marble 0.5 0 0 >inside.json
}
