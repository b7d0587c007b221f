#!/usr/bin/env bash
# `ovoid-bench` on a few pairs: tables and CSV, with the other libraries where they were
# built and without them. Times are not looked at: they depend on the machine.
# shellcheck disable=SC2016  # the conditions are those of awk
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"
use_bench

# ---- the battery, as it was built

run battery --pairs 20 --seed 7 --csv b.csv
check 'succeeds' [ "$status" -eq 0 ]
check 'four tables, and those of the kinds' [ "$(grep -c '^Ovoid, cold ' out)" -eq 31 ]
check 'goals' says 'Goals, and what was measured'
check 'reference' says 'Reference: long double'
check 'head of the CSV' [ "$(head -n 1 b.csv)" = "battery,part,method,vertices,tolerance,pairs,\
failed,undecided,mean_us,median_us,p99_us,gaps,mean_error,worst_error,ratio,hash" ]
check '16 fields per row' all_rows . 'NF == 16' b.csv
check 'plot' plots battery b.csv
check 'Ovoid fails nowhere' all_rows ',ovoid_' '$7 == 0' b.csv
check 'Ovoid is within its tolerance' \
    all_rows '^(superovoids|ellipsoids),separated,ovoid_' '$14 != "" && $14 < 1e-8' b.csv
check 'half of the ellipsoids overlap' all_rows '^ellipsoids,' '$6 == 10' b.csv
check 'all superovoids are there' \
    [ "$(awk -F, '/^superovoids,.*,ovoid_cold,/ { n += $6 } END { print n }' b.csv)" = 20 ]
if [ "$has_peers" = yes ]; then
    check 'no message' [ ! -s err ]
    check 'peers are in the table' \
        all_rows '^(superovoids|ellipsoids),.*_exact,' '$6 > 0 && ($12 == 0 || $13 > 0)' b.csv
fi

# the figures that do not depend on the clock are the same in every run
unclocked() { # CSV: of Ovoid's rows
    grep ',ovoid_' "$1" | cut -d, -f1-3,6-8,13,14,16
}
run battery --pairs 20 --seed 7 --only superovoids --csv again.csv
check 'succeeds' [ "$status" -eq 0 ]
check 'one table only' all_rows . '$1 == "superovoids" || NR == 1' again.csv
check 'the same gaps again' [ "$(grep '^super' b.csv >s.csv; unclocked s.csv)" = "$(unclocked again.csv)" ]
run battery --pairs 10 --seed 8 --only ellipsoids --csv other.csv
check 'other gaps with another seed' \
    [ "$(grep ',ovoid_' b.csv | cut -d, -f16)" != "$(grep ',ovoid_' other.csv | cut -d, -f16)" ]

# ---- the kinds

run battery --only kinds --pairs 5 --seed 3 --csv k.csv
check 'succeeds' [ "$status" -eq 0 ]
check 'no other battery' all_rows . '/^kind:/ || NR == 1' k.csv
check 'every kind, in three parts' \
    [ "$(cut -d, -f1,2 k.csv | sort -u | grep -cE '^kind:.*,(separated|overlapping|near)$')" -eq 81 ]
check 'cold, warm, batch and yes or no of each' \
    [ "$(grep -cE ',ovoid_(cold|warm|batch|yes_no),' k.csv)" -eq $((4 * 81)) ]
check 'casts' [ "$(grep -c ',separated,ovoid_cast,' k.csv)" -eq 4 ]
check 'Ovoid fails nowhere' all_rows ',ovoid_' '$6 == 5 && $7 == 0' k.csv
check 'separated gaps are within the proven bounds' \
    all_rows '(separated|near),ovoid_(cold|warm|batch)' '$14 != "" && $14 < 1e-8' k.csv
