#!/usr/bin/env bash
# `ovoid sweep`: scenes in motion and robots along trajectories. Closed forms, the pictures and
# files, and one line for each bad input.
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"

equals() { [ "$1" = "$2" ]; }
same_file() { cmp -s "$1" "$2"; }
near() { # VALUE EXPECTED TOLERANCE
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; exit !(a != "" && d <= t && -d <= t) }'
}
at_most() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a + 0 <= b + 0) }'; }
meets() { # ARGUMENTS...: exit status 1, and no message
    run "$@"
    check 'exit status 1' [ "$status" -eq 1 ]
    silent
}
number() { # KEY: its first value in the JSON output
    sed -n 's/^ *"'"$1"'": \(.*[^,]\),\{0,1\}$/\1/p' out | head -n 1
}
field() { awk -F, -v n="$2" -v k="$3" 'NR == n + 1 { print $k }' "$1"; } # FILE ROW COLUMN

# ---- two spheres: from x = -10 to 10 past one of the same size, Y aside -----------------------
# centres 2 apart at x = -sqrt(4 - Y^2): contact from 0.5 - sqrt(4 - Y^2)/20 on

spheres() { # Y
    cat <<END
{"title": "two <spheres> & no more", "time": [0, 1], "bodies": [
  {"name": "flying, fast", "kind": "sphere", "radius": 1,
   "motion": {"keys": {"times": [0, 1], "poses": [{"position": [-10, $1, 0]},
     {"position": [10, $1, 0], "rotation": {"axis": [0, 0, 1], "angle_deg": 170}}]}}},
  {"name": "rock", "kind": "sphere", "radius": 1}]}
END
}
spheres 2.001 >free.json
spheres 1.2 >hit.json
spheres 2 >touch.json
# not quite a sphere: its turning counts; half way it is turned by a right angle
turning='s/fast", "kind": "sphere", "radius": 1/fast", "kind": "superellipsoid", "semi_axes": [1, 1, 1],
  "exponents": [0.9, 1]/; s/: 170/: 180/'
turning=${turning//$'\n'/}
spheres 2.0000001 | sed "$turning" >close.json
spheres 2.001 | sed "$turning" >shallow.json
good sweep free.json
check 'head' equals "$(head -n 1 out)" 'free.json: 2 bodies, 1 in motion; time 0 to 1'
check 'free' grep -qx free out
check 'counts' grep -qE '^1 pair, [0-9]+ pieces?, [0-9]+ tests?, [0-9]+ quer(y|ies), [0-9]+ levels$' out
good sweep free.json --json
check 'JSON' is_json out
check 'version first' equals "$(sed -n 2p out)" '  "ovoid": 1,'
check 'free' equals "$(number answer)" '"free"'
check 'until the end' equals "$(number free_until)" 1
check 'no contact' equals "$(number contact_at)" null
check 'no intervals' equals "$(number intervals_found)" 0
meets sweep hit.json --json
check 'JSON' is_json out
check 'contact' equals "$(number answer)" '"contact"'
check 'names' equals "$(number a),$(number b)" '"flying, fast","rock"'
check 'no vertex and no edge' equals "$(number index_a)" null
check 'contact' near "$(number contact_at)" 0.42 2e-5
check 'not before' at_most 0.42 "$(number contact_at)"
check 'free before' near "$(number free_until)" 0.42 2e-5
check 'not after' at_most "$(number free_until)" 0.42
meets sweep hit.json --csv -o hit.csv
check 'nothing on standard output' [ ! -s out ]
meets sweep hit.json
check 'a word for it' grep -q '^contact: proven at 0.4200.*, flying, fast and rock; free before 0.4[12]' out
check 'head' equals "$(head -n 1 hit.csv)" \
    'start,end,contact,a,b,part_a,part_b,element,index_a,index_b'
check 'names are quoted' grep -q ',"flying, fast",rock,1,1,parts,,$' hit.csv
check 'from' near "$(head -n 2 hit.csv | tail -n 1 | cut -d, -f1)" 0.42 2e-5
check 'to' near "$(tail -n 1 hit.csv | cut -d, -f2)" 0.58 2e-5
meets sweep hit.json --first --json
check 'bracketed' awk -v a="$(number free_until)" -v b="$(number contact_at)" \
    'BEGIN { exit !(a <= 0.42 && 0.42 <= b && b - a <= 1.001e-6) }'
meets sweep hit.json --first --resolution 1e-9 --json
check 'bracketed more tightly' awk -v a="$(number free_until)" -v b="$(number contact_at)" \
    'BEGIN { exit !(a <= 0.42 + 1e-15 && 0.42 - 1e-15 <= b && b - a <= 1.001e-9) }'
# seven balls, each twice as fast as the one before, fall on a plate: ball k meets it at 0.9 / 2^k
awk 'BEGIN { printf "{\"time\": [0, 1], \"bodies\": ["
    for (k = 0; k < 7; k++)
        printf "{\"name\": \"ball %d\", \"kind\": \"sphere\", \"radius\": 1, \"position\": [%d, 0, " \
            "1.9], \"motion\": {\"screw\": {\"axis\": [0, 0, 1], \"travel\": %d}}},\n", k, 4 * k, -2^k
    print "{\"name\": \"plate\", \"kind\": \"box\", \"half_extents\": [99, 9, 1], \"position\": " \
        "[0, 0, -1]}]}" }' >rain.json
