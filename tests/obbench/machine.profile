openblacs-profile 1
# A machine that is none: round numbers, for the golden outputs.
host golden
processors 2
cache 33554432
error T_c 0.05 0.02
line T_c 0 0.1 0.0001
line T_c 4096 0.3 0.00002
error T_s 0.1 0.03
line T_s 0 0.05 0.00001
error T_r 0 0
line T_r 0 0.05 0.00001
error T_m 0.01 0.01
line T_m 0 0.01 0.00001
error T_o 0.02 0.01
line T_o 0 0.01 0.00002
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
bsp 2 4000 0.0005 0.4
end 29
