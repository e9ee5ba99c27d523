# pairs.awk: makes a covering array: configurations in which each pair of values of two parameters occurs.
#
# Input: a line per parameter, "name value value ...". Output: a line per configuration, the values in the order of
# the parameters. The method is greedy: of some random candidates it takes the one that covers most new pairs. The
# generator is seeded, so the output is always the same.
{
    values[NR] = NF - 1
    for (i = 2; i <= NF; i++) value[NR, i - 1] = $i
}

function pair(a, x, b, y) { return a SUBSEP x SUBSEP b SUBSEP y }

function gain(    a, b, sum) {
    sum = 0
    for (a = 1; a < NR; a++)
        for (b = a + 1; b <= NR; b++)
            if (pair(a, choice[a], b, choice[b]) in open) sum++
    return sum
}

# A candidate starts from one uncovered pair, so each configuration covers something.
function candidate(    key, part, a, skip) {
    skip = int(rand() * (left < 50 ? left : 50))
    for (key in open) if (skip-- <= 0) break
    split(key, part, SUBSEP)
    for (a = 1; a <= NR; a++) choice[a] = 1 + int(rand() * values[a])
    choice[part[1]] = part[2]
    choice[part[3]] = part[4]
}

END {
    srand(20181)
    for (a = 1; a < NR; a++)
        for (b = a + 1; b <= NR; b++)
            for (x = 1; x <= values[a]; x++)
                for (y = 1; y <= values[b]; y++) { open[pair(a, x, b, y)] = 1; left++ }
    while (left > 0) {
        best = 0
        for (t = 0; t < 40; t++) {
            candidate()
            g = gain()
            if (g > best) {
                best = g
                for (a = 1; a <= NR; a++) kept[a] = choice[a]
            }
        }
        line = ""
        for (a = 1; a <= NR; a++) {
            line = line (a > 1 ? " " : "") value[a, kept[a]]
            for (b = a + 1; b <= NR; b++)
                if (pair(a, kept[a], b, kept[b]) in open) { delete open[pair(a, kept[a], b, kept[b])]; left-- }
        }
        print line
    }
}