meets sweep rain.json --csv -o rain.csv
check 'each of the balls' [ "$(wc -l <rain.csv)" -eq 8 ]
meets sweep rain.json --first --csv -o rain.csv
check 'the first contact is one' [ "$(wc -l <rain.csv)" -eq 2 ]
check 'and it is the first' [ "$(field rain.csv 1 4)" = 'ball 6' ]
check 'at its time' near "$(field rain.csv 1 3)" 0.0140625 2e-6
meets sweep rain.json --first
check 'one line of the table' [ "$(grep -c '^ball ' out)" -eq 1 ]
meets sweep rain.json --first --json
check 'one of JSON' equals "$(number intervals_found)" 1
check 'with its names' equals "$(number a),$(number b)" '"ball 6","plate"'
meets sweep touch.json
check 'what only touches is no promise' sh -c '! grep -qx free out'
meets sweep free.json --clearance 0.01
check 'clearance' grep -q '^free.json: .*; time 0 to 1; clearance 0.01$' out
good sweep free.json --clearance 0.0005
meets sweep close.json --epsilon 0.01
check 'epsilon' grep -q '; epsilon 0.01$' out
check 'undecided' grep -q '^undecided: no contact is proven, and none excluded; free before 0.[45]' out
check 'in the table' grep -q ' not proven$' out
meets sweep shallow.json --levels 3
good sweep free.json --threads 2
sed 's/\[0, 1\]/[1700000000, 1700000001]/' hit.json >late.json
meets sweep late.json --svg late.svg
check 'times far from zero keep their digits' equals "$(head -n 1 out)" \
    'late.json: 2 bodies, 1 in motion; time 1700000000 to 1700000001'
check 'in the table' grep -qE '^flying.* 1700000000\.4[12][0-9]* +1700000000\.58' out
check 'in the answer' grep -qE '^contact: proven at 1700000000\.4200' out
check 'in the picture' grep -qF '>1700000000.2</text>' late.svg
case_name='from standard input'
"$command" sweep - <hit.json >out 2>err
check 'told' equals "$?:$(head -n 1 out)" '1:standard input: 2 bodies, 1 in motion; time 0 to 1'

# ---- pictures ---------------------------------------------------------------------------------