check 'all times are there' all_rows ',ovoid_' '$9 > 0' k.csv
check 'a summary' says 'Gap, depth and witness points: mean us'
check 'a summary of yes or no' says 'Yes or no: mean us'
check 'a line for each goal, met or missed' [ "$(grep -cE '  (met|missed)$' out)" -eq 40 ]
if [ "$has_peers" = yes ]; then
    check 'libraries take part in the kinds that they have' \
        grep -qE '^kind:boxes,overlapping,(fcl_shape_libccd|bullet_box|ode_contacts|ccd_exact),' k.csv
    check 'and in no others' [ "$(grep -cE '^kind:ellipsoids,.*,ode_' k.csv)" -eq 0 ]
    check 'one of them is named as the quickest' grep -qE '^boxes .* (fcl|bullet|ccd)_' out
fi
run battery --only kinds --pairs 5 --seed 3 --alone --csv again.csv
check 'the same gaps again' [ "$(unclocked k.csv)" = "$(unclocked again.csv)" ]
bad 'ovoid-bench: battery: --only = spheres: not one of: superovoids ellipsoids kinds' battery --only spheres

# ---- without the other libraries

good battery --pairs 2 --alone --csv alone.csv
check 'Ovoid only' [ "$(grep -vc ',ovoid_' alone.csv)" -eq 1 ]
good accuracy --pairs 1 --alone --csv alone.csv
check 'hulls of the meshes' [ "$(grep -c '^ovoid_mesh_hull,' alone.csv)" -eq 11 ]

# ---- the accuracy of meshes

run accuracy --pairs 2 --seed 3 --csv a.csv
check 'succeeds' [ "$status" -eq 0 ]
check 'eleven meshes' [ "$(grep -cE '^(fcl_mesh_distance|ovoid_mesh_hull),' a.csv)" -eq 11 ]
check 'Ovoid once, and last' [ "$(grep -n '^ovoid,' a.csv | cut -d : -f 1)" -eq "$(wc -l <a.csv)" ]
check 'finer meshes are better' awk -F, '
    NR == 2 { coarse = $3 } NR == 12 { fine = $3 } END { exit !(fine > 0 && fine < 0.01 * coarse) }' a.csv
check 'Ovoid is better than all' all_rows '^ovoid,' '$4 < 1e-8' a.csv
check 'plot' plots accuracy a.csv

# ---- a robot against itself and obstacles

cat >arm.urdf <<'END'
<robot name="arm">
  <link name="foot"><collision><geometry><box size="0.4 0.4 0.1"/></geometry></collision></link>
  <link name="upper"><collision><origin xyz="0 0 0.3"/>
    <geometry><cylinder radius="0.05" length="0.5"/></geometry></collision></link>
  <link name="lower"><collision><origin xyz="0 0 0.3"/>
    <geometry><cylinder radius="0.04" length="0.5"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="foot"/><child link="upper"/>
    <origin xyz="0 0 0.06"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/>
    <origin xyz="0 0 0.6"/><axis xyz="0 1 0"/></joint>
</robot>
END
run robots arm.urdf --csv r.csv
check 'exit status 0' [ "$status" -eq 0 ]
check 'head of the CSV' [ "$(head -n 1 r.csv)" = 'robot,poses,checker,count,in_contact,unknown,different,us,ratio' ]
check 'what it is' says 'arm: 3 links, 2 degrees of freedom, 3 parts (box 1, cylinder 2)'
check 'four runs' [ "$(grep -c ',ovoid,' r.csv)" -eq 4 ]
check 'all decided, and no other answer' all_rows '^arm,' '$4 == 500 && $6 == 0 && $7 == 0 && $8 > 0' r.csv
check 'some of the poses among obstacles are in contact' all_rows 'poses among obstacles,ovoid' '$5 > 0 && $5 < 500' r.csv
good robots arm.urdf --alone --csv r.csv
check 'Ovoid only' [ "$(grep -c '' r.csv)" -eq 5 ]
bad 'ovoid-bench: robots: no file' robots
bad 'ovoid-bench: none.urdf: cannot be opened' robots none.urdf

# ---- segments

