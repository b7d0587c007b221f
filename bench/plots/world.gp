# A frame of a moving packing over the number of bodies: gnuplot -c bench/plots/world.gp world.csv world.svg
call system("dirname '".ARG0."'")."/style.gp" ARG2 780 520
csv = ARG1
set datafile missing NaN
set logscale xy
set format x "10^{%L}"
set xlabel "bodies"
set ylabel "time per body, μs"
set title "A frame of a moving packing of superovoids" font ",16"
set key outside right top Left reverse
of(what, threads, value) = strcol(2) eq what && $3 == threads ? value * 1e-3 : NaN
plot csv using 1:(of("ovoid", 1, $6)) with linespoints pt 7 lw 2.2 lc rgb ours title "narrow phase, one thread", \
     csv using 1:(of("ovoid", 2, $6)) with linespoints pt 6 lw 2.2 dt 2 lc rgb ours title "narrow phase, two threads", \
     csv using 1:(of("ovoid", 1, $4 + $5)) with linespoints pt 7 lw 2.2 lc rgb green title "moves and broad phase, one thread", \
     csv using 1:(of("ovoid", 2, $4 + $5)) with linespoints pt 6 lw 2.2 dt 2 lc rgb green title "moves and broad phase, two threads", \
     csv using 1:(of("fcl-tree", 1, $5)) with linespoints pt 5 lw 2.2 lc rgb fcl title "FCL, tree only", \
     csv using 1:(of("bullet-tree", 1, $5)) with linespoints pt 4 lw 2.2 dt 3 lc rgb bullet title "Bullet, trees only"