meets sweep hit.json --svg hit.svg
check 'a picture' is_svg hit.svg
check 'well-formed' is_xml hit.svg
check 'the title' grep -qF 'two &lt;spheres&gt; &amp; no more' hit.svg
check 'a row of the bar' grep -qF '>flying, fast, rock</text>' hit.svg
check 'in the colour of contacts' grep -qF '#d0212f' hit.svg
meets sweep hit.json --svg -
check 'to standard output, and nothing else' same_file out hit.svg
good sweep free.json --svg free.svg
check 'well-formed' is_xml free.svg
check 'proven' grep -qF 'free at every time, proven' free.svg
meets sweep hit.json --first --svg first.svg
check 'what was not looked at is told' grep -qF '>not looked at</text>' first.svg
check 'not else' sh -c '! grep -qF "not looked at" hit.svg'
meets sweep hit.json --csv
check 'to standard output, and nothing else' same_file out hit.csv

# ---- polygons: a square falls by 2 through a plate in one second, contact at the middle --------

polygons() { # MOTION
    cat <<END
{"time": [0, 1], "bodies": [
  {"name": "square", "kind": "polygons", "vertices": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]],
   "faces": [[0, 1, 2, 3]], "motion": $1},
  {"name": "plate", "kind": "polygons",
   "vertices": [[-5, -5, 0], [5, -5, 0], [5, 5, 0], [-5, 5, 0]], "faces": [[0, 1, 2, 3]]}]}
END
}
polygons '{"bezier": {"controls": [[1,0,0, 0,1,0, 0,0,1, 0,0,1], [1,0,0, 0,1,0, 0,0,1, 0,0,-1]]}}' \
    >plate.json
polygons '{"bezier": {"controls": [[1,0,0, 0,1,0, 0,0,1, 0,0,1], [2,0,0, 0,2,0, 0,0,1, 0,0,0.1]]}}' \
    >above.json
for how in '' '--no-hierarchy' '--mass global' '--mass individual --threads 2'; do
    # shellcheck disable=SC2086
    good sweep above.json --epsilon 0.01 $how
    check 'free' grep -qx free out
    # shellcheck disable=SC2086
    meets sweep plate.json --epsilon 0.01 $how --csv -o plate.csv
    # shellcheck disable=SC2016
    check 'around the middle' awk -F, 'NR > 1 && ($1 < 0.45 || $2 > 0.55) { bad = 1 }
        NR > 1 && $1 <= 0.5 && 0.5 <= $2 { hit = 1 } END { exit bad || !hit }' plate.csv
done
meets sweep plate.json --epsilon 0.01
check 'not free' sh -c '! grep -qx free out'
check 'faces in the table' grep -q '^square  .*face 1' out
meets sweep plate.json --svg plate.svg
check 'well-formed' is_xml plate.svg

# ---- a robot of two spheres: they meet where 2 cos(q/2) = 0.2 ---------------------------------

two_spheres 5 >two.urdf
printf 'time,first\n2,0\n3,3\n' >in.csv
printf 'time,first\n2,0\n3,2.9\n' >out.csv
printf 'first\n0\n3.1\n' >far.csv
printf 'time,first\n0,0\n0.5,3\n' >fast.csv
meets sweep two.urdf --joints in.csv --json
check 'JSON' is_json out
check 'the robot' equals "$(number robot)" '"two"'
check 'when they meet' near "$(number contact_at)" 2.9804192723949 1e-4
check 'not before' at_most 2.9804192723948 "$(number contact_at)"
check 'free before' at_most "$(number free_until)" 2.980419272395
check 'links' equals "$(number a),$(number b)" '"root","tip"'
good sweep two.urdf --joints out.csv
check 'head' equals "$(head -n 1 out)" 'two.urdf: two, 3 links; 2 poses of out.csv; time 2 to 3'
check 'free' grep -qx free out
good sweep two.urdf --joints out.csv --spline cubic --svg two.svg
check 'well-formed' is_xml two.svg
good sweep two.urdf --joints in.csv --allow tip,root
check 'allowed' grep -qx free out
run sweep two.urdf --joints far.csv
check 'meets' equals "$status" 1
check 'seconds' grep -qxF "ovoid: far.csv: note: no column 'time': poses are taken to be a second apart" err
check 'limits' grep -q "^ovoid: far.csv: note: joint 'first' leaves its limits: its position is 3.[01][0-9]* at " err
check 'two lines' equals "$(wc -l <err)" 2
run sweep two.urdf --joints fast.csv
check 'speed' grep -q "^ovoid: fast.csv: note: joint 'first' leaves its limits: its speed is 6 at " err

