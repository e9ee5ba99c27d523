/* emulated_site.h: a line of the program that is emulated, for messages */
#ifndef EMULATED_SITE_H
#define EMULATED_SITE_H

namespace emulated {

struct site {
    const char *file;
    int line;
};

}

#endif
