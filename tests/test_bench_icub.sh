#!/usr/bin/env bash
# `ovoid-bench icub` on a few frames: tables and CSV; bad data; and that scripts/make-icub
# makes the bundled files. Times are not looked at: they depend on the machine.
# shellcheck disable=SC2016  # the conditions are those of awk
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"
use_bench
data=$source_dir/data

# ---- the study

run icub --frames 13 --data "$data" --csv i.csv --queries q.csv
check 'succeeds' [ "$status" -eq 0 ]
check 'both versions' [ "$(grep -c '^Hands of the iCub, ' out)" -eq 2 ]
check 'two tables each' [ "$(grep -c '^Ovoid, cold ' out)" -eq 4 ]
check 'the paper beside it' says '[Benchmark, Table 4], mixed: '
check 'goals' [ "$(grep -c '^Goals, ' out)" -eq 2 ]
check 'reference' says 'Reference: long double'
check 'head of the CSV' [ "$(head -n 1 i.csv)" = "version,part,method,queries,failed,wrong,gaps,off,\
mean_us,sd_us,median_us,p99_us,worst_us,iterations,mean_error_mm,worst_error_mm,ratio,paper_mean_us,\
paper_sd_us,paper_iterations,hash" ]
check '21 fields per row' all_rows . 'NF == 21' i.csv
check 'every query' all_rows ',ovoid_cold,' 'NF == 8 && $7 > 0 && $8 < 5' q.csv
check 'as many as were asked' [ "$(grep -c ',ovoid_cold,' q.csv)" -eq \
    "$(awk -F, '/,ovoid_cold,/ { n += $4 } END { print n }' i.csv)" ]
check 'plot' plots icub q.csv
check 'Ovoid fails nowhere' all_rows ',ovoid_' '$4 > 20 && $5 == 0 && $6 == 0 && $7 == $4' i.csv
check 'distances within the tolerance' all_rows ',near,ovoid_' '$16 < 1e-8' i.csv
check 'least depths' all_rows 'intersecting,ovoid_(cold|coherent_global),' '$8 == 0 && $16 < 1e-8' i.csv
check 'the unit of the ratios' all_rows ',ovoid_coherent,' '$17 == 1' i.csv
if [ "$has_peers" = yes ]; then
    check 'meshes give no depth where they meet' \
        all_rows 'intersecting,fcl_mesh_distance,' '$7 == $6 && $18 == 181.03' i.csv
    check 'meshes give distances' all_rows 'near,fcl_mesh_distance,' '$7 == $4 && $15 > 1e-3' i.csv
fi
run icub --frames 13 --data "$data" --csv again.csv
check 'the same gaps again' [ "$(cut -d, -f1-8,21 i.csv)" = "$(cut -d, -f1-8,21 again.csv)" ]

# ---- the movement as a check: the other way to the same contacts, over all frames

for version in superellipsoids:1671 mixed:1711; do
    run_program "$ovoid" check "$data/icub/hands_${version%:*}.urdf" --joints "$data/icub/movement.csv" --limit 0 --csv
    check 'there are collisions' [ "$status" -eq 1 ]
    # the touch of the thumb tips is one of them
    check 'so many' [ "$(grep -cE ',(overlapping|touching),' out)" -eq "${version#*:}" ]
    check 'of one hand with the other only' all_rows ',overlapping,' '$3 ~ /^left_/ && $4 ~ /^right_/' out
done

# ---- bad input

cp -r "$data/icub" whole
copy() { # a fresh copy of the data in bad/icub
    rm -rf bad
    mkdir bad
    cp -r whole bad/icub
}
bad 'ovoid-bench: icub: --frames = 1: must be 2 to 10000' icub --frames 1
bad "ovoid-bench: icub: unknown option --pairs; see 'ovoid-bench icub --help'" icub --pairs 3
bad "ovoid-bench: portal: unknown option --frames; see 'ovoid-bench portal --help'" portal --frames 3
run icub --data nowhere
check 'exit status 2' [ "$status" -eq 2 ]
check 'names the file' grep -q '^ovoid-bench: nowhere/icub/hands_superellipsoids.urdf: ' err
check 'one line' [ "$(wc -l <err)" -eq 1 ]
copy
rm bad/icub/movement.csv
bad 'ovoid-bench: bad/icub/movement.csv: cannot be opened: No such file or directory' icub --data bad
copy
sed -i '1s/right_turn/right_twist/' bad/icub/movement.csv
bad "ovoid-bench: bad/icub/movement.csv:1: 'right_twist' is no joint with a position of its own" \
    icub --data bad