# the tip comes by a post at (1, 0.99): 1 from the joint, so 0.01 nearer than it would touch
cat >post.json <<'END'
{"bodies": [
  {"name": "far", "kind": "sphere", "radius": 0.1, "position": [1, 1.3, 0]},
  {"name": "post", "kind": "compound", "position": [1, 1.19, 0],
   "parts": [{"kind": "sphere", "radius": 0.1, "position": [0, 0, 5]}, {"kind": "sphere", "radius": 0.1}]},
  {"name": "sheet", "kind": "mesh", "position": [0, 0, -0.3],
   "vertices": [[-9, -9, 0], [9, -9, 0], [0, 9, 0]], "triangles": [[0, 1, 2]]}]}
END
open_meshes post.json sheet
meets sweep two.urdf --joints out.csv --obstacles post.json
check 'head' grep -q '^two.urdf: two, 3 links, 3 obstacles; 2 poses of out.csv; time 2 to 3$' out
check 'the part' grep -q '^tip  *part 1  *post  *part 2 ' out
sed 's/1.19/1.21/' post.json >beside.json
open_meshes beside.json sheet
good sweep two.urdf --joints out.csv --obstacles beside.json
check 'free' grep -qx free out
open_meshes
case_name='a trajectory from standard input'
"$command" sweep two.urdf --joints - <out.csv >out 2>err
check 'free' equals "$?:$(grep -cx free out)" 0:1

# ---- inside of a closed mesh: a marble in the arm that turns is met until the arm has left it -----

arm_with_marble
meets sweep solid.urdf --joints turn.csv --obstacles inside.json --json
interval() { awk -v key="\"$1\":" '/"intervals": / { inside = 1 } inside && $1 == key { print $2 + 0; exit }' out; }
check 'from the start' equals "$(number free_until):$(interval start)" 0:0
check 'contact early' at_most "$(number contact_at)" 0.1
# the ball leaves the side of the box at sin(q) = 0.11/0.5
check 'until it is out' near "$(interval end)" 0.22181 0.001
meets sweep solid.urdf --joints turn.csv --obstacles inside.json --first --json
check 'at the first moment' at_most "$(number contact_at)" 1e-5
marble 0.5 0.3 0 >ahead.json
meets sweep solid.urdf --joints turn.csv --obstacles ahead.json --json
check 'on the way in' near "$(interval start)" 0.346 0.01
marble 0.5 0 0.3 >above.json
good sweep solid.urdf --joints turn.csv --obstacles above.json
check 'free' grep -qx free out
open_meshes open.urdf upper_arm
good sweep open.urdf --joints turn.csv --obstacles above.json
open_meshes

# ---- the bundled ones -------------------------------------------------------------------------

data=$source_dir/data
good sweep "$data/motion_bodies.json" --svg bodies.svg
check 'free' grep -qx free out
check 'well-formed' is_xml bodies.svg
good sweep "$data/motion_polygons.json" --svg polygons.svg
check 'free' grep -qx free out
check 'well-formed' is_xml polygons.svg
good sweep "$data/arm.urdf" --joints "$data/arm_reach.csv" --spline cubic \
    --obstacles "$data/arm_room.json"
check 'free' grep -qx free out
meets sweep "$data/arm.urdf" --joints "$data/arm.csv" --csv -o arm.csv
# both at a time, so either may be the first
for finger in left_finger right_finger; do
    check "the $finger meets the base" grep -q "^1\.6585[^,]*,2\.338[^,]*,1\.6585[^,]*,base,$finger," arm.csv
