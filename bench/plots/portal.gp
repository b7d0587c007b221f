# Contact as a constrained minimum [Portal, Tables 3 to 5], done again; hollow: not converged.
# gnuplot -c bench/plots/portal.gp portal.csv portal.svg
call system("dirname '".ARG0."'")."/style.gp" ARG2 980 860
csv = ARG1
row(method, form) = strcol(3) eq method && strcol(4) eq form
number(set_name) = strstrt("abcdefgh", set_name)
off = 0.18
set multiplot layout 2,1 title "Contact as a constrained minimum, published and mended" font ",16"
set key outside right top Left reverse
array methods[4] = ["interiorPoint", "sqp", "interiorPoint", "sqp"]
array forms[4] = ["published", "published", "mended", "mended"]
array colours[4] = [fcl, bullet, ours, green]
set title "Gap of the eight cases (set e)"
set xlabel "case"
set ylabel "gap, length (negative: penetration)"
set xrange [0.5:8.5]
set yrange [-0.6:2.2]
set xtics 1
plot csv using (strcol(2) eq "e" ? $1 : NaN):11:(0.4):(0) with vectors nohead lw 3 lc rgb ink notitle, \
     csv using (strcol(2) eq "e" ? $1 - 0.4 : NaN):11:(0.4):(0) with vectors nohead lw 3 lc rgb ink title "Ovoid, certified", \
     for [i = 1:4] csv using (strcol(2) eq "e" && row(methods[i], forms[i]) ? $1 + off * (i - 2.5) : NaN):6:(strcol(5) eq "solved" ? 7 : 6) \
         with points pt variable ps 1.1 lc rgb colours[i] notitle, \
     for [i = 1:4] keyentry with points pt 7 ps 1.1 lc rgb colours[i] title sprintf("%s, %s", methods[i], forms[i]), \
     csv using (strcol(2) eq "e" ? $1 - 0.42 : NaN):14 with points pt 4 ps 1.1 lc rgb ink title "printed"
set key off
set rmargin 29
set title "How far all sets of cases 7 and 8 end from the certified gap"
set xlabel "constraint set"
set ylabel "distance from the certified gap, length"
set logscale y
set format y "10^{%L}"
set yrange [1e-13:100]
set xrange [0.5:18]
set xtics ()
do for [k = 1:8] { set xtics add (sprintf("7%s", "abcdefgh"[k:k]) k, sprintf("8%s", "abcdefgh"[k:k]) k + 9.5) }
plot for [i = 1:4] csv using ($1 >= 7 && row(methods[i], forms[i]) ? number(strcol(2)) + 9.5 * ($1 - 7) + off * (i - 2.5) : NaN):(abs($6 - $11) > 1e-12 ? abs($6 - $11) : 1e-12):(strcol(5) eq "solved" ? 7 : 6) \
         with points pt variable ps 1.1 lc rgb colours[i] notitle
unset multiplot
