#!/usr/bin/env bash
# `ovoid-bench dental`: table and CSV of the bite, with meshes where FCL was built and
# without them. Times are not looked at: they depend on the machine.
# shellcheck disable=SC2016  # the conditions are those of awk
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"
use_bench

column() { # NAME FILE: the number of a column of the CSV
    head -n 1 "$2" | tr , '\n' | grep -nx "$1" | cut -d : -f 1
}

run dental --csv d.csv
check 'succeeds' [ "$status" -eq 0 ]
check 'both halves' [ "$(grep -c '^Ovoid, with coherence  ' out)" -eq 3 ]
check 'goals' says 'Goal: with coherence at least 30 times'
check 'penetration without a jump' says 'a penetration where the meshes have 0: met'
check '181 frames' [ "$(wc -l <d.csv)" -eq 182 ]
check 'plot' plots dental d.csv
fields=$(head -n 1 d.csv | tr , '\n' | wc -l)
check 'all fields in each row' all_rows . "NF == $fields" d.csv
gap=$(column ovoid_coherent_gap d.csv)
check 'the sign of the gap is the half' all_rows '^[0-9]' "(\$$gap < 0) == (\$2 == \"meeting\")" d.csv
check 'bounds hold the gap' all_rows '^[0-9]' "\$6 <= \$$gap && \$$gap <= \$7" d.csv
check 'no step beyond the motion' awk -F, -v g="$gap" '
    NR > 2 { m = sqrt(($3 - x)^2 + ($4 - y)^2 + ($5 - z)^2); s = $g - last
             if ((s < 0 ? -s : s) > m * (1 + 1e-6)) { print; bad = 1 } n++ }
    NR > 1 { x = $3; y = $4; z = $5; last = $g } END { exit bad || n != 180 }' d.csv
check 'boxes first have no gap in frame 0' all_rows '^0,' "\$$(column ovoid_boxes_gap d.csv) == \"\"" d.csv

if [ "$has_peers" = yes ]; then
    check 'no message' [ ! -s err ]
    for size in 6200 24000; do
        mesh=$(column "fcl_mesh_distance_${size}_gap" d.csv)
        check "meshes of $size have 0 where the teeth are deep" \
            all_rows '^(5[0-9]|[6-9][0-9]|10[0-8]),' "\$$mesh == 0" d.csv
        check "meshes of $size are near the gap where the teeth are apart" \
            all_rows ',apart,' "\$$mesh - \$$gap < 0.05 && \$$gap - \$$mesh < 0.05" d.csv
    done
    check 'a ratio for both meshes and both halves' \
        [ "$(grep -cE '^  FCL mesh distance, .* (met|missed)$' out)" -eq 4 ]
fi

# without the other libraries; the gaps are the same
good dental --alone --csv alone.csv
check 'says what was not measured' [ "$(grep -c 'triangles: not measured$' out)" -eq 2 ]
check 'no meshes' [ "$(head -n 1 alone.csv | grep -c fcl)" -eq 0 ]
check 'the same gaps' [ "$(cut -d, -f "1-10,$gap" d.csv)" = "$(cut -d, -f "1-10,$gap" alone.csv)" ]

bad "ovoid-bench: dental: unknown option --pairs; see 'ovoid-bench dental --help'" dental --pairs 5
bad "ovoid-bench: dental: unknown option --frames; see 'ovoid-bench dental --help'" dental --frames 5
bad 'ovoid-bench: nowhere/d.csv: cannot be written: No such file or directory' \
    dental --csv nowhere/d.csv

printf 'bench_dental: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