done
meets sweep "$data/arm.urdf" --joints "$data/arm.csv" --csv -o arm2.csv --threads 2
check 'threads make no difference' same_file arm.csv arm2.csv

# ---- help -------------------------------------------------------------------------------------

good sweep --help

# ---- bad input --------------------------------------------------------------------------------

bad "ovoid: sweep: needs a file: a scene in motion or a robot, or '-'" sweep
bad 'ovoid: sweep: b.json: a second file; it takes one: a scene in motion or a robot' sweep a.json b.json
bad 'ovoid: sweep: a robot needs --joints FILE.csv, the poses of its motion' sweep two.urdf
bad 'ovoid: first=1: a motion needs a file of at least 2 poses, got 1' sweep two.urdf --joints first=1
bad 'ovoid: sweep: --joints needs a robot, hit.json is a scene' sweep hit.json --joints in.csv
bad 'ovoid: sweep: --spline needs a robot, hit.json is a scene' sweep hit.json --spline cubic
bad "ovoid: sweep: only one file can be standard input, '-'" sweep two.urdf --joints - --obstacles -
bad 'ovoid: sweep: --csv and --json exclude each other' sweep hit.json --json --csv
bad 'ovoid: sweep: --svg - and what is printed both go to standard output: name a file with -o or --svg' \
    sweep hit.json --svg - --csv
bad 'ovoid: sweep: --epsilon = -1: must be finite and not negative' sweep hit.json --epsilon -1
bad 'ovoid: sweep: --clearance = nan: must be finite and not negative' sweep hit.json --clearance nan
bad 'ovoid: sweep: --clearance = 1e101: must be at most 1e100' sweep hit.json --clearance 1e101
bad 'ovoid: both.out: is the file of two outputs' \
    sweep hit.json --csv -o both.out --svg both.out
bad 'ovoid: sweep: --mass is for polygons, which a robot does not have' \
    sweep two.urdf --joints in.csv --mass global
bad 'ovoid: sweep: --no-hierarchy is for polygons, which a robot does not have' \
    sweep two.urdf --joints in.csv --no-hierarchy
bad 'ovoid: sweep: --levels = 0: must be from 1 to 60' sweep hit.json --levels 0
bad 'ovoid: sweep: --levels = 61: must be from 1 to 60' sweep hit.json --levels 61
bad 'ovoid: sweep: --resolution = 0: must be from 1e-12 to 1' sweep hit.json --first --resolution 0
bad 'ovoid: sweep: --resolution needs --first' sweep hit.json --resolution 1e-3
bad 'ovoid: sweep: --threads = 1000: must be at most 256' sweep hit.json --threads 1000
bad 'ovoid: sweep: --mass = heavy: not one of: individual global' sweep hit.json --mass heavy
bad 'ovoid: sweep: --spline = quintic: not one of: linear cubic' \
    sweep two.urdf --joints in.csv --spline quintic
bad 'ovoid: missing.json: cannot be read: No such file or directory' sweep missing.json
bad 'ovoid: missing.csv: cannot be read: No such file or directory' \
    sweep two.urdf --joints missing.csv
bad 'ovoid: missing.json: cannot be read: No such file or directory' \
    sweep two.urdf --joints in.csv --obstacles missing.json
bad 'ovoid: nowhere/a.svg: cannot be written: No such file or directory' \
    sweep hit.json --svg nowhere/a.svg
bad 'ovoid: nowhere/a.csv: cannot be written: No such file or directory' \
    sweep hit.json --csv -o nowhere/a.csv
bad "ovoid: sweep: --allow: nothing has the name 'tips'; did you mean 'tip'?" \
    sweep two.urdf --joints in.csv --allow root,tips
bad 'ovoid: sweep: --allow needs a robot, hit.json is a scene' sweep hit.json --allow a,b
bad "ovoid: sweep: --allow: 'post' is an obstacle; pairs of links may be given" \
    sweep two.urdf --joints in.csv --obstacles post.json --allow tip,post
