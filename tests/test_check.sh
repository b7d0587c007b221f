#!/usr/bin/env bash
# `ovoid check`: scenes, robots and trajectories; and bodies of several parts and meshes in
# `ovoid contact`. Golden outputs, closed forms, and one line for each bad input.
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"

equals() { [ "$1" = "$2" ]; }
same_file() { cmp -s "$1" "$2"; }
near() { # VALUE EXPECTED TOLERANCE
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; exit !(a != "" && d <= t && -d <= t) }'
}
collides() { # ARGUMENTS...: exit status 1, and no message but what is announced
    run "$@"
    check 'exit status 1' [ "$status" -eq 1 ]
    silent
}
# field POSE A B COLUMN: of CSV output
field() { awk -F, -v p="$1" -v a="$2" -v b="$3" -v k="$4" '$1 == p && $3 == a && $4 == b { print $k }' out; }
# the arm meets nothing before and after the middle of its way
ends_are_clear() { # FILE
    awk -F, 'NR > 1 && ($1 < 43 || $1 > 59) && $8 != "separated" { bad = 1 } END { exit bad }' "$1"
}
# the width of bounds to rounding depends on the machine
golden() { # of standard input
    cat >expected
    sed -i -E 's/ [0-9.]+e-1[0-9] / <1e-9 /; s/ [0-9.]+e-1[0-9]$/ <1e-9/' out
    check 'golden output' same_file out expected
    cmp -s out expected || diff expected out | head -n 20
}

# ---- a robot of two spheres: gap = 2 |cos(q/2)| - 0.2 -----------------------------------------

two_spheres 1 >two.urdf
cat >two.csv <<'END'
time,second,first
0,0,0
0.5,1,2

1,-1,3
1.5,0,3.1
2,0,-2
END
good check two.urdf
golden <<'END'
two.urdf: two, 3 links, 2 joints; at rest; limit 0.05

no collision
least gap more than 0.05
END
announced="ovoid: two.csv: note: joints are beyond their limits in 1 of 5 poses, first 'first' in pose 4"
collides check two.urdf --joints two.csv --limit 1
golden <<'END'
two.urdf: two, 3 links, 2 joints; 5 poses of two.csv; limit 1

link A  link B  relation     least gap   within  in pose  near in  collide in  first
root    tip     overlapping   -0.15841  <1e-9        4        4           2      3

collision in 2 of 5 poses, first in pose 3 (time 1): root and tip
least gap -0.15841 in pose 4 (time 1.5): root and tip
END
collides check two.urdf --joints two.csv --limit 1 -o table.txt
check 'the same in a file' equals "$(sed -n '$p' table.txt)" 'least gap -0.15841 in pose 4 (time 1.5): root and tip'
check 'and only there' [ ! -s out ]
collides check two.urdf --joints two.csv --limit 1 --wide
check 'all digits' grep -qE '^root +tip +overlapping +-0\.1584103[0-9]{10,} +-0\.1584103[0-9]+ +-0\.1584103[0-9]+ ' out
collides check two.urdf --joints two.csv --limit 2 --csv
check 'a line for each pose, and the head' equals "$(wc -l <out)" 6
check 'head' equals "$(head -n 1 out)" \
    'pose,time,a,b,part_a,part_b,status,relation,gap,gap_lower,gap_upper,ax,ay,az,bx,by,bz,nx,ny,nz,iterations'
check 'gap' near "$(field 1 root tip 9)" 1.8 1e-12
check 'gap' near "$(field 2 root tip 9)" 0.88060461173628 1e-12
check 'depth' near "$(field 3 root tip 9)" -0.058525596664594 1e-12
check 'relation' equals "$(field 3 root tip 8)" overlapping
check 'time' equals "$(field 5 root tip 2)" 2
check 'witness point' near "$(field 1 root tip 15)" 1.9 1e-12
good check two.urdf --joints two.csv --limit 2 --allow tip,root
check 'allowed' equals "$(tail -n 2 out | head -n 1)" 'no collision'
announced=
good check two.urdf --json
check 'version first' equals "$(sed -n 2p out)" '  "ovoid": 1,'
check 'JSON' is_json out
check 'nothing near' grep -qx '  "least_gap": null' out
announced="ovoid: two.csv: note: joints are beyond their limits in 1 of 5 poses, first 'first' in pose 4"
collides check two.urdf --joints two.csv --json --limit 1
announced=
check 'JSON' is_json out
for line in '  "poses": 5,' '  "poses_in_collision": 2,' '  "poses_undecided": 0,' \
    '  "poses_beyond_limits": 1,' '  "robot": "two",' '  "limit": 1,' '      "time": 1.5,'; do
    check "$line" grep -qxF "$line" out
