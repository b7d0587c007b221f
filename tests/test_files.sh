#!/usr/bin/env bash
# What the command does to files: bad commands, outputs that are inputs, Ctrl-C in the middle, a full
# disk, a closed pipe. Nothing that was there is lost, nothing half written stays, and what went
# wrong is told in one line, with exit status 2.
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"

# ---- the files --------------------------------------------------------------------------------

mkdir home && cd home || exit 1
"$command" pairs --example >pairs.csv
"$command" contact --example >scene.json
"$command" sweep --example >motion.json
printf '0 0 0\n1 0 0\n0 1 0\n0 0 1\n' >points.txt
"$command" mesh sphere 0.3 --vertices 100 -o ball.obj 2>../err
cat >meshes.json <<'END_JSON'
{"bodies": [{"name": "ball", "kind": "mesh", "file": "ball.obj", "position": [0, 0, 5]},
            {"name": "tent", "kind": "polyhedron", "file": "points.txt"}]}
END_JSON
sed 's/{"bodies"/{"time": [0, 1], "bodies"/' meshes.json >moving.json
cat >arm.urdf <<'END_URDF'
<robot name="arm">
  <link name="base"><collision><geometry><mesh filename="ball.obj"/></geometry></collision></link>
  <link name="tip">
    <visual><geometry><mesh filename="seen.obj"/></geometry></visual>
    <collision><origin xyz="0 0 2"/><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="tip"/><axis xyz="1 0 0"/>
    <limit lower="-2" upper="2" effort="1" velocity="9"/>
  </joint>
</robot>
END_URDF
cp ball.obj seen.obj
printf 'time,turn\n0,0\n1,1\n' >joints.csv
printf 'time,turn\n0,0\n0,1\n' >backwards.csv
printf 'status\n1,2\n' >other.csv
sed 's/"bodies"/"bodys"/' scene.json >misspelt.json
head -c 200 scene.json >cut.json
printf '<robot name="x"><link name="a"/>' >cut.urdf
cp ball.obj ball-00002.obj
sed 's/ball.obj/ball-00002.obj/' meshes.json >frames.json
: >empty
printf 'time,x,y,z\n0,0,0,1\n1,0,0,0.2\n' >way.csv
head -c 2000 "$command" | tee garbage.obj garbage.stl >garbage.dae
"$command" contact scene.json --failures saved --record egg brick >../out
mkdir folder
ln -s loop loop
ln -s nowhere/file dangling
printf 'kept\n' >old
chmod 640 old
cd ..
cp -a home before

# ---- bad commands -----------------------------------------------------------------------------

