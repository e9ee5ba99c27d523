/* rank_options.c: see rank_options.h */
#include "rank_options.h"

#include "formats/base/text.h"

#include <string.h>

enum { CHOICE_COST = DIRECTION_PULL + 1 };
static const char *const direction_names[] = {"auto", "push", "pull", [CHOICE_COST] = "cost"};
static const char *const backend_names[] = {"auto", "cpu", "cuda"};
static const char *const reduction_names[] = {"blocking", "nonblocking"};
static const char *const exchange_memory_names[] = {"auto", "host", "device", "peer"};
static const char *const exchange_form_names[] = {"auto", "list", "bits"};

void rank_defaults(struct args *args, const char *program, const char *help)
{
    *args = (struct args){.cli = {.program = program, .help = help},
                          .count = 64,
                          .seed = 1,
                          .check = 1,
                          .policy = direction_defaults,
                          .exchange = {.chunk_bytes = EXCHANGE_CHUNK_BYTES}};
}

const char *args_folder(const struct args *args, int argc, char *const *argv)
{
    static const char numbers[] = "0123456789,";
    if (optind == argc)
        cli_usage(&args->cli, "which graph? DIR is missing");
    for (int i = optind; i < argc && optind + 1 < argc; i++) {
        if (argv[i][strspn(argv[i], numbers)] == '\0')
            cli_usage(&args->cli, "'%s': is one word too many: several roots are one word, as in "
                      "-r 0,1", argv[i]);
    }
    if (optind + 1 < argc)
        cli_usage(&args->cli, "'%s': is one word too many: the one DIR is '%s'", argv[optind + 1],
                  argv[optind]);
    return argv[optind];
}

/* dd=0.5,dn=0.05,nd=1e-7, any of them. */
static void parse_factors(struct args *args, const char *option, char *list, double *factor)
{
    for (char *next = list; next != NULL;) {
        char *item = strsep(&next, ","), *value = strchr(item, '=');
        int g = SUBGRAPHS;
        if (value != NULL) {
            *value++ = '\0';
            for (g = NN; g < SUBGRAPHS && strcmp(item, subgraph_name[g]) != 0; g++)
                ;
        }
        if (g == SUBGRAPHS)
            cli_usage(&args->cli, "%s: '%s' is not nn=X, nd=X, dn=X or dd=X", option, item);
        factor[g] = cli_real(&args->cli, option, value);
        args->policy.factors_given = 1;
    }
}

static void take_direction(struct args *args, const char *value)
{
    int choice = cli_choice(&args->cli, "--direction", value, direction_names, CHOICE_COST + 1);
    args->policy.by_classes = choice == CHOICE_COST;
    args->policy.mode = choice == CHOICE_COST ? DIRECTION_AUTO : (enum direction_mode)choice;
}

static void search_option(struct args *args, int option, char *value)
{
    switch (option) {
    case OPTION_DIRECTION: take_direction(args, value); break;
    case OPTION_FACTOR0: parse_factors(args, "--factor0", value, args->policy.factor0); break;
    case OPTION_FACTOR1: parse_factors(args, "--factor1", value, args->policy.factor1); break;
    case OPTION_REDUCTION:
        args->exchange.nonblocking = cli_choice(&args->cli, "--reduction", value, reduction_names, 2);
        break;
    case OPTION_LOCAL_ALL2ALL: args->exchange.local_all2all = 1; break;
    case OPTION_UNIQUIFY: args->exchange.uniquify = 1; break;
    case OPTION_CHUNK:
        if (parse_size(value, &args->exchange.chunk_bytes) != 0 ||
            args->exchange.chunk_bytes == 0 || args->exchange.chunk_bytes > INT32_MAX)
            cli_usage(&args->cli, "--chunk: '%s' is not a size of 1 to 2^31-1 bytes", value);
        break;
    case OPTION_EXCHANGE_MEMORY:
        args->exchange.memory = (enum exchange_memory_choice)cli_choice(
            &args->cli, "--exchange-memory", value, exchange_memory_names, 4);
        break;
    case OPTION_EXCHANGE_FORM:
        args->exchange.form = (enum exchange_form)cli_choice(&args->cli, "--exchange-form", value,
                                                              exchange_form_names, 3);
        break;
    default: cli_option(&args->cli, option, value);
    }
}

void rank_option(struct args *args, int option, char *value)
{
    switch (option) {
    case 'g':
        args->shards_per_rank = (uint32_t)cli_number(&args->cli, "-g", value, 1, 1 << 20);
        break;
    case OPTION_BACKEND:
        args->backend = (enum backend_choice)cli_choice(&args->cli, "--backend", value, backend_names, 3);
        break;
    case OPTION_NO_CHECK: args->check = 0; break;
    case OPTION_TRUST: args->trust = 1; break;
    default: search_option(args, option, value);
    }
}

const char *args_direction_name(const struct args *args)
{
    return direction_names[args->policy.by_classes ? (int)CHOICE_COST : (int)args->policy.mode];
}

const char *args_reduction_name(const struct args *args)
{
    return reduction_names[args->exchange.nonblocking];
}

const char *args_exchange_form_name(const struct args *args)
{
    return exchange_form_names[args->exchange.form];
}
