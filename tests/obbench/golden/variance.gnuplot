set output 'figures/variance-broadcast-32.svg'
set title 'Variance of broadcasts, 32 processes' noenhanced
set xlabel 'Length (bytes)'
set ylabel 'Time (microseconds), slowest process'
set grid
set key outside right top Left reverse samplen 2 spacing 1.2 noenhanced
set linetype 1 lc rgb '#1f77b4'
set linetype 2 lc rgb '#d62728'
set linetype 3 lc rgb '#2ca02c'
set linetype 4 lc rgb '#9467bd'
set linetype 5 lc rgb '#ff7f0e'
set linetype 6 lc rgb '#17becf'
set linetype 7 lc rgb '#8c564b'
set linetype 8 lc rgb '#e377c2'
set linetype 9 lc rgb '#7f7f7f'
set linetype 10 lc rgb '#000000'
set linetype 11 lc rgb '#bcbd22'
set linetype 12 lc rgb '#004d40'
set linetype cycle 12
set format x '%.0s %c'
set xrange [0:*]
set yrange [0:*]
$o0 << EOD
0 557
0 546.723
0 567.277
80000 143533
80000 140885
80000 146181
160000 286509
160000 281223
160000 291795
240000 429485
240000 421561
240000 437409
320000 572461
320000 561899
320000 583023
400000 715437
400000 702237
400000 728637
EOD
$o1 << EOD
0 1086
0 1065.47
0 1106.53
80000 144684
80000 141949
80000 147419
160000 288282
160000 282833
160000 293731
240000 431880
240000 423717
240000 440043
320000 575478
320000 564601
320000 586355
400000 719076
400000 705485
400000 732667
EOD
$s1 << EOD
0 1100
80000 146100
160000 291100
240000 436100
320000 581100
400000 726100
EOD
plot $o0 using 1:2 with points lc 1 pt 6 ps 0.8 title 'nx, in a row', 557 + 14.2976 * x / 8 with lines lc 1 lw 1.5 title '557 + 14.3 N', $o1 using 1:2 with points lc 2 pt 6 ps 0.8 title 'hypercube, in a row', $s1 using 1:2 with points lc 2 pt 1 ps 0.8 title 'hypercube, one at a time', 1086 + 14.3598 * x / 8 with lines lc 2 lw 1.5 title '1086 + 14.36 N'
unset output
set output 'figures/variance-combine-all-32.svg'
set title 'Variance of combines left on all, 32 processes' noenhanced
set xlabel 'Length (bytes)'
set ylabel 'Time (microseconds), slowest process'
set grid
set key outside right top Left reverse samplen 2 spacing 1.2 noenhanced
set linetype 1 lc rgb '#1f77b4'
set linetype 2 lc rgb '#d62728'
set linetype 3 lc rgb '#2ca02c'
set linetype 4 lc rgb '#9467bd'
set linetype 5 lc rgb '#ff7f0e'
set linetype 6 lc rgb '#17becf'
set linetype 7 lc rgb '#8c564b'
set linetype 8 lc rgb '#e377c2'
set linetype 9 lc rgb '#7f7f7f'
set linetype 10 lc rgb '#000000'
set linetype 11 lc rgb '#bcbd22'
set linetype 12 lc rgb '#004d40'
set linetype cycle 12
set format x '%.0s %c'
set xrange [0:*]
set yrange [0:*]
$o0 << EOD
80000 331614
80000 325645
80000 337583
160000 663442
160000 651500
160000 675384
240000 995270
240000 977355
240000 1.01318e+06
320000 1.3271e+06
320000 1.30321e+06
320000 1.35099e+06
400000 1.65893e+06
400000 1.62907e+06
400000 1.68879e+06
EOD
$o1 << EOD
0 2828
0 2818.67
0 2837.33
80000 312446
80000 311415
80000 313477
160000 622064
160000 620011
160000 624117
240000 931682
240000 928607
240000 934757
320000 1.2413e+06
320000 1.2372e+06
320000 1.2454e+06
400000 1.55092e+06
400000 1.5458e+06
400000 1.55604e+06
EOD
plot $o0 using 1:2 with points lc 1 pt 6 ps 0.8 title 'nx, in a row', -214 + 33.1828 * x / 8 with lines lc 1 lw 1.5 title '-214 + 33.18 N', $o1 using 1:2 with points lc 2 pt 6 ps 0.8 title '1-tree, in a row', 2828 + 30.9618 * x / 8 with lines lc 2 lw 1.5 title '2828 + 30.96 N'
unset output
