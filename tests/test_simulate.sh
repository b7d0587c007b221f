#!/usr/bin/env bash
# `ovoid simulate`: the example, tables, records and the last state; and one line for each bad input.
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"

equals() { [ "$1" = "$2" ]; }
at_most() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a + 0 <= b + 0) }'; }
field() { awk -F, -v k="$2" 'END { print $k }' "$1"; } # FILE COLUMN: in the last row

# ---- the example ------------------------------------------------------------------------------
good simulate --example
cp out eggs.json
good simulate eggs.json --seconds 0.5 --svg eggs.svg --record eggs.glb -o last.json
check 'a table' grep -qE '^ +time +kinetic' out
check 'cloth stays out' grep -qE '^cloth 1: 961 vertices; at the end no triangle is deeper than [0-9.e-]+ m' out
check 'picture' is_svg eggs.svg
check 'animation' equals "$(head -c 4 eggs.glb)" glTF
run contact last.json
check 'the last state is a scene' [ "$status" -le 1 ]
good simulate eggs.json --seconds 0.2 --record frames.obj --every 6
check 'three frames' equals "$(ls frames-*.obj | wc -l)" 3

# ---- the scene that the help shows: a body, a joint, a robot and a cloth ------------------------
good help simulation
awk '/^  \{/ { on = 1 } on { print } /^ *$/ && on { exit }' out >helped.json
cp "$source_dir/data/arm.urdf" .
good simulate helped.json --seconds 0.1
check 'a cloth' grep -q '^cloth 1: 441 vertices' out

# ---- a ball that falls for a second: v = g t, and the table says so ---------------------------
printf '{"gravity": [0, 0, -10], "time": [0, 1], "bodies": [{"kind": "sphere", "radius": 0.1, "mass": 2}]}' >fall.json
good simulate fall.json --csv
check 'header' equals "$(head -n 1 out | cut -d, -f1-3)" 'time,kinetic,potential'
check '61 rows' equals "$(wc -l <out)" 62
check 'kinetic energy' at_most "$(awk -F, 'END { d = $2 - 100; print d < 0 ? -d : d }' out)" 1e-9
for threads in 1 2; do
    good simulate eggs.json --seconds 0.3 --threads $threads -o state$threads.json
done
check 'same bits on one thread and two' cmp -s state1.json state2.json

# ---- the scenes of the data folder ------------------------------------------------------------
# SCENE DEPTH: runs to its end, all numbers are finite, and no overlap is deeper than this, in metres
for scene in 'arm 0.01' 'puppet 0.01' 'pile 0.05' 'cloth 0.01'; do
    read -r name depth <<<"$scene"
    good simulate "$source_dir/data/sim_$name.json" --csv
    check 'finite' awk '/nan|inf/ { exit bad = 1 } END { exit bad }' out
    # from the first second on; the puppet comes to rest, and sleeps then
    check 'it moves' all_rows '^[1-9]' '$2 > 0 || $12 == 0' out
    check "overlaps up to $depth" all_rows '^[0-9]' "\$10 <= $depth" out
done
check 'cloth stays out of bodies in every frame' all_rows '^[0-9]' '$16 <= 1e-4' out
check 'in 121 frames' equals "$(wc -l <out)" 122
# where the ball presses it on the brick, it takes some rounds until it is out of both
good simulate "$source_dir/data/sim_cloth.json" --rate 120 --csv
check 'cloth stays out of bodies in shorter frames' all_rows '^[0-9]' '$16 <= 1e-4' out
good simulate "$source_dir/data/sim_cloth.json"
check 'cloth at rest is out' grep -qE '^sheet: 961 vertices; at the end no triangle is deeper than 0 m' out

# ---- what is wrong is told in a line ----------------------------------------------------------
refused 'needs one scene' simulate
refused 'not-there.json' simulate not-there.json
printf '{"bodies": [], "wind": 1}' >wind.json
refused 'wind.json:1: .*wind' simulate wind.json
refused 'must be above 0' simulate fall.json --seconds 0
refused 'must be 0.001 to 1000000' simulate fall.json --rate 0
refused 'at least 1' simulate fall.json --every 0
refused 'too many' simulate fall.json --seconds 1e9
refused '[.]glb, [.]obj' simulate fall.json --record film.mp4
refused '[.]json' simulate fall.json -o state.txt
refused 'fall.json' simulate fall.json -o fall.json
check 'the input is still there' grep -q gravity fall.json

printf 'simulate: %s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
