/* stores.h: words that a block has stored for peers, who see them later */
#ifndef EMULATOR_STORES_H
#define EMULATOR_STORES_H

namespace emulated {

/* Peers see some more, if there are any. */
void show_some_stores();

/* Peers see all. */
void show_stores();

}

#endif
