# What it costs to prove a motion free: gnuplot -c bench/plots/motion.gp motion.csv motion.svg
call system("dirname '".ARG0."'")."/style.gp" ARG2 1220 520
csv = ARG1
set logscale xy
set format x "10^{%L}"
set format y "10^{%L}"
row(part, what, method) = strcol(1) eq part && strcol(2) eq what && strcol(3) eq method
set datafile missing NaN
set key below Left reverse maxcols 1
set multiplot layout 1,3 title "What it costs to prove a motion free" font ",16"
set title "Squares, near-collision [Toleranced, Table 2]"
set xlabel "pairs of sub-squares, n^4"
set ylabel "time, s"
near(method) = row("squares_individual", "near", method)
plot csv using (near("all_pairs") ? $4**4 : NaN):9 with linespoints pt 7 ps 0.7 lw 2 lc rgb fcl title "printed", \
     csv using (near("all_pairs") ? $4**4 : NaN):($7 * 1e-9) with linespoints pt 7 ps 0.7 lw 2 lc rgb ours title "Ovoid, all pairs", \
     csv using (near("hierarchy") ? $4**4 : NaN):($7 * 1e-9) with linespoints pt 7 ps 0.7 lw 2 dt 2 lc rgb ours title "Ovoid, hierarchy"
set title "Cost by clearance"
set xlabel "clearance, in sizes"
set ylabel "time of a proof, μs"
plot csv using (row("cost", "clearance", "ovoid") ? $4 : NaN):($7 * 1e-3) with linespoints pt 7 ps 0.7 lw 2 lc rgb ours \
         title "superovoids, half a turn, ten sizes", \
     csv using (row("cost", "clearance_squares", "ovoid") ? $4 : NaN):($7 * 1e-3) with linespoints pt 7 ps 0.7 lw 2 dt 2 lc rgb green \
         title "squares in 16 parts, hierarchy"
set title "Cost by length"
set xlabel "length of the path, in sizes"
plot csv using (row("cost", "length", "ovoid") ? $4 : NaN):($7 * 1e-3) with linespoints pt 7 ps 0.7 lw 2 lc rgb ours \
         title "superovoids passing, clear by 0.1 sizes", \
     csv using (row("cost", "length_in_place", "ovoid") ? $4 : NaN):($7 * 1e-3) with linespoints pt 7 ps 0.7 lw 2 dt 2 lc rgb fcl \
         title "superovoids turning in place"
unset multiplot
