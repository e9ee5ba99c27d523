/* rank_options.h: the options by which a rank is set up and searches, for every program that searches.
 *
 * A program puts RANK_SHORT_OPTIONS and RANK_LONG_OPTIONS behind those of cli.h into its getopt_long tables, and
 * passes every option that it does not know to rank_option.
 */
#ifndef DBFS_RANK_OPTIONS_H
#define DBFS_RANK_OPTIONS_H

#include "args.h"

/* Lines of --help. */
#define RANK_HELP_SHARDS \
    "  -g, --shards-per-rank G     R ranks x G shards must be p (default p / R)\n" \
    "      --backend NAME          auto, cpu or cuda (default auto)\n"
#define RANK_HELP_CHECKS \
    "      --no-check              do not compare the shards' CRCs before searching\n" \
    "      --trust                 do not check that ids and offsets in the shards are in range\n" \
    "      --timeout SECONDS       end the job if a rank does not go on for so long (default: never)\n"
#define RANK_HELP_SEARCH \
    "Search:\n" \
    "      --direction MODE        auto, push, pull, or cost: as auto, but small graphs on a GPU are\n" \
    "                              searched as large ones are (default auto)\n" \
    "      --factor0 LIST          to pull when FV > factor0 * BV (default\n" \
    "                              dd=0.03,dn=0.005,nd=0.01,nn=0.5)\n" \
    "      --factor1 LIST          back to push when FV < factor1 * BV (default\n" \
    "                              dd=0.001,dn=0.0001,nd=0.0001,nn=0.01)\n" \
    "      --reduction MODE        of delegate masks: blocking or nonblocking (default blocking)\n" \
    "      --local-all2all         gather vertices for device g on device g before sending\n" \
    "      --uniquify              drop duplicates among vertices sent to one device\n" \
    "      --chunk SIZE            of nn messages (default 4M)\n" \
    "      --exchange-form FORM    of vertices for other devices: list, bits, or auto, which takes\n" \
    "                              fewer bytes (default auto)\n" \
    "      --exchange-memory KIND  peer: devices of one host read each other's memory; host or device:\n" \
    "                              ranks send messages from there (default auto: peer within a host\n" \
    "                              where that can be, device where MPI says that it takes it)\n"

enum {
    OPTION_BACKEND = CLI_FIRST_FREE_OPTION,
    OPTION_NO_CHECK,
    OPTION_TRUST,
    OPTION_DIRECTION,
    OPTION_FACTOR0,
    OPTION_FACTOR1,
    OPTION_REDUCTION,
    OPTION_LOCAL_ALL2ALL,
    OPTION_UNIQUIFY,
    OPTION_CHUNK,
    OPTION_EXCHANGE_FORM,
    OPTION_EXCHANGE_MEMORY,
    RANK_FIRST_FREE_OPTION
};

#define RANK_SHORT_OPTIONS "g:"
#define RANK_LONG_OPTIONS \
    {"shards-per-rank", required_argument, NULL, 'g'}, \
    {"backend", required_argument, NULL, OPTION_BACKEND}, \
    {"no-check", no_argument, NULL, OPTION_NO_CHECK}, \
    {"trust", no_argument, NULL, OPTION_TRUST}, \
    CLI_TIMEOUT, \
    {"direction", required_argument, NULL, OPTION_DIRECTION}, \
    {"factor0", required_argument, NULL, OPTION_FACTOR0}, \
    {"factor1", required_argument, NULL, OPTION_FACTOR1}, \
    {"reduction", required_argument, NULL, OPTION_REDUCTION}, \
    {"local-all2all", no_argument, NULL, OPTION_LOCAL_ALL2ALL}, \
    {"uniquify", no_argument, NULL, OPTION_UNIQUIFY}, \
    {"chunk", required_argument, NULL, OPTION_CHUNK}, \
    {"exchange-form", required_argument, NULL, OPTION_EXCHANGE_FORM}, \
    {"exchange-memory", required_argument, NULL, OPTION_EXCHANGE_MEMORY}

/* Everything as it is if no option is given. */
void rank_defaults(struct args *args, const char *program, const char *help);

/* Handles one of these options, or a common one of cli.h. */
void rank_option(struct args *args, int option, char *value);

/* The one word behind the options; none, or another one, is a usage error. */
const char *args_folder(const struct args *args, int argc, char *const *argv);

#endif