done
check 'all contacts, the first and the least' equals "$(grep -c '"relation"' out)" 6

# the same from standard input, and the joints from there
case_name='from standard input'
"$command" check - <two.urdf >out 2>err
check 'a robot' equals "$?:$(head -n 1 out)" \
    '0:standard input: two, 3 links, 2 joints; at rest; limit 0.05'
"$command" check two.urdf --joints - <two.csv >out 2>err
check 'joints' equals "$?:$(grep -c 'collision in 2 of 5' out)" 1:1

# one pose, by names
collides check two.urdf --joints first=3,second=1 --csv --limit 1
check 'depth' near "$(field 1 root tip 9)" -0.058525596664594 1e-12
good check two.urdf --joints first=2
check 'told' equals "$(head -n 1 out)" 'two.urdf: two, 3 links, 2 joints; at first=2; limit 0.05'
announced="ovoid: first=-3.1: note: joint 'first' is beyond its limits"
collides check two.urdf --joints first=-3.1
announced=
bad "ovoid: check: --joints: no joint has the name 'frist'; did you mean 'first'?" check two.urdf --joints frist=1

# ---- obstacles --------------------------------------------------------------------------------

cat >wall.json <<'END'
{"bodies": [
  {"name": "wall", "kind": "halfspace", "normal": [0, 1, 0], "offset": -0.5},
  {"name": "lamp", "kind": "compound", "position": [2, 0, 0.5], "parts": [
    {"kind": "sphere", "radius": 0.1, "position": [0, 0, 0.5]},
    {"kind": "sphere", "radius": 0.1, "position": [0, 0, -0.25]}]},
  {"name": "sheet", "kind": "mesh", "vertices": [[-9, -9, -0.3], [9, -9, -0.3], [0, 9, -0.3]],
   "triangles": [[0, 1, 2]]}
]}
END
open_meshes wall.json sheet
announced+=$'\n'"ovoid: two.csv: note: joints are beyond their limits in 1 of 5 poses, first 'first' in pose 4"
collides check two.urdf --joints two.csv --obstacles wall.json --limit 0.25
check 'obstacles are told' grep -q 'two, 3 links, 2 joints, 3 obstacles; 5 poses' out
check 'head' grep -q '^link A  link or obstacle B ' out
check 'the wall' equals "$(awk '$1 == "tip" && $2 == "wall" { print $3, $8, $9 }' out)" 'overlapping 1 5'
check 'first of all' grep -q '^collision in 3 of 5 poses, first in pose 3 (time 1): root and tip$' out
collides check two.urdf --joints two.csv --obstacles wall.json --limit 0.25 --csv
check 'a part of a compound' equals "$(field 1 tip lamp 6)" 2
check 'its gap' near "$(field 1 tip lamp 9)" 0.05 1e-12
check 'a mesh' near "$(field 2 root sheet 9)" 0.2 1e-12
check 'a half-space' near "$(field 5 tip wall 9)" -0.50929742682568 1e-12
run check two.urdf --joints two.csv --obstacles wall.json --allow tip,wall:root,tip
check 'both allowed' equals "$status:$(grep -c '^no collision$' out)" 0:1
open_meshes

# ---- the bundled arm --------------------------------------------------------------------------

arm=$source_dir/data/arm.urdf
good check "$arm"
check 'at rest' grep -q '^no collision$' out
collides check "$arm" --joints "$source_dir/data/arm.csv"
check 'the middle' grep -q '^collision in 17 of 101 poses, first in pose 43 (time 1.68): base and ' out
check 'the deepest' grep -q '^least gap -0.0374332 in pose 51 (time 2): base and ' out
collides check "$arm" --joints "$source_dir/data/arm.csv" --csv
cp out one
collides check "$arm" --joints "$source_dir/data/arm.csv" --csv --threads 2
check 'threads make no difference' same_file out one
check 'no collision at the ends' ends_are_clear one

