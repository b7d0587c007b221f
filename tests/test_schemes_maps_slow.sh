#!/usr/bin/env bash
# `ovoid-bench convergence` and `ovoid-bench portal`: tables and CSV. Slow, since the
# interior point method is.
# shellcheck disable=SC2016  # the conditions are those of awk
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"
use_bench

list_schemes

run convergence --pairs 1 --csv c.csv
check 'succeeds' [ "$status" -eq 0 ]
check 'nine fields per row' all_rows . 'NF == 9' c.csv
check 'plot' plots convergence c.csv
check 'both maps of Ovoid' [ "$(grep -c ',Ovoid,' c.csv)" -eq $((9 * 9 + 9 * 12)) ]
check 'Ovoid fails in no cell' all_rows ',Ovoid,' '$6 == 1 && $7 == 1 && $8 == 0' c.csv
if has_scheme quadImplicit; then
    check 'round bodies are easy' all_rows '^exponents,quadImplicit,1,1,' '$8 == 0 && $9 < 10' c.csv
fi

run portal --csv p.csv
check 'succeeds' [ "$status" -eq 0 ]
check 'figures' [ "$(wc -l <p.csv)" -gt 8 ]
check 'plot' plots portal p.csv

printf 'maps and cases: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
