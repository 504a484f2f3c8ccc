"""Points that lie on the lines which LAWN 73 prints for the i860 and, of T_m, for the CM-5, as
obbench's CSV: what obbench makes of them must be the paper's own tables."""

HEAD = ("system,what,topology,scope,processes,root,bytes,calls,root_us,min_us,max_us,mean_us,"
        "relative_error,model_root_us,model_min_us,model_max_us,model_mean_us,paper_root_us,"
        "paper_max_us,partner,repeats_us")


def points(system, what, alpha, beta, error, processes=2, top="", calls=1, root=None):
    """Six lengths up to 50000 doubles; repeats on both sides of the line, so that it stays where it
    is. Times below 0, which some lines have at the length 0, cannot be measured."""
    scope = "" if not top else "all"
    partner = "1" if what in ("tc", "ts") else ""
    for n in range(0, 50001, 10000):
        time = alpha + beta * n
        if time < 0:
            continue
        off = time * error / 2
        at_root = time if root is None else root[0] + root[1] * n
        row = [system, what, top, scope, processes, 0, 8 * n, calls, at_root, at_root, time, time,
               error, "", "", "", "", "", "", partner, f"{time - off:.9g} {time + off:.9g}"]
        print(",".join(x if isinstance(x, str) else f"{x:.9g}" for x in row))


print(HEAD)
points("nx", "tc", 200, 2.8576, .0006)                                  # table 5
points("openblacs", "tc", 211, 2.8576, .0593)
points("nx", "ts", 48, 2.8573, .0673)                                   # table 6
points("openblacs", "ts", 47, 2.8573, .0529)
points("openblacs", "tm", -152, .7248, .0154, 1)                        # table 7, CM-5
points("openblacs", "to", -14, .4145, .01, 1)                           # table 14
points("nx", "broadcast", 557, 14.2976, .0369, 32, "p", 15)             # table 12
points("openblacs", "broadcast", 1086, 14.3598, .0378, 32, "h", 15, (240, 14.5))
points("openblacs", "broadcast", 1100, 14.5, 0, 32, "h", 1, (240, 14.5))
points("openblacs", "broadcast", 2300, 31.5, .02, 32, "m3", 1, (150, 8.6))
points("nx", "combine-all", -214, 33.1828, .0360, 32, "p", 15)          # table 16
points("openblacs", "combine-all", 2828, 30.9618, .0066, 32, "1", 15)
points("openblacs", "combine-all", 2900, 34.1, .01, 32, "h", 15)        # 10.72 % off, table 15
