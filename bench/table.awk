# Makes the table of bench/results.md out of the lines of all programs:
#
#     SIDE PROBLEM METHOD TOLERANCE DIGITS SECONDS STEPS     cosy_side, *_cvode
#     M/M/1, ...: bare X/s, COSY Y/s, ratio R                mm1
#     hold, N pending: bare X ns, COSY Y ns, ratio R         hold
#     START MODEL CC COLD WARM                               start

$1 == "C" || $1 == "COSY" {
    curve = $1 SUBSEP $2 SUBSEP $3
    if (!(curve in count)) {
        curves[++n_curves] = curve
    }
    k = ++count[curve]
    digits[curve, k] = $5
    seconds[curve, k] = $6
    steps[curve, k] = $7
}

$1 == "INSTRUCTIONS" {
    counted[++n_counted] = $0
}

$1 == "START" {
    started[++n_started] = $0
}

$1 == "REPLICATED" {
    gain = $2/$3
    if (gain > best_gain)
        best_gain = gain
}

$1 == "SimPy" {
    simpy = $0
}

$1 == "M/M/1," || $1 == "hold," {
    discrete[++n_discrete] = $0
}

# Seconds at d digits, between the measured points on both sides, straight in
# log t over digits; tighter tolerances than these all reach d. 0: never reached.
function time_at(curve, d,    k, a, b, part) {
    for (k = count[curve]; k >= 1 && digits[curve, k] >= d; k--)
        ;
    if (k == count[curve])
        return 0
    if (k == 0)
        return seconds[curve, 1]
    a = log(seconds[curve, k])
    b = log(seconds[curve, k + 1])
    part = (d - digits[curve, k]) / (digits[curve, k + 1] - digits[curve, k])
    return exp(a + part * (b - a))
}

# The fastest method of a side at d digits; its name in `best`.
function fastest(side, problem, d,    k, part, t, least) {
    least = 0
    best = "-"
    for (k = 1; k <= n_curves; k++) {
        split(curves[k], part, SUBSEP)
        if (part[1] != side || part[2] != problem)
            continue
        t = time_at(curves[k], d)
        if (t > 0 && (least == 0 || t < least)) {
            least = t
            best = part[3]
        }
    }
    return least
}

function verdict(ok) {
    if (!ok)
        missed++
    return ok ? "reached" : "**missed**"
}

function row(work, bare, cosy, ratio, aim) {
    printf "| %s | %s | %s | %.3f | %.2f | %s |\n", work, bare, cosy, ratio,
        aim, verdict(ratio <= aim)
}

function compare(problem, title,    d, c, own, c_name) {
    for (d = 4; d <= 10; d += 2) {
        c = fastest("C", problem, d)
        c_name = best
        own = fastest("COSY", problem, d)
        if (c == 0 && own > 0) {
            printf "| %s, %d digits | does not get there | %.1f us (%s) | | " \
                "0.33 | reached |\n", title, d, own * 1e6, best
            continue
        }
        if (own == 0) {
            printf "| %s, %d digits | | | | | **missed**: not reached |\n",
                title, d
            missed++
            continue
        }
        row(sprintf("%s, %d digits", title, d),
            sprintf("%.1f us (%s)", c * 1e6, c_name),
            sprintf("%.1f us (%s)", own * 1e6, best), own / c, 1 / 3)
    }
}

# All methods of both sides, at equal digits, in microseconds.
function curves_of(problem, title,    k, d, part, t) {
    for (k = 1; k <= n_curves; k++) {
        split(curves[k], part, SUBSEP)
        if (part[2] != problem)
            continue
        printf "| %s | %s | %s |", title, part[1], part[3]
        for (d = 4; d <= 10; d += 2) {
            t = time_at(curves[k], d)
            if (t > 0)
                printf " %.1f |", t * 1e6
            else
                printf " |"
        }
        print ""
    }
}

function all_curves(    k) {
    print "\n## Every method, microseconds at equal digits\n"
    print "| problem | side | method | 4 | 6 | 8 | 10 |"
    print "| --- | --- | --- | ---: | ---: | ---: | ---: |"
    for (k = 1; k <= n_problems; k++)
        curves_of(problems[k], titles[k])
}

function instructions(    k, part, ratio) {
    if (n_counted == 0)
        return
    print "\n## Instructions at equal steps, GEAR and ADAMS against C on CVODE\n"
    print "| problem | method | RELERR | C | COSY | ratio | aim | |"
    print "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |"
    for (k = 1; k <= n_counted; k++) {
        split(counted[k], part, " ")
        ratio = part[6] / part[5]
        printf "| %s | %s | %s | %d | %d | %.3f | 1.05 | %s |\n", part[2],
            part[3], part[4], part[5], part[6], ratio, verdict(ratio <= 1.05)
    }
}

