#!/usr/bin/env bash
# `ovoid-bench world` on a small world: table and CSV; contacts the same in every run, and
# the same as those of a search of all pairs. Times are not looked at.
# shellcheck disable=SC2016  # the conditions are those of awk
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"
use_bench

run world --bodies 10000 --seed 5 --csv w.csv
check 'succeeds' [ "$status" -eq 0 ]
check 'head of the CSV' [ "$(head -n 1 w.csv)" = \
    'bodies,what,threads,move_ns,broad_ns,narrow_ns,pairs,queries,contacts,bytes' ]
check '10 fields per row' all_rows . 'NF == 10' w.csv
check 'plot' plots world w.csv
check 'two sizes, one and two threads' [ "$(grep -c ',ovoid,' w.csv)" -eq 4 ]
check 'contacts were found' all_rows ',ovoid,' '$9 > 0.5 && $8 >= $9 && $7 >= $8' w.csv
check 'not more memory than promised' all_rows '^10000,ovoid,' '$10 <= 700' w.csv
check 'compared with all pairs' says 'Against a search of all pairs at 10000 bodies:'
check 'none lost, none too many' grep -qE ' contacts, 0 lost, 0 too many,$' out
check 'the same gaps' grep -qE '^0 with another gap ' out
check 'goals' says 'Goals, at 10000 bodies'
hashes=$(awk '/ hash$/ { table = 1; next } NF == 0 { table = 0 } table { print $NF }' out)
check 'a hash a size' [ "$(wc -w <<<"$hashes")" -eq 2 ]

run world --bodies 1000 --seed 5
check 'succeeds' [ "$status" -eq 0 ]
again=$(awk '/ hash$/ { table = 1; next } NF == 0 { table = 0 } table { print $NF }' out)
check 'the same contacts again' [ "$again" = "$(head -n 1 <<<"$hashes")" ]

bad 'ovoid-bench: world: --bodies = 10: must be 1000 to 1000000' world --bodies 10
bad "ovoid-bench: world: unknown option --pairs; see 'ovoid-bench world --help'" world --pairs 10
printf 'bench_world: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
