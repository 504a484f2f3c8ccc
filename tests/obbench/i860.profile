openblacs-profile 1
# The i860 as LAWN 73 has it (tables 5, 6 and 14), T_m of its CM-5 (table 7), in us a byte.
host i860
processors 32
cache 8192
error T_c 0.0593 0
line T_c 0 211 0.3572
error T_s 0.0529 0
line T_s 0 47 0.3571625
error T_r 0 0
line T_r 0 47 0.3571625
error T_m 0.0154 0
line T_m 0 0 0.09
line T_m 2000 -152 0.0906
error T_o 0.01 0
line T_o 0 0 0.05
line T_o 400 -14 0.0518125
waiting call 0.03
waiting combine 0.06
waiting glance 1
waiting look 5
waiting turn 1
waiting ring 2
waiting wake 10
waiting patience 30
waiting rest 1
waiting flow 0.5
waiting spill 2
waiting cold 2
end 29