tried=0
# same_files: nothing in the folder is new, gone or changed
same_files() { diff -r --no-dereference before home >differences 2>&1; }
one_message() {
    [ "$(wc -l <err)" -eq 1 ] && [ "$(head -c 7 err)" = 'ovoid: ' ]
}
wrong() { # ARGUMENTS...: a bad command, in the folder
    tried=$((tried + 1))
    case_name="ovoid $*"
    (cd home && exec "$command" "$@" >../out 2>../err </dev/null)
    status=$?
    check 'exit status 2' [ "$status" -eq 2 ]
    check 'one line of message' one_message
    check 'no output' [ ! -s out ]
    check 'no file lost, new or changed' same_files
}
wrong
wrong bogus
wrong --bogus
wrong -o
wrong pair
wrong help bogus
wrong help pairs contact
wrong help --list bogus
wrong $'ne\nw'
wrong shape
wrong shape blob 1
wrong shape sphere
wrong shape sphere -1
wrong shape sphere nan
wrong shape sphere 1e999
wrong shape sphere 1 2
wrong shape sphere one
wrong shape superellipsoid 1 1 1 3 1
wrong shape superovoid 1 1 1 1 1 2 0
wrong shape polyhedron
wrong shape polyhedron missing.txt
wrong shape polyhedron scene.json
wrong shape polyhedron empty
wrong shape polyhedron folder
wrong shape sphere 1 --bogus
wrong mesh sphere 1
wrong mesh sphere 1 -o
wrong mesh sphere 1 -o x.txt
wrong mesh sphere 1 -o x.dae
wrong mesh sphere 1 -o -
wrong mesh sphere 1 -o x.obj --format png
wrong mesh sphere 1 -o x.obj --vertices 3
wrong mesh sphere 1 -o x.obj --vertices 1e3
wrong mesh sphere 1 -o x.obj --vertices 99999999999999999999
wrong mesh sphere 1 -o x.obj --error 0
wrong mesh sphere 1 -o x.obj --error 1e-12
wrong mesh sphere 1 -o x.obj --vertices 9 --error 1
wrong mesh sphere 1 -o x.obj -o y.obj
wrong mesh sphere 1e60 -o x.stl
wrong mesh halfspace 0 0 1 0 -o x.obj
wrong mesh superellipse 1 1 1 -o x.obj
wrong mesh sphere 1 -o folder --format obj
wrong mesh sphere 1 -o nowhere/x.obj
wrong mesh sphere 1 -o loop --format obj
wrong mesh sphere 1 -o dangling --format obj
wrong mesh sphere 1 -o '' --format obj
wrong mesh sphere 1 -o folder/ --format obj
wrong mesh sphere 1 -o old/x.obj
wrong mesh polyhedron points.txt --format obj -o points.txt
wrong gallery -o folder
wrong gallery -o nowhere/x.svg
wrong gallery --columns 3
wrong gallery --rows x
wrong gallery extra
wrong pairs
wrong pairs missing.csv
wrong pairs folder
wrong pairs pairs.csv scene.json
wrong pairs scene.json
wrong pairs other.csv -o old
wrong pairs empty -o old
wrong pairs empty -o new.csv --failures new
wrong pairs pairs.csv -o folder
wrong pairs pairs.csv -o nowhere/x
wrong pairs pairs.csv -o nowhere/x --failures new
wrong pairs pairs.csv -o loop
wrong pairs pairs.csv --failures old
wrong pairs pairs.csv --failures nowhere/new
wrong pairs pairs.csv --failures folder --record 1 -o folder/pair-1.replay
wrong pairs pairs.csv --failures saved --record 1 -o saved/../saved/pair-1.replay
wrong pairs pairs.csv --record 1
wrong pairs pairs.csv --tolerance 1
wrong pairs pairs.csv --tolerance x
wrong pairs pairs.csv --depth deep
wrong pairs pairs.csv --threads -1
wrong pairs pairs.csv --threads 100000
wrong pairs pairs.csv --scheme bogus
wrong pairs pairs.csv --rescue deeper
wrong pairs pairs.csv --threads 1 --threads 2
wrong contact
wrong contact missing.json
wrong contact misspelt.json --svg old
wrong contact cut.json --svg old
wrong contact empty --svg new.svg
wrong contact folder
wrong contact pairs.csv
wrong contact arm.urdf
wrong contact scene.json --limit -1
wrong contact scene.json --record egg
wrong contact scene.json --record egg bogus --failures new
wrong contact scene.json --svg scene.json
wrong contact scene.json --svg ../home/scene.json
wrong contact scene.json --svg folder
wrong contact scene.json --svg nowhere/x.svg
wrong contact scene.json --json --svg -
wrong contact meshes.json --svg ball.obj
wrong contact meshes.json --svg points.txt
wrong contact saved/contact-1-2.replay
wrong contact scene.json -o scene.json
wrong contact scene.json --csv -o folder
wrong contact scene.json --csv --json
wrong contact scene.json --csv --wide
wrong contact scene.json -o both --svg both
wrong contact scene.json -o - --svg -
wrong contact meshes.json --json -o ball.obj
wrong contact motion.json
wrong contact misspelt.json -o old
wrong shape sphere 1 -o folder
wrong shape sphere 1 -o nowhere/x
wrong shape polyhedron points.txt -o points.txt
wrong replay saved/contact-1-2.replay -o saved/contact-1-2.replay
wrong scene.json
wrong arm.urdf --joints joints.csv
wrong check
wrong check motion.json
wrong check pairs.csv
wrong check arm.urdf --joints joints.csv -o joints.csv
wrong check arm.urdf --csv -o arm.urdf
wrong check arm.urdf --json -o ball.obj
wrong check arm.urdf --joints arm.urdf
wrong check arm.urdf --joints turn=
wrong check arm.urdf --joints turn=1,turn
wrong check arm.urdf --obstacles arm.urdf
wrong check arm.urdf --obstacles meshes.json -o points.txt
wrong check missing.urdf
wrong check cut.urdf
wrong check empty
wrong check scene.json --joints joints.csv
wrong check arm.urdf --joints missing.csv
wrong check arm.urdf --joints pairs.csv
wrong check arm.urdf --joints - --obstacles -
wrong check arm.urdf --allow base
wrong check arm.urdf --allow base,bogus
wrong check arm.urdf --limit x
wrong sweep
wrong sweep scene.json
wrong sweep motion.json arm.urdf
wrong sweep missing.json --csv -o old
wrong sweep cut.json --csv -o old --svg new.svg
wrong sweep motion.json --svg motion.json
wrong sweep motion.json --csv -o ./motion.json
wrong sweep motion.json --csv -o both --svg both
wrong sweep motion.json --csv -o both --svg folder/../both
wrong sweep motion.json --csv -o old --svg nowhere/x
wrong sweep motion.json --csv --svg -
wrong sweep motion.json --json --csv
wrong sweep moving.json --svg ball.obj
wrong sweep moving.json --csv -o points.txt
wrong sweep motion.json --epsilon -1
wrong sweep motion.json --levels 0
wrong sweep motion.json --levels 61
wrong sweep motion.json --resolution 1e-3
wrong sweep motion.json --joints joints.csv
wrong sweep arm.urdf
wrong sweep arm.urdf --joints backwards.csv --csv -o old
wrong sweep arm.urdf --joints joints.csv --csv -o joints.csv
wrong sweep arm.urdf --joints joints.csv --svg arm.urdf
wrong sweep arm.urdf --joints joints.csv --csv -o ball.obj
wrong sweep arm.urdf --joints joints.csv --csv -o seen.obj
wrong sweep arm.urdf --joints joints.csv --obstacles meshes.json --csv -o points.txt
wrong sweep arm.urdf --joints joints.csv --mass global
wrong convert
wrong convert arm.urdf
wrong convert arm.urdf -
wrong convert arm.urdf x.bogus
wrong convert arm.urdf x.json --to bogus
wrong convert arm.urdf x.json -o y.json
wrong convert motion.json x.json
wrong convert scene.json -o scene.json --to sdf
wrong convert missing.urdf x.sdf
wrong convert cut.urdf old --to urdf
wrong convert arm.urdf arm.urdf --to mjcf
wrong convert arm.urdf arm.urdf --to json
wrong convert scene.json scene.json --to sdf
wrong convert arm.urdf ball.obj --to urdf
wrong convert arm.urdf seen.obj --to mjcf
wrong convert arm.urdf joints.csv --to json --joints joints.csv
wrong convert meshes.json points.txt --to json
wrong convert scene.json nowhere/x.sdf
wrong convert scene.json folder --to sdf
wrong convert arm.urdf x.json --joints turn
wrong convert arm.urdf x.json --joints bogus=1
# what takes meshes and scenes that move: each kind of file that is none
for file in missing.obj empty folder scene.json garbage.obj garbage.stl garbage.dae cut.urdf; do
    wrong fit "$file" --parts 1
    wrong touch "$file" --ball 0.1 --track way.csv
    wrong touch map "$file" -o x.map