copy
sed -i '1s/right_turn/left_index_tip_bend/' bad/icub/movement.csv
bad "ovoid-bench: bad/icub/movement.csv:1: 'left_index_tip_bend' is no joint with a position of its own" \
    icub --data bad
for wrong in 's/^/nan,/' 's/,[^,]*$//' 's/^[^,]*/inf/' 's/^[^,]*/0x/' 's/$/,1/'; do
    copy
    sed -i "7$wrong" bad/icub/movement.csv
    bad 'ovoid-bench: bad/icub/movement.csv:7: not a row of 20 finite numbers' icub --data bad
done
copy
sed -i '9s/^[^,]*/0.5/' bad/icub/movement.csv
bad "ovoid-bench: bad/icub/movement.csv:9: joint 'right_approach' is out of its limits" \
    icub --data bad
copy
sed -i '3,$d' bad/icub/movement.csv
bad 'ovoid-bench: bad/icub/movement.csv: no movement: it needs two rows of positions' icub --data bad
copy
: >bad/icub/movement.csv
bad 'ovoid-bench: bad/icub/movement.csv: no movement: it needs two rows of positions' icub --data bad
copy
sed -i 's/<ovoid:superovoid size="0.0085 0.0120 0.0085"/<ovoid:superovoid size="0.0085 0 0.0085"/' \
    bad/icub/hands_mixed.urdf
run icub --data bad
check 'exit status 2' [ "$status" -eq 2 ]
check 'names the file and the line' grep -qE '^ovoid-bench: bad/icub/hands_mixed.urdf:[0-9]+: ' err
copy
awk '/<link name="left_thumb_mount">/ { print "<link name=\"left_thumb_mount\"/>"; skip = 1 }
    !skip { print } /<\/link>/ { skip = 0 }' whole/hands_mixed.urdf >bad/icub/hands_mixed.urdf
bad 'ovoid-bench: bad/icub/hands_mixed.urdf: has 20 and 21 surfaces, not 21 for each hand' \
    icub --data bad

# ---- the files are those that the script makes

OVOID_COMMAND=$ovoid run_program "$source_dir/scripts/make-icub" "$work/made"
check 'succeeds' [ "$status" -eq 0 ]
same_numbers() { # FILE FILE: alike but for the last digits of their numbers
    paste -d '\n' "$1" "$2" | awk -F '[ ",]+' '
        NR % 2 == 1 { for (i = 1; i <= NF; i++) { a[i] = $i }; n = NF; next }
        { if (NF != n) { exit 1 } }
        { for (i = 1; i <= n; i++) { d = a[i] - $i; if (a[i] != $i && (d == 0 || d * d > 1e-22)) { exit 1 } } }'
}
for file in hands_superellipsoids.urdf hands_mixed.urdf movement.csv; do
    check "$file" same_numbers "made/$file" "$data/icub/$file"
done
check 'as many meshes' [ "$(ls made/meshes)" = "$(ls "$data/icub/meshes")" ]
for file in made/meshes/*.stl; do
    check "$file" [ "$(wc -c <"$file")" -eq "$(wc -c <"$data/icub/meshes/$(basename "$file")")" ]
done
check 'all meshes are used' [ "$(cat made/*.urdf | grep -o 'meshes/[a-z_]*.stl' | sort -u)" = \
    "$(cd made && ls meshes/*.stl)" ]
check 'small' [ "$(du -sk "$data/icub" | cut -f 1)" -lt 500 ]
if [ -x /usr/bin/check_urdf ]; then # another parser, where it is there
    for file in "$data"/icub/*.urdf; do
        run_program /usr/bin/check_urdf "$file"
        check 'urdfdom reads it' [ "$status" -eq 0 ]
    done
fi

printf 'bench_icub: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