function starts(    k, part) {
    if (n_started == 0)
        return
    print "\n## From text to results, wall time in milliseconds\n"
    print "| model | cc alone | cold | cold / cc | aim | | warm | aim | |"
    print "| --- | ---: | ---: | ---: | ---: | --- | ---: | ---: | --- |"
    for (k = 1; k <= n_started; k++) {
        split(started[k], part, " ")
        printf "| %s | %.1f | %.1f | %.3f | 0.25 | %s | %.1f | 20 | %s |\n",
            part[2], part[3] * 1e3, part[4] * 1e3, part[4] / part[3],
            verdict(part[4] <= part[3] / 4), part[5] * 1e3,
            verdict(part[5] <= 0.02)
    }
}

function problem(name, title) {
    problems[++n_problems] = name
    titles[n_problems] = title
    compare(name, title)
}

# "M/M/1, 5 customers: bare 1.3e7/s, COSY 1e7/s, ratio 1.2" as a row.
function discrete_row(line, aim,    part, work) {
    sub(/  +/, " ", line)
    work = line
    sub(/:.*/, "", work)
    sub(/.*: bare */, "", line)
    split(line, part, /, (COSY|ratio) */)
    row(work, part[1], part[2], part[3] + 0, aim)
    if (work ~ /^M/)
        whole_run(part[1], aim)
    if (line ~ /differ/) {
        print "| " work " | | | | | **missed**: the two sides differ |"
        missed++
    }
}

# The same model through the clock of the kernel, with its records.
function whole_run(bare, aim,    curve, rate) {
    curve = "COSY" SUBSEP "mm1" SUBSEP "-"
    if (!(curve in count))
        return
    rate = digits[curve, 1] / seconds[curve, 1]
    row(sprintf("M/M/1, %d customers, whole run", digits[curve, 1]), bare,
        sprintf("%.3g/s", rate), (bare + 0) / rate, aim)
}

function heat(    k, part, n) {
    print "\n## Heat equation, RADAU5, RELERR 1e-6\n"
    print "| points | steps | total ms | us / point | ns / (point step) |"
    print "| ---: | ---: | ---: | ---: | ---: |"
    for (k = 1; k <= n_curves; k++) {
        split(curves[k], part, SUBSEP)
        if (part[2] != "heat")
            continue
        for (n = 1; n <= count[curves[k]]; n++)
            heat_row(digits[curves[k], n], seconds[curves[k], n],
                steps[curves[k], n])
    }
    if (heat_least == 0)
        return
    printf "\nCost of a point in a step, largest / smallest: %.2f, linear if at" \
        " most 1.50: %s.\n", heat_most / heat_least,
        verdict(heat_most <= 1.5 * heat_least)
    printf "The whole run costs %.2f times as much per point with the most" \
        " points as with\nthe fewest, most of it because it takes more steps" \
        " (bench/README.md).\n", heat_last / heat_first
}

function heat_row(points, s, n,    each) {
    each = s / points / n * 1e9
    printf "| %d | %d | %.2f | %.2f | %.1f |\n", points, n, s * 1e3,
        s / points * 1e6, each
    heat_last = s / points
    if (heat_first == 0)
        heat_first = heat_last
    if (heat_least == 0 || each < heat_least)
        heat_least = each
    if (each > heat_most)
        heat_most = each
}

END {
    print "| work | C | COSY | ratio | aim | |"
    print "| --- | ---: | ---: | ---: | ---: | --- |"
    problem("vanderpol", "Van der Pol")
    problem("hires", "HIRES")
    problem("pollution", "Pollution")
    problem("lithium", "lithium")
    problem("pleiades", "Pleiades")
    problem("twostate", "two-state")
    problem("relay", "relay")
    problem("ball", "ball")
    for (k = 1; k <= n_discrete; k++)
        discrete_row(discrete[k], discrete[k] ~ /^hold/ ? 1.2 : 1.4)
    if (best_gain) {
        if (best_gain < 1.9)
            missed++
        printf "\nReplications of M/M/1 on two cores: %.2f times as fast as on" \
               " one (best of three; aim 1.9%s).\n", best_gain,
               best_gain < 1.9 ? ": **missed**" : ": reached"
    }
    if (simpy)
        print "\n" simpy "."
    instructions()
    starts()
    all_curves()
    heat()
    print missed ? "\n" missed " of the aims missed." : "\nAll aims reached."
}