done
for file in missing.json empty folder pairs.csv arm.urdf garbage.obj cut.json misspelt.json; do
    wrong simulate "$file"
done
for file in missing.csv empty folder pairs.csv garbage.obj; do
    wrong touch ball.obj --error 0.1 --ball 0.1 --track "$file"
done
wrong simulate
wrong simulate scene.json scene.json
wrong simulate scene.json --seconds 0
wrong simulate scene.json --seconds nan
wrong simulate scene.json --mode quick
wrong simulate scene.json --record film.avi
wrong simulate scene.json -o old
wrong simulate scene.json -o scene.json
wrong simulate scene.json --record old.glb -o old.glb
wrong simulate frames.json --seconds 0.1 --record ball.obj
wrong simulate meshes.json --seconds 0.1 --svg ball.obj
wrong fit
wrong fit ball.obj --parts 0
wrong fit ball.obj --parts 1 --seconds 0
wrong fit ball.obj --mode around
wrong fit ball.obj --parts 1 -o ball.obj
wrong fit ball.obj --parts 1 -o folder
wrong fit ball.obj --parts 1 -o x.bogus
wrong fit ball.obj --parts 1 -o x.json --svg x.json
wrong fit check
wrong fit check scene.json
wrong fit check missing.json ball.obj
wrong fit check scene.json missing.obj
wrong touch
wrong touch ball.obj --ball 0.1 --error 0.1
wrong touch ball.obj --error 0.1 --ball 0.1 --track way.csv -o ball.obj
wrong touch ball.obj --error 0.1 --ball 0.1 --track way.csv -o way.csv
wrong touch ball.obj --error 0.1 --ball 0.1 --track way.csv -o x --svg x
wrong touch ball.obj --error 0.1 --ball 0.1 --track way.csv --udp 7777
wrong touch ball.obj --error 0.1 --ball 0.1 --udp 70000
wrong touch map ball.obj
wrong touch map ball.obj -o ball.obj
wrong studio extra
wrong studio --port 70000
wrong studio --folder missing
wrong replay
wrong replay missing.replay
wrong replay scene.json
wrong replay empty
case_name='bad commands'
check 'two hundred and fifty of them' [ "$tried" -ge 250 ]

