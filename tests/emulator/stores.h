/* stores.h: words that a block stores for peers, who see them later */
#ifndef EMULATOR_STORES_H
#define EMULATOR_STORES_H

namespace emulated {

/* Shows peers some more words, if there are any. */
void show_some_stores();

/* Shows peers all words. */
void show_stores();

}

#endif
