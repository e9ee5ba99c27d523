/* driver.c: runs a fuzz target over changed seeds, where there is no libFuzzer
 *
 *   fuzz_NAME [-n COUNT] [-t SECONDS] [-s SEED] [-i INPUT] FILE...
 *
 * Input number i is one of the files with one to four changes, which SEED and i alone determine. Two of three inputs get
 * right CRCs. The first inputs are the files as they are, which must be in order. -i runs one input, to see the one that a
 * message named. The output ends with "COUNT inputs, COUNT in order", or names the input that crashed or took more than
 * 10 seconds. */
#include "change.h"
#include "fuzz.h"
#include "mend.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HANG_S = 10 };

struct seed {
    const char *name;
    unsigned char *bytes;
    size_t size;
};

static char now[512]; /* the input in hand, for the handlers */
static const char *target;

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
}

static void end(int number)
{
    say(number == SIGALRM ? "not ok - takes too long: " : "not ok - crashes: ");
    say(now);
    signal(number == SIGALRM ? SIGABRT : number, SIG_DFL);
    raise(number == SIGALRM ? SIGABRT : number);
}

static void say_now(void)
{
    say("not ok - a sanitizer's finding: ");
    say(now);
}

/* a sanitizer may be linked */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static struct seed read_seed(const char *name)
{
    struct seed seed = {.name = name, .bytes = malloc(FUZZ_MOST_BYTES)};
    FILE *file = fopen(name, "rb");
    if (file == NULL || seed.bytes == NULL) {
        perror(name);
        exit(2);
    }
    seed.size = fread(seed.bytes, 1, FUZZ_MOST_BYTES, file);
    fclose(file);
    return seed;
}

/* Makes input `i`; the first ones are the files as they are. */
static int run(const struct seed *seeds, size_t count, unsigned long seed, unsigned long i)
{
    static unsigned char bytes[FUZZ_MOST_BYTES];
    uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + i;
    const struct seed *from = &seeds[i < count ? i : change_random(&state) % count];
    size_t size = from->size;
    unsigned changes = i < count ? 0 : 1 + change_random(&state) % 4;
    memcpy(bytes, from->bytes, size);
    while (changes-- > 0)
        size = change_by_kind(bytes, size, sizeof bytes, &state);
    if (i >= count && change_random(&state) % 3 > 0)
        mend(bytes, size);
    snprintf(now, sizeof now, "%s -s %lu -i %lu, from %s\n", target, seed, i, from->name);
    alarm(HANG_S);
    int good = fuzz_one(bytes, size);
    alarm(0);
    if (i < count && !good)
        printf("not ok - not in order: %s", now);
    return good;
}

int main(int argc, char **argv)
{
    unsigned long count = 1000, seed = 1, one = 0, done = 0, good = 0, good_seeds = 0;
    double seconds = 0;
    int option, only = 0;
    while ((option = getopt(argc, argv, "n:t:s:i:")) != -1) {
        switch (option) {
        case 'n': count = strtoul(optarg, NULL, 10); break;
        case 't': seconds = strtod(optarg, NULL); break;
        case 's': seed = strtoul(optarg, NULL, 10); break;
        case 'i': one = strtoul(optarg, NULL, 10), only = 1; break;
        default: return 2;
        }
    }
    size_t files = (size_t)(argc - optind);
    struct seed *seeds = calloc(files + 1, sizeof *seeds);
    if (files == 0 || seeds == NULL)
        return 2;
    for (size_t i = 0; i < files; i++)
        seeds[i] = read_seed(argv[optind + (int)i]);
    target = strrchr(argv[0], '/') != NULL ? strrchr(argv[0], '/') + 1 : argv[0];
    for (int number = SIGILL; number <= SIGALRM; number++) {
        if (number == SIGSEGV || number == SIGFPE || number == SIGABRT || number == SIGALRM)
            signal(number, end);
    }
    if (__sanitizer_set_death_callback != NULL)
        __sanitizer_set_death_callback(say_now);
    clock_t start = clock();
    if (only)
        run(seeds, files, seed, one);
    for (; !only && (seconds > 0 ? (double)(clock() - start) / CLOCKS_PER_SEC < seconds
                                 : done < count + files);
         done++) {
        good += (unsigned long)run(seeds, files, seed, done);
        good_seeds = done < files ? good : good_seeds;
    }
    printf("%lu inputs, %lu in order\n", done, good);
    for (size_t i = 0; i < files; i++)
        free(seeds[i].bytes);
    free(seeds);
    return !only && done >= files && good_seeds < files;
}