# ---- scenes -----------------------------------------------------------------------------------

cat >scene.json <<'END'
{"bodies": [
  {"name": "a, b", "kind": "sphere", "radius": 1},
  {"name": "hammer", "kind": "compound", "position": [3, 0, 0], "parts": [
    {"kind": "box", "half_extents": [0.25, 1, 1], "position": [-1, 0, 0]},
    {"kind": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2]]}]},
  {"name": "far", "kind": "point", "vertices": [[0, 0, 50]]}
]}
END
open_meshes scene.json hammer
good check scene.json --limit 1
golden <<'END'
scene.json: 3 bodies; limit 1

body A  body B  relation   least gap   within
a, b    hammer  separated       0.75  <1e-9

no collision
least gap 0.75: a, b and hammer
END
good check scene.json --limit 1 --csv
check 'names are quoted' grep -q '^1,,"a, b",hammer,1,1,solved,separated,0.75' out
good check scene.json --limit 1 --json
check 'JSON' is_json out
check 'bodies' grep -qx '  "bodies": 3,' out
open_meshes
collides check "$source_dir/data/scene_dozen.json"
check 'pairs' grep -q '^collision of 8 pairs, the deepest: brick and crystal$' out
collides check "$source_dir/data/scene_dozen.json" --threads 0
case_name='a scene from standard input'
"$command" contact --example | "$command" check - >out 2>err
check 'collides' equals "$?" 1
"$command" contact --example | "$command" check - --limit 1 --csv --allow egg,table >out 2>err
check 'one pair is allowed' equals "$?:$(wc -l <out)" 1:3

# ---- contacts of bodies of several parts ------------------------------------------------------

open_meshes scene.json hammer
good contact scene.json
check 'of the nearest part' equals \
    "$(awk '$3 == "hammer" { print $4, $5, $7 }' out)" 'separated 0.75 1.000'
good contact scene.json --svg scene.svg
check 'a picture' is_svg scene.svg
good contact scene.json --limit 1
check 'left out' grep -qx '2 pairs more than 1 apart are left out' out
good contact scene.json --failures saved --record far hammer
open_meshes
good replay saved/contact-2-3.replay
check 'the parts are replayed' grep -q 'box and point\|triangle and point' out
cat >meshes.json <<'END'
{"bodies": [
  {"name": "tent", "kind": "mesh", "file": "tent.obj", "scale": [2, 1, 1]},
  {"name": "flag", "kind": "mesh", "vertices": [[0, 0, 0], [0, 1, 0], [0, 0, 1]],
   "triangles": [[0, 1, 2]], "position": [3, 0, 0]}
]}
END
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >tent.obj
open_meshes meshes.json 'tent, flag'
good contact meshes.json
check 'mesh and mesh' equals "$(awk '$1 == "tent" { print $3, $4 }' out)" 'separated 1'
good contact meshes.json --svg meshes.svg
check 'a picture' is_svg meshes.svg
open_meshes

# ---- inside of a closed mesh ------------------------------------------------------------------