# ---- names of one file ------------------------------------------------------------------------

rm -rf work && cp -a home work && cd work || exit 1
ln -s motion.json link.json
ln motion.json hard.json
for name in link.json hard.json; do
    run sweep motion.json --svg "$name"
    check 'refused' [ "$status" -eq 2 ]
    run sweep "$name" --csv -o motion.json
    check 'refused' [ "$status" -eq 2 ]
    check 'the input is whole' cmp -s motion.json ../home/motion.json
done
case_name='an input on standard input'
# shellcheck disable=SC2094 # that is what is tried
"$command" sweep - --svg motion.json <motion.json >out 2>err
status=$?
check 'refused' [ "$status" -eq 2 ]
case_name='an input that standard output is added to'
cp scene.json all.json
# shellcheck disable=SC2094 # that is what is tried
"$command" contact all.json >>all.json 2>err
status=$?
check 'refused' [ "$status" -eq 2 ]
check 'as it was' cmp -s all.json scene.json
case_name='a file that standard output goes to'
# shellcheck disable=SC2094 # that is what is tried
"$command" contact scene.json --svg table >table 2>err
status=$?
check 'refused' [ "$status" -eq 2 ]
data=$source_dir/data/icub
mkdir -p here/icub && cp "$data"/*.urdf "$data"/*.csv here/icub/ && cp -r here there
for file in hands_superellipsoids.urdf movement.csv; do
    [ -e "here/icub/$file" ] || file=$(basename "$(find here/icub -name '*.urdf' | head -n 1)")
    [ -n "${OVOID_BENCH_COMMAND-}" ] || continue
    run_program "$OVOID_BENCH_COMMAND" icub --data here --frames 2 --csv "here/icub/$file"
    check 'a benchmark does not write over its data' grep -q 'is an input, which would be lost' err
    check 'exit status 2' [ "$status" -eq 2 ]
    check 'as it was' diff -r here there
done

# ---- in place ---------------------------------------------------------------------------------

# big.csv: more than a chunk of the reader
{
    head -n 1 pairs.csv
    for _ in {1..700}; do sed 1d pairs.csv; done
} >many.csv
good pairs many.csv -o contacts.csv
"$command" pairs many.csv >printed.csv
check 'a file is what is printed' cmp -s contacts.csv printed.csv
in_place() { # HOW, INPUT and OUTPUT; then in.csv must hold the contacts
    cp many.csv in.csv
    chmod 640 in.csv
    case_name="in place: $1"
    "$command" pairs "$2" -o "$3" <in.csv >out 2>err
    status=$?
    check 'exit status 0' [ "$status" -eq 0 ]
    check 'complete' cmp -s in.csv contacts.csv
    check 'its permissions' [ "$(stat -c %a in.csv)" = 640 ]
    check 'no message' [ ! -s err ]
}
in_place 'the same name' in.csv in.csv
in_place 'another way to it' in.csv "../$(basename "$PWD")/in.csv"
in_place 'from standard input' - in.csv
ln -s in.csv in.link
in_place 'through a link' in.csv in.link
in_place 'from a link' in.link in.csv
check 'a link stays a link' [ -L in.link ]
cp many.csv in.csv
rm -f other && ln in.csv other
run pairs in.csv -o other
check 'a hard link gets the contacts' cmp -s other contacts.csv
check 'and the other one stays' cmp -s in.csv many.csv
cp arm.urdf same.urdf
good convert same.urdf same.urdf
check 'a robot over itself' grep -q '</robot>' same.urdf
cp scene.json same.json
good convert same.json same.json
check 'a scene over itself' grep -q '"egg"' same.json
# a link that leads to nothing yet
rm -f new.csv && ln -s new.csv to_new
good pairs pairs.csv -o to_new
check 'its target is made' [ -f new.csv ]
check 'and it stays a link' [ -L to_new ]

# ---- what is no regular file ------------------------------------------------------------------

good pairs pairs.csv -o /dev/null
mkfifo pipe
cat pipe >through &
good pairs pairs.csv -o pipe
wait
"$command" pairs pairs.csv >printed.csv
check 'through a pipe' cmp -s through printed.csv
check 'it stays a pipe' [ -p pipe ]
case_name='/dev/stdout'
printf 'first\n' >both.txt
"$command" pairs pairs.csv -o /dev/stdout >>both.txt 2>err
status=$?
check 'exit status 0' [ "$status" -eq 0 ]
check 'adds to a file' cmp -s <(printf 'first\n' && cat printed.csv) both.txt
"$command" pairs pairs.csv -o /dev/fd/3 3>third 2>err
check 'an open descriptor' cmp -s third printed.csv
cd ..

# ---- stopped in the middle --------------------------------------------------------------------

rm -rf work && mkdir work && cd work || exit 1
{
    head -n 1 ../home/pairs.csv
    for _ in {1..20000}; do sed 1d ../home/pairs.csv; done
} >../large.csv
# bodies in a heap: many pairs, and each is a query; and as many as a picture takes
heap() { # BODIES
    awk -v n="$1" 'BEGIN { printf "{\"bodies\": ["
        for (i = 0; i < n; i++)
            printf "%s{\"kind\": \"superellipsoid\", \"semi_axes\": [1, 1.2, 0.7], " \
                "\"exponents\": [0.3, 0.4], \"position\": [%g, %g, %g]}", i ? ",\n" : "",
                i % 10 * 1.9, int(i / 10) % 10 * 1.7, int(i / 100) * 1.8
        print "]}" }'
}
heap 1000 >../heap.json
heap 300 >../pile.json
awk 'BEGIN { printf "{\"time\": [0, 1], \"bodies\": ["
    for (i = 0; i < 300; i++)
        printf "%s{\"kind\": \"superellipsoid\", \"semi_axes\": [1, 1.2, 0.7], \"exponents\": " \
            "[0.3, 0.4], \"position\": [%g, %g, %g], \"motion\": {\"screw\": {\"axis\": [0, 0, 1], " \
            "\"angle_deg\": %d}}}", i ? ",\n" : "", i % 10 * 2.9, int(i / 10) % 10 * 2.7,
            int(i / 100) * 1.8, i
    print "]}" }' >../swarm.json
# a robot that needs many meshes
awk 'BEGIN { print "<robot name=\"hedgehog\"><link name=\"l0\"/>"
    for (i = 1; i < 700; i++)
        printf "<link name=\"l%d\"><collision><geometry><sphere radius=\"1\"/><ovoid:superovoid " \
            "size=\"1 1 %g\" exponents=\"1 0.9\"/></geometry></collision></link>\n<joint name=\"j%d\" type=\"fixed\">" \
            "<parent link=\"l0\"/><child link=\"l%d\"/></joint>\n", i, 1 + i / 1e4, i, i
    print "</robot>" }' >../hedgehog.urdf

interrupted=0
stop_after() { # SIGNAL SECONDS ARGUMENTS...: 0 where the command did not end by itself before
    local signal=$1 seconds=$2
    shift 2
    case_name="ovoid $*, $signal after $seconds s"
    timeout -s "$signal" "$seconds" "$command" "$@" >../out 2>../err </dev/null
    status=$?
    [ "$status" -eq 124 ] && interrupted=$((interrupted + 1))
}
only_old() { # OLD FILES...: they are as they were, and there is nothing else
    local file
    for file in "$@"; do
        [ "$(cat "$file")" = "kept $file" ] || return 1
    done
    [ "$(find . -mindepth 1 | wc -l)" -eq $# ]
}
# all_new VERB OLD FILES...: it was done already, and only about to end: each file is old or complete
all_new() {
    local verb=$1 file
    shift
    [ -z "$(find . -name '.ovoid-*')" ] || return 1
    case $verb in
    pairs) [ "$(cat ./*.csv | wc -l)" -eq 60001 ] && return ;;
    convert) [ "$(find . -path './out_meshes/*' | wc -l)" -eq 699 ] && tail -n 1 out.* | grep -q '^</' && return ;;
    esac
    for file in "$@"; do
        [ "$(cat "$file")" = "kept $file" ] || case $file in
        *.svg) is_svg "$file" ;;
        *.csv) head -n 1 "$file" | grep -q '^[a-z_]*,' && [ -z "$(tail -c 1 "$file")" ] ;;
        *.obj) tail -n 1 "$file" | grep -q '^f .* .* .*' && [ -z "$(tail -c 1 "$file")" ] ;;
        *) false ;;
        esac || return 1
    done
    [ "$verb" != pairs ] && [ "$verb" != convert ]
}
old_or_new() { # OLD FILES, in quotes, and VERB
    # shellcheck disable=SC2086
    only_old $1 || all_new "$2" $1
}
# each verb is stopped after several times, so that one of them is in the middle of its writing
stopped() { # OLD FILES, in quotes, then ARGUMENTS...
    local old=$1 file how before=$interrupted
    shift
    for how in INT:0.02 INT:0.1 INT:0.25 TERM:0.06 HUP:0.15; do
        rm -rf ./* ./.o*
        for file in $old; do printf 'kept %s\n' "$file" >"$file"; done
        stop_after "${how%:*}" "${how#*:}" "$@"
        if [ "$status" -eq 124 ]; then
            check 'the old files are whole, and alone' old_or_new "$old" "$1"
        fi
    done
    case_name="ovoid $*"
    check 'was stopped in the middle, once at least' [ "$interrupted" -gt "$before" ]
}
stopped out.csv pairs ../large.csv -o out.csv
stopped '' pairs ../large.csv -o new.csv
stopped out.svg contact ../pile.json --depth proven --svg out.svg
stopped 'out.csv out.svg' sweep ../swarm.json --csv -o out.csv --svg out.svg
stopped out.obj mesh superovoid 1 1 1 0.4 0.6 0.1 0.1 --vertices 3000000 -o out.obj
stopped out.svg gallery --rows 0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8 -o out.svg \
    --columns 0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1,1.1,1.2
stopped out.urdf convert ../hedgehog.urdf out.urdf
stopped out.xml convert ../hedgehog.urdf out.xml
stopped '' convert ../hedgehog.urdf out.sdf
rm -rf ./* ./.o*
case_name='a signal that is ignored'
# a shell without a terminal has its background jobs ignore it
"$command" pairs ../large.csv -o out.csv >../out 2>../err </dev/null &
sleep 0.05
kill -INT $!
wait $!
check 'the file is complete' [ "$(wc -l <out.csv)" -eq 60001 ]
cd ..

# ---- a folder of meshes -----------------------------------------------------------------------

rm -rf work && mkdir work && cd work || exit 1
printf 'kept\n' >taken
# the file itself cannot be written: the folder of its meshes goes again
mkdir fails.urdf
run convert ../hedgehog.urdf fails.urdf
check 'exit status 2' [ "$status" -eq 2 ]
check 'no folder of meshes' [ ! -e fails_meshes ]
mkdir fails_meshes && printf 'kept\n' >fails_meshes/mine
run convert ../hedgehog.urdf fails.urdf
check 'what was there stays, alone' [ "$(ls fails_meshes)" = mine ]
# some of its meshes are there already
good convert ../hedgehog.urdf whole.urdf
find whole_meshes -name '*.stl' | sort >list
check 'meshes' [ "$(wc -l <list)" -eq 699 ]
tail -n +101 list | xargs rm
rm whole.urdf && mkdir whole.urdf
run convert ../hedgehog.urdf whole.urdf
check 'exit status 2' [ "$status" -eq 2 ]
check 'the meshes that were there stay, alone' [ "$(find whole_meshes -type f | wc -l)" -eq 100 ]
cd ..

# ---- a full disk, a file that grows too large -------------------------------------------------

rm -rf work && mkdir work && cd work || exit 1
one_message_above() { (cd .. && one_message); }
fails() { # HOW, OLD FILES in quotes, then ARGUMENTS...
    local how=$1 old=$2 file
    shift 2
    rm -rf ./* ./.o*
    for file in $old; do printf 'kept %s\n' "$file" >"$file"; done
    case_name="ovoid $*, $how"
    # the limit is for the message too
    (
        [ "$how" != 'files of 32 kB' ] || ulimit -f 32
        exec "$command" "$@" >/dev/null 2>../err </dev/null
    )
    status=$?
    check 'exit status 2' [ "$status" -eq 2 ]
    check 'one line of message' one_message_above
    check 'says why' grep -qE 'No space left on device|File too large' ../err
    # shellcheck disable=SC2086
    check 'the old files are whole, and alone' only_old $old
}
outputs_that_fail() { # HOW
    fails "$1" out.csv pairs ../large.csv -o out.csv
    fails "$1" '' pairs ../large.csv -o out.csv
    fails "$1" out.obj mesh sphere 1 --vertices 9000 -o out.obj
    fails "$1" out.svg gallery -o out.svg
    fails "$1" out.svg contact ../crowd.json --svg out.svg
    fails "$1" 'out.csv out.svg' sweep ../crowd_moves.json --csv -o out.csv --svg out.svg
    fails "$1" out.urdf convert ../egg.urdf out.urdf
    fails "$1" out.xml convert ../egg.urdf out.xml
    fails "$1" out.sdf convert ../egg.urdf out.sdf
    fails "$1" '' convert ../large.urdf out.urdf
    fails "$1" out.json convert ../heap.json out.json
}
# a picture and a text of more than 32 kB, and a robot whose second mesh has that
awk 'BEGIN { printf "{\"bodies\": ["
    for (i = 0; i < 250; i++)
        printf "%s{\"name\": \"body_with_a_long_name_%d\", \"kind\": \"superellipsoid\", " \
            "\"semi_axes\": [1, 1, 1], \"exponents\": [0.5, 0.5], \"position\": [%g, %g, %g]}",
            i ? ",\n" : "", i, i % 10 * 4, int(i / 10) % 10 * 4, int(i / 100) * 4
    print "]}" }' >../crowd.json
sed 's/{"bodies"/{"time": [0, 1], "bodies"/' ../crowd.json >../crowd_moves.json
"$command" mesh sphere 1 --vertices 2000 -o ../fine.obj 2>../err
cat >../egg.urdf <<'END_URDF'
<robot name="egg"><link name="a"><collision><geometry><sphere radius="1"/>
<ovoid:superovoid size="1 1 2"/></geometry></collision></link>
<link name="b"><collision><geometry><mesh filename="fine.obj"/></geometry></collision></link>
<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>
END_URDF
awk 'BEGIN { print "<robot name=\"long\"><link name=\"l0\"/>"
    for (i = 1; i < 500; i++)
        printf "<link name=\"l%d\"/><joint name=\"j%d\" type=\"fixed\"><parent link=\"l0\"/>" \
            "<child link=\"l%d\"/></joint>\n", i, i, i
    print "</robot>" }' >../large.urdf
outputs_that_fail 'files of 32 kB'
cd ..
rm -rf disk && mkdir disk
if mount -t tmpfs -o size=48k tmpfs disk 2>/dev/null; then
    trap 'cd / && umount "$work/disk"; rm -rf "$work"' EXIT
    cd disk || exit 1
    outputs_that_fail 'a disk of 48 kB'
    rm -rf ./*
    case_name='standard output on a full disk'
    "$command" pairs ../large.csv >out.csv 2>../err
    status=$?
    check 'exit status 2' [ "$status" -eq 2 ]
    check 'says why' grep -qx 'ovoid: standard output: cannot be written: No space left on device' ../err
    cd ..
else
    echo 'files: no file system can be mounted here: a full disk is tried by /dev/full only'
fi

# ---- standard output --------------------------------------------------------------------------

if [ -w /dev/full ]; then
    for arguments in 'pairs large.csv' 'contact home/scene.json' 'check home/scene.json' \
        'sweep home/motion.json' 'sweep home/motion.json --json' 'shape sphere 1' 'gallery' \
        'replay home/saved/contact-1-2.replay' '--help' 'help pairs' 'pairs --example' \
        'mesh sphere 1 -o - --format obj' 'sweep home/motion.json --csv'; do
        case_name="ovoid $arguments >/dev/full"
        # shellcheck disable=SC2086
        "$command" $arguments >/dev/full 2>err </dev/null
        status=$?
        check 'exit status 2' [ "$status" -eq 2 ]
        check 'says why' grep -qx 'ovoid: standard output: cannot be written: No space left on device' err
    done
fi
for arguments in 'pairs large.csv' 'gallery' 'mesh sphere 1 --vertices 9000 -o - --format obj' \
    'contact heap.json --limit 0.5' 'convert --help' 'sweep swarm.json --first --json'; do
    case_name="ovoid $arguments | head -1"
    # shellcheck disable=SC2086
    "$command" $arguments 2>err </dev/null | { sleep 0.2; head -n 1 >out; }
    status=${PIPESTATUS[0]}
    # what fits the pipe was written before it closed
    [ "$status" -ne 2 ] || check 'says why' \
        grep -qx 'ovoid: standard output: cannot be written: Broken pipe' err
    case $arguments in
    pairs* | gallery* | mesh*) check 'exit status 2' [ "$status" -eq 2 ] ;;
    esac
    case_name="ovoid $arguments >&-"
    # shellcheck disable=SC2086
    "$command" $arguments >&- 2>err </dev/null
    status=$?
    check 'exit status 2' [ "$status" -eq 2 ]
    check 'says why' grep -qx 'ovoid: standard output: cannot be written: Bad file descriptor' err
done
case_name='standard output closed, and a file to write'
"$command" contact home/scene.json --svg closed.svg >&- 2>err
status=$?
check 'exit status 2' [ "$status" -eq 2 ]
check 'the file is a picture' is_svg closed.svg
cd "$work" || exit 1
printf 'files: %s passed, %s failed; %s bad commands\n' "$passed" "$failed" "$tried"
[ "$failed" -eq 0 ]
