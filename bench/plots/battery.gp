# Error against time of the battery's methods: gnuplot -c bench/plots/battery.gp battery.csv battery.svg
call system("dirname '".ARG0."'")."/style.gp" ARG2 980 1010
csv = ARG1
methods = system("tail -n +2 '".csv."' | awk -F, '$1 !~ /^kind:/ && $13 != \"\" { print $3 }' | awk '!seen[$0]++'")
set logscale xy
set format x "10^{%L}"
set format y "10^{%L}"
set xrange [0.1:2000]
set yrange [1e-18:10]
set xlabel "mean time of a query, μs"
set ylabel "mean error of the gap, length"
set multiplot title "Time and error of a distance query (down and left is better)" font ",16"
unset key
do for [k = 0:3] {
    set origin 0.5 * (k % 2), 0.58 - 0.38 * (k / 2)
    set size 0.5, 0.38
    set_name = k < 2 ? "superovoids" : "ellipsoids"
    part = k % 2 == 0 ? "separated" : "overlapping"
    set title sprintf("%s, %s", set_name, part) font ",12"
    plot for [i = 1:words(methods)] csv using \
        (strcol(1) eq set_name && strcol(2) eq part && strcol(3) eq word(methods, i) ? $9 : NaN):($13 > 1e-17 ? $13 : 1e-17) \
        with points pt i ps 1.5 lw 1.8 lc rgb colour(word(methods, i))
}
# the legend, in a panel of its own
set origin 0, 0
set size 1, 0.2
unset title; unset xlabel; unset ylabel; unset tics; unset border; unset grid
unset logscale
set xrange [0:1]; set yrange [0:1]
set key center center maxrows 5 width 3 Left reverse
plot for [i = 1:words(methods)] NaN with points pt i ps 1.5 lw 1.8 lc rgb colour(word(methods, i)) \
    title word(methods, i) noenhanced
unset multiplot