arm_with_marble
marble 0.5 0 0.3 >above.json
collides check solid.urdf --joints turn.csv --obstacles inside.json --limit 0 --csv
check 'a marble in the arm' equals "$(field 1 upper_arm marble 8)" overlapping
check 'its depth' near "$(field 1 upper_arm marble 9)" -0.11 1e-9
check 'proven to separate' near "$(field 1 upper_arm marble 10)" -0.11 1e-9
check 'and no less deep than the wall is away' near "$(field 1 upper_arm marble 11)" -0.09 1e-9
check 'only until it has gone on' equals "$(grep -c '^2,' out)" 0
good check solid.urdf --joints turn.csv --obstacles above.json --limit 0
open_meshes open.urdf upper_arm
good check open.urdf --joints turn.csv --obstacles inside.json --limit 0
open_meshes
good check open.urdf --joints turn.csv --hulls --obstacles above.json --limit 0
cat >cavity.json <<'END'
{"bodies": [
  {"name": "vessel", "kind": "mesh", "vertices": [
    [-2, -2, -2], [2, -2, -2], [2, 2, -2], [-2, 2, -2], [-2, -2, 2], [2, -2, 2], [2, 2, 2], [-2, 2, 2],
    [-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]],
   "triangles": [[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4], [2, 3, 7], [2, 7, 6],
    [1, 2, 6], [1, 6, 5], [3, 0, 4], [3, 4, 7], [8, 9, 10], [8, 10, 11], [12, 14, 13], [12, 15, 14],
    [8, 13, 9], [8, 12, 13], [10, 15, 11], [10, 14, 15], [9, 14, 10], [9, 13, 14], [11, 12, 8], [11, 15, 12]]},
  {"name": "gas", "kind": "sphere", "radius": 0.5, "position": [0.2, 0, 0]},
  {"name": "bubble", "kind": "sphere", "radius": 0.2, "position": [1.5, 0.3, 0.4]}
]}
END
sed 's/"kind": "mesh",/"kind": "mesh", "surface": true,/' cavity.json >room.json
good check room.json --limit 0
check 'a surface has no inside' says 'no collision'
sed 's/"kind": "mesh",/"kind": "mesh", "surface": 1,/' cavity.json >bad.json
run check bad.json
check 'not a truth' equals "$status:$(grep -c "'surface' must be true or false" err):$(wc -l <err)" 2:1:1
collides check cavity.json --limit 0
check 'in the wall' grep -q '^vessel  bubble  overlapping ' out
check 'not in the cavity' equals "$(grep -c gas out)" 0
good contact cavity.json
check 'the cavity has room' equals "$(awk '$2 == "vessel" && $3 == "gas" || $1 == "vessel" && $2 == "gas" { print $3, $4 }' out)" 'separated 0.3'

# ---- joints of all kinds, and columns of no use -------------------------------------------------

cat >kinds.urdf <<'END'
<robot name="kinds">
  <link name="a"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="b"/><link name="c"/>
  <link name="d"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="free" type="floating"><parent link="a"/><child link="b"/></joint>
  <joint name="flat" type="planar"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/></joint>
  <joint name="welded" type="fixed"><parent link="c"/><child link="d"/><origin xyz="0 0 1"/></joint>
</robot>
END
printf 'free.x,flat.x,flat.angle,free.qw,free.qx\n3,4,1,1,0\n0,0,0,0,-2\n' >kinds.csv
good check kinds.urdf --joints kinds.csv --limit 9 --csv
check 'moved' near "$(field 1 a d 9)" 6.8710678118655 1e-12
check 'turned' near "$(field 2 a d 9)" 0.8 1e-12
check 'upside down' near "$(field 2 a d 20)" -1 1e-12
printf 'welded,flat.x\n1,2\n' >welded.csv
run check kinds.urdf --joints welded.csv
check 'told' equals "$status:$(cat err)" \
    "0:ovoid: welded.csv: note: column 'welded' is not used: the joint is fixed"
printf 'welded,flat.x\n1,x\n' >welded.csv
bad "ovoid: welded.csv:2: flat.x: 'x' is not a number" check kinds.urdf --joints welded.csv
printf 'grip_right\n1\n' >mimic.csv
run check "$arm" --joints mimic.csv
check 'told' equals "$status:$(cat err)" \
    "0:ovoid: mimic.csv: note: column 'grip_right' is not used: the joint follows grip"

# ---- bad input --------------------------------------------------------------------------------

bad "ovoid: check: needs a file: a scene or a robot, or '-'" check
bad 'ovoid: check: two.csv: a second file; joints are given with --joints two.csv' check two.urdf two.csv
bad 'ovoid: check: second=2: joints are one word, as in --joints first=1,second=2' \
    check two.urdf --joints first=1 second=2
bad "ovoid: check: --joints: 'first' has no value: first=VALUE" check two.urdf --joints first
bad 'ovoid: two.csv: neither JSON nor XML; a scene or a robot is expected' check two.csv
bad 'ovoid: two.csv: no JSON; a scene is expected' check two.urdf --obstacles two.csv
bad 'ovoid: missing.urdf: cannot be read: No such file or directory' check missing.urdf
printf '<robot name="x"><link name="a"><collision><geometry>\n<mesh filename="package://arm/a.stl"/></geometry></collision></link></robot>' \
    >package.urdf