printf 'OFF\n5 6 0\n1 0 0\n-0.5 0.8 0\n-0.5 -0.8 0\n0 0 1\n0 0 -1\n' >hand.off
printf '3 0 1 3\n3 1 2 3\n3 2 0 3\n3 1 0 4\n3 2 1 4\n3 0 2 4\n' >>hand.off
good segments hand.off --csv s.csv --svg s.svg
check 'head of the CSV' [ "$(head -n 1 s.csv)" = 'model,triangles,salient,boundary_cuts,curvature_cuts,parts,paper,s,protrusion_error' ]
check 'a small hand is one part' all_rows '^hand,' '$2 == 6 && $4 == 0 && $5 == 0 && $6 == 1 && $7 == 16' s.csv
check 'a torus is cut by its curvature' all_rows '^torus,' '$2 == 6480 && $4 == 0 && $5 > 3 && $6 > 5' s.csv
check 'the picture is whole' [ "$(tail -n 1 s.svg)" = '</svg>' ]
check 'ten panels' [ "$(grep -c '<g transform' s.svg)" -eq 10 ]
bad 'ovoid-bench: none.off: cannot be opened' segments none.off
printf 'OFF\n1 1\n' >hand.off
bad 'ovoid-bench: hand.off:3: a vertex needs three numbers' segments hand.off

# ---- single-fits

good single-fits --pairs 5 --csv f.csv
check 'head of the CSV' [ "$(head -n 1 f.csv)" = 'of,kind,objective,fits,failed,error_mean,error_worst,rival,ms_mean,ms_worst,unlike' ]
check 'known bodies are found' all_rows '^known bodies,' '$4 > 0 && $5 == 0 && $7 < 1e-8' f.csv
check 'outliers are told apart' all_rows '^30 % outliers,' '$4 > 0 && $5 == 0 && $7 < 0.01' f.csv
check 'distances agree with a search' all_rows '%|known' '$11 < 1e-6' f.csv
bad 'ovoid-bench: none.off: cannot be opened' single-fits none.off

# ---- bad input

verbs='battery accuracy battery-schemes portal convergence icub dental world motion shape self-check robots robot-fits sim segments fit single-fits cloth touch pile schemes pairs help'
good help --list verbs
check 'verbs' [ "$(tr '\n' ' ' <out)" = "$verbs " ]
for verb in $verbs; do
    good "$verb" --help
    check 'usage' grep -qE '^Usage: ovoid-bench ' out
done
bad "ovoid-bench: no verb: see 'ovoid-bench --help'"
bad "ovoid-bench: batery: unknown verb; did you mean 'battery'?" batery
bad "ovoid-bench: xyzzy: unknown verb; see 'ovoid-bench --help'" xyzzy
bad 'ovoid-bench: battery: 5: takes no words, only options' battery 5
bad 'ovoid-bench: battery: --csv = -: the table goes to standard output' battery --pairs 1 --csv -
bad 'ovoid-bench: both: is the file of two outputs' icub --csv both --queries both
bad "ovoid-bench: portal: unknown option --seed; see 'ovoid-bench portal --help'" portal --seed 2
bad 'ovoid-bench: battery: --pairs = 0: must be 1 to 1000000' battery --pairs 0
bad 'ovoid-bench: nowhere/b.csv: cannot be written: No such file or directory' \
    battery --csv nowhere/b.csv
check 'nothing was written' [ ! -e both ]

# ---- an older file stays until the new one is complete

printf 'kept\n' >old.csv
bad 'ovoid-bench: nowhere/q.csv: cannot be written: No such file or directory' \
    icub --csv old.csv --queries nowhere/q.csv
check 'on failure' grep -qx kept old.csv
case_name='battery, stopped'
timeout -s INT 0.2 "$command" battery --pairs 100000 --csv old.csv >out 2>err </dev/null
status=$?
check 'was stopped' [ "$status" -eq 124 ]
check 'by a signal' grep -qx kept old.csv
check 'nothing is left behind' [ -z "$(find . -name '.ovoid-*')" ]
if [ -w /dev/full ]; then
    case_name='battery >/dev/full'
    "$command" battery --pairs 5 --only ellipsoids >/dev/full 2>err </dev/null
    status=$?
    check 'exit status 2' [ "$status" -eq 2 ]
    check 'says why' grep -qx \
        'ovoid-bench: standard output: cannot be written: No space left on device' err
fi

printf 'bench: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