printf 'first\n1\n' >one.csv
run sweep two.urdf --joints one.csv
check 'one pose' grep -qx 'ovoid: one.csv: a motion needs a file of at least 2 poses, got 1' err
printf 'time,first\n0,1\n1,2\n1,3\n' >back.csv
bad 'ovoid: back.csv: pose 3: its time, 1, is not after 1' \
    sweep two.urdf --joints back.csv
bad_motion() { # MOTION MESSAGE
    printf '{"time":[0,1],"bodies":[\n{"name":"egg","kind":"sphere","radius":1,\n"motion":%s},
{"name":"floor","kind":"halfspace","normal":[0,0,1],"offset":-5}]}' "$1" >bad.json
    bad "ovoid: bad.json$2" sweep bad.json
}
bad_motion '{"bezier":{"controls":[[1,0,0,0,1,0,0,0,1,0,0,0],[1,0,0,0,1,0,0,0,1,0,0,0]],"weights":[1,0]}}' \
    ':3: egg: motion.bezier.weights[1]: a weight must be positive'
bad_motion '{"keys":{"times":[0,2,1],"poses":[]}}' ':3: egg: motion.keys.times[2]: times must ascend'
bad_motion '{"bezier":{"controls":[[1,0,0,0,1,0,0,0,1,0,0,0],[1,0,0,0,1,0,0,0,1,0,0,1]]}}' \
    ': egg: a motion that need not be rigid is for polygons, and meets nothing but polygons'
printf '{"time":[0,1],"bodies":[\n{"name":"egg","kind":"sphere","radius":1},
{"name":"floor","kind":"halfspace","normal":[0,0,1],"offset":-5,
"motion":{"screw":{"axis":[0,0,1],"travel":1}}}]}' >bad.json
bad 'ovoid: bad.json: floor: a half-space cannot move' sweep bad.json
printf '{"time":[1,0],"bodies":[]}' >bad.json
bad 'ovoid: bad.json:1: time: the end, 0, is not after the start, 1' sweep bad.json
printf '{"time":[0,1],"bodies":[]}' >none.json
good sweep none.json --svg none.svg
check 'nothing meets' grep -qx free out
check 'well-formed' is_xml none.svg

# ---- progress ---------------------------------------------------------------------------------

# bodies that turn a hair above a plate: seconds of work
awk 'BEGIN { print "{\"time\": [0, 1], \"bodies\": ["
    for (i = 0; i < 24; i++)
        printf "{\"kind\": \"superellipsoid\", \"semi_axes\": [1, 1, 1], \"exponents\": [0.7, 0.8], " \
            "\"position\": [%d, 0, 1.0000002], \"motion\": {\"screw\": {\"point\": [%g, 0, 0], " \
            "\"axis\": [0, 0, 1], \"angle_deg\": 360}}},\n", i * 10, i * 10 + 0.5
    print "{\"kind\": \"box\", \"half_extents\": [1000, 1000, 1], \"position\": [0, 0, -1]}]}" }' >long.json
start=$(date +%s%N)
good sweep long.json --epsilon 2e-8
took=$((($(date +%s%N) - start) / 1000000))
if command -v script >/dev/null && [ "$took" -gt 3000 ]; then
    case_name='sweep on a terminal'
    script -qec "'$command' sweep long.json --epsilon 2e-8" /dev/null <in.csv >terminal 2>err
    status=$?
    check 'exit status 0' [ "$status" -eq 0 ]
    check 'a bar' grep -q '\[##*  *\]  *[0-9]* %' terminal
    check 'which is taken away' grep -q "$(printf '\r\033\\[K')" terminal
    check 'and the answer' grep -q '^free' terminal
else
    echo 'sweep: no terminal, or a machine so fast that no bar is due: it is not tried'
fi

printf 'sweep: %s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