run check package.urdf
check 'a package that is not found' equals "$status:$(wc -l <err):$(grep -c 'package names such folders$' err)" 2:1:1
bad 'ovoid: check: --limit = -1: must be finite and not negative' check scene.json --limit -1
bad 'ovoid: check: --limit = inf: must be finite and not negative' check scene.json --limit inf
bad 'ovoid: check: --threads = 1000: must be at most 256' check scene.json --threads 1000
bad 'ovoid: check: --csv and --json exclude each other' check scene.json --csv --json
bad 'ovoid: check: --joints needs a robot, scene.json is a scene' check scene.json --joints two.csv
bad 'ovoid: check: --hulls needs a robot, scene.json is a scene' check scene.json --hulls
bad "ovoid: check: only one file can be standard input, '-'" check two.urdf --joints - --obstacles -
bad 'ovoid: missing.json: cannot be read: No such file or directory' check missing.json
bad 'ovoid: missing.csv: cannot be read: No such file or directory' \
    check two.urdf --joints missing.csv
bad 'ovoid: missing.json: cannot be read: No such file or directory' \
    check two.urdf --obstacles missing.json
bad 'ovoid: check: --allow = root: must be two names, A,B' check two.urdf --allow root
bad "ovoid: check: --allow: nothing has the name 'tips'; did you mean 'tip'?" \
    check two.urdf --allow root,tips
bad_csv() { # TEXT MESSAGE
    printf '%b' "$1" >bad.csv
    bad "ovoid: bad.csv$2" check two.urdf --joints bad.csv
}
bad_csv '' ': empty, where the names of joints should be'
bad_csv '\n\n' ': empty, where the names of joints should be'
bad_csv 'first\n' ': no poses after the names of joints'
bad_csv '1,2\n3,4\n' ':1: 1: a number, where the names of joints should be'
bad_csv 'frist\n1\n' ":1: no joint 'frist'; did you mean 'first'?"
bad_csv 'knee joint of it\n1\n' ":1: no joint 'knee joint of it'; known are: first second"
bad_csv 'first,second,first\n1,2,3\n' ':1: first: this column is there twice'
bad_csv 'first,second\n1,2\n\n3\n' ':4: second: the number is missing'
bad_csv 'first,second\n1,\n' ':2: second: the number is missing'
bad_csv 'first,second\n1,2,3\n' ':2: more numbers than the header has names'
bad_csv 'first\n1\nx1\n' ":3: first: 'x1' is not a number"
bad_csv 'first\n1e999\n' ':2: first: the number must be finite'
bad_csv 'first\r\n1\r\nnan\r\n' ':3: first: the number must be finite'
bad_csv 'time,first\ninf,1\n' ':2: time: the number must be finite'
bad_csv 'first\n\0\n' ':2: not a text'
head -c 2000000 /dev/zero | tr '\0' ',' >bad.csv
bad 'ovoid: bad.csv:1: longer than a line may be' check two.urdf --joints bad.csv
printf 'free.qw\n0\n' >zero.csv
bad 'ovoid: zero.csv:2: free: a direction or quaternion has no length' check kinds.urdf --joints zero.csv
printf '<robot name="x"><link name="a"/>\n<link name="a"/></robot>' >twice.urdf
run check twice.urdf
check 'a bad robot: one line with its place' equals \
    "$status:$(wc -l <err):$(grep -c '^ovoid: twice.urdf:2: ' err)" 2:1:1
printf '{"bodies": [\n{"kind": "compound", "parts": [\n{"kind": "sphere", "radius": -1}]}]}' >bad.json
bad 'ovoid: bad.json:3: body 1, part 1: sizes must be above zero' check bad.json
printf '{"bodies": [\n{"kind": "mesh", "file": "no.stl"}]}' >bad.json
run check bad.json
check 'a missing mesh: one line with its place' equals \
    "$status:$(wc -l <err):$(grep -c '^ovoid: bad.json:2: body 1: ./no.stl: ' err)" 2:1:1

printf 'check: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
