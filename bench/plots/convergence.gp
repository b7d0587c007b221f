# Iterations of the schemes as heat maps, over both exponents and over the distance; a cross: pairs
# failed, the larger the more. gnuplot -c bench/plots/convergence.gp convergence.csv convergence.svg
call system("dirname '".ARG0."'")."/style.gp" ARG2 1120 1240
csv = ARG1
methods = system("tail -n +2 '".csv."' | cut -d, -f2 | awk '!seen[$0]++'")
gaps = system("awk -F, '$1 == \"distance\" { print $5 }' '".csv."' | awk '!seen[$0]++'")
position(gap) = sum [k = 1:words(gaps)] (word(gaps, k) eq gap ? k : 0)
set cbrange [0:30]
set palette defined (0 "#fffacd", 1 "#c7e0ad", 2 "#7abeaa", 3 "#4293a5", 4 "#2c6294", 5 "#262e6b")
unset key
unset grid
set datafile missing NaN
rows = (words(methods) + 3) / 4
set multiplot layout 2 * rows, 4 title "Mean iterations of the published schemes and of Ovoid where they solved it; crosses: pairs that failed" font ",14"
do for [map = 0:1] {
    kind = map == 0 ? "exponents" : "distance"
    do for [i = 1:4 * rows] {
        if (i > words(methods)) {
            set multiplot next
        } else {
            method = word(methods, i)
            set title method noenhanced
            set xlabel map == 0 ? "exponent e1" : "gap"
            set ylabel map == 0 ? "exponent e2" : "e1 = e2"
            set yrange [0.1:1.9]
            if (map == 0) {
                hx = 0.1
                set xrange [0.1:1.9]
                set xtics 0.4 norotate
                plot csv using (strcol(1) eq kind && strcol(2) eq method ? $3 : NaN):4:(hx):(0.1):9 with boxxyerror fs solid noborder lc palette, \
                     csv using (strcol(1) eq kind && strcol(2) eq method ? $3 : NaN):4:($8 > 0 ? 0.3 + 1.2 * $8 / $6 : 0) \
                         with points pt 2 ps variable lc rgb "black"
            } else {
                hx = 0.5
                # gaps are not evenly spread: their order is drawn
                set xrange [0.5:words(gaps) + 0.5]
                set xtics rotate by 90 right
                set xtics ()
                do for [k = 1:words(gaps)] { set xtics add (sprintf("%g", real(word(gaps, k))) k) }
                plot csv using (strcol(1) eq kind && strcol(2) eq method ? position(strcol(5)) : NaN):4:(hx):(0.1):9 with boxxyerror fs solid noborder lc palette, \
                     csv using (strcol(1) eq kind && strcol(2) eq method ? position(strcol(5)) : NaN):4:($8 > 0 ? 0.3 + 1.2 * $8 / $6 : 0) \
                         with points pt 2 ps variable lc rgb "black"
            }
        }
    }
}
unset multiplot
