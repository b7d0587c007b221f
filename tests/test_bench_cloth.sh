#!/usr/bin/env bash
# `ovoid-bench cloth`: a few frames of every scene, as table and CSV. Times are not looked at: they
# depend on the machine.
# shellcheck disable=SC2016  # the conditions are those of awk
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"
use_bench

good cloth --alone --frames 4 --csv c.csv
check 'every scene has a row' [ "$(wc -l <c.csv)" -eq 19 ]
check 'every row has all fields' all_rows . 'NF == 8' c.csv
check 'no triangle is in a body before the cloth reaches it' all_rows '^ovoid' '$8 >= 0 && $8 < 0.1' c.csv
check 'strain of a cloth that falls' all_rows '^ovoid' '$7 >= 0 && $7 < 0.01' c.csv
check 'no crossing' says '0 with a crossing'
check 'goals' says 'deepest point of any triangle, mm'
bad "ovoid-bench: cloth: --frames = 1: must be 2 to 10000" cloth --frames 1
bad "ovoid-bench: cloth: unknown option --pairs; see 'ovoid-bench cloth --help'" cloth --pairs 5

printf 'bench_cloth: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
