/* pack_folder.c: see pack_folder.h */
#include "pack_folder.h"

#include "formats/graph/manifest.h"
#include "formats/base/outfile.h"
#include "formats/base/signals.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- names ---- */

/* Returns whether a name is `kind`-SSSS-of-PPPP.dbfs, as some packing named it: "part", or "grid", which is made of the parts. */
static int is_part(const char *name, const char *kind)
{
    unsigned shard, p;
    int used = 0;
    return strncmp(name, kind, 4) == 0 && sscanf(name + 4, "-%u-of-%u.dbfs%n", &shard, &p, &used) == 2 && used > 0 &&
           name[4 + used] == '\0';
}

/* nonzero for .NAME.XXXXXX with NAME a file of a shard directory, which outfile.c calls so until it is whole */
static int is_temporary(const char *name)
{
    char base[64];
    size_t length = strlen(name);
    if (length < 9 || length - 8 >= sizeof base || name[0] != '.' || name[length - 7] != '.')
        return 0;
    memcpy(base, name + 1, length - 8);
    base[length - 8] = '\0';
    return is_part(base, "part") || is_part(base, "grid") || strcmp(base, MANIFEST_NAME) == 0 || strcmp(base, PACKING_NAME) == 0;
}

char *pack_folder_part(const struct pack_folder *f, uint32_t shard)
{
    char name[64];
    return manifest_path(f->path, manifest_part_name(name, sizeof name, shard, f->journal.p));
}

/* Nonzero for the name of a part of this packing that is in place. */
static int is_finished(const struct pack_folder *f, const char *name)
{
    char own[64];
    unsigned shard;
    return sscanf(name, "part-%u-", &shard) == 1 && shard < f->journal.p && f->finished[shard] &&
           strcmp(manifest_part_name(own, sizeof own, shard, f->journal.p), name) == 0;
}

/* Nonzero for the name of a file that packings write or remove. */
static int is_ours(const char *name)
{
    return is_part(name, "part") || is_part(name, "grid") || is_temporary(name) || strcmp(name, MANIFEST_NAME) == 0 ||
           strcmp(name, PACKING_NAME) == 0;
}

/* Fails if a packing into the folder would replace or remove one of the inputs. */
enum status pack_folder_refuse_inputs(const char *path, const char *const *inputs, size_t count, struct error *e)
{
    const struct dirent *entry;
    outfile_refuse_inputs(path, inputs, count, e);
    DIR *dir = opendir(path);
    while (dir != NULL && e->status == ST_OK && (entry = readdir(dir)) != NULL) {
        char *file = is_ours(entry->d_name) ? manifest_path(path, entry->d_name) : NULL;
        if (file == NULL && is_ours(entry->d_name))
            fail_memory(e, path, strlen(path));
        else
            outfile_refuse_inputs(file, inputs, count, e);
        free(file);
    }
    if (dir != NULL)
        closedir(dir);
    return e->status;
}

/* ---- removing ---- */

static enum status remove_file(const struct pack_folder *f, const char *name, struct error *e)
{
    if (unlinkat(f->fd, name, 0) != 0 && errno != ENOENT) {
        int cause = errno;
        fail(e, ST_RUNTIME, "%s/%s: cannot remove: %s", f->path, name, strerror(cause));
    }
    return e->status;
}

/* Grid parts count as unfinished too, as they are made of parts. */
static int is_unfinished_part(const struct pack_folder *f, const char *name)
{
    return is_part(name, "grid") || (is_part(name, "part") && !is_finished(f, name));
}

/* Nonzero for a temporary file, in any packing. */
static int is_left_over(const struct pack_folder *f, const char *name)
{
    (void)f;
    return is_temporary(name);
}

/* Removes all files whose name matches. */
static enum status remove_matching(const struct pack_folder *f,
                                   int (*matches)(const struct pack_folder *, const char *),
                                   struct error *e)
{
    const struct dirent *entry;
    DIR *dir = opendir(f->path);
    if (dir == NULL)
        return fail_errno(e, f->path, "cannot open the folder");
    while ((entry = readdir(dir)) != NULL && e->status == ST_OK) {
        if (matches(f, entry->d_name))
            remove_file(f, entry->d_name, e);
    }
    closedir(dir);
    return e->status;
}

/* Syncs the folder. Otherwise a crash of the machine could undo renames and removals made so far and keep later ones. */
static enum status sync_folder(const struct pack_folder *f, struct error *e)
{
    if (f->mode != FOLDER_ONCE && fsync(f->fd) != 0 && errno != EINVAL && errno != EROFS)
        fail_errno(e, f->path, "cannot sync the folder");
    return e->status;
}

/* ---- opening ---- */

/* Locks the folder, so that only one dbfs-pack writes into it. The kernel releases the lock when the process ends. File systems
 * that cannot lock a folder go without. */
static enum status lock_folder(struct pack_folder *f, struct error *e)
{
    f->fd = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f->fd < 0)
        return fail_errno(e, f->path, "cannot open the folder");
    if (flock(f->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        fail(e, ST_RUNTIME, "%s: another dbfs-pack is writing into it", f->path);
    return e->status;
}

/* Makes the folder unless there is one; sets f->made. */
static enum status make_folder(struct pack_folder *f, struct error *e)
{
    struct stat st;
    if (mkdir(f->path, 0777) == 0) {
        f->made = 1;
        return ST_OK;
    }
    if (errno != EEXIST || stat(f->path, &st) != 0)
        return fail_errno(e, f->path, "cannot make the folder");
    return S_ISDIR(st.st_mode) ? ST_OK : fail(e, ST_RUNTIME, "%s: is not a folder", f->path);
}

/* Finds out if the folder has a manifest, a journal, or (*others) anything else. */
static enum status list_folder(struct pack_folder *f, int *others, struct error *e)
{
    const struct dirent *entry;
    DIR *dir = opendir(f->path);
    if (dir == NULL)
        return fail_errno(e, f->path, "cannot open the folder");
    while ((entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, MANIFEST_NAME) == 0)
            f->has_manifest = 1;
        else if (strcmp(entry->d_name, PACKING_NAME) == 0)
            f->has_journal = 1;
        else if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && !is_temporary(entry->d_name))
            *others = 1;
    }
    closedir(dir);
    return ST_OK;
}

/* Fails if a new packing may not use the folder as it is. */
static enum status refuse_new(const struct pack_folder *f, int others, struct error *e)
{
    if (f->has_manifest)
        return fail(e, ST_RUNTIME, "%s: holds a packed graph already: --force replaces it",
                    f->path);
    if (f->has_journal)
        return fail(e, ST_RUNTIME,
                    "%s: holds an unfinished packing: --resume with the same options "
                    "goes on with it, --force replaces it",
                    f->path);
    if (others)
        return fail(e, ST_RUNTIME, "%s: is not empty: --force writes into it all the same",
                    f->path);
    return ST_OK;
}

/* ---- resuming ---- */

/* Returns the first difference between two packings, among the facts that both journals have; NULL if there is none. */
static const char *difference(const struct journal *a, const struct journal *b)
{
    if (a->p != b->p)
        return "another number of shards";
    if (memcmp(a->heads, b->heads, sizeof a->heads) != 0)
        return "other --heads";
    if (a->encoding != b->encoding)
        return "another --encoding";
    if (a->identified && b->identified && a->checksum != b->checksum)
        return "other edges";
    if (a->th_known && b->th_known && a->th != b->th)
        return "another TH";
    if (a->identified && b->identified && a->pack_id != b->pack_id)
        return "other options or another version";
    return NULL;
}

/* Fails if the folder holds another packing than that which is to be resumed. */
static enum status compare_found(const struct pack_folder *f, struct error *e)
{
    const char *what = difference(&f->found, &f->journal);
    if (what == NULL)
        return ST_OK;
    return fail(e, ST_RUNTIME,
                "%s: holds %s with %s: --resume takes the options of before, --force "
                "replaces it",
                f->path, f->has_journal ? "an unfinished packing" : "a packed graph", what);
}

/* Reads what the folder holds: from the journal or, without one, from the manifest. If there are both, a --force was killed,
 * and the manifest is that of an older graph. */
static enum status read_found(struct pack_folder *f, struct error *e)
{
    struct manifest m;
    int found;
    if (f->has_journal)
        return journal_read(&f->found, f->path, &found, e);
    if (manifest_read(&m, f->path, e) != ST_OK)
        return e->status;
    f->found = (struct journal){.p = m.p,
                                .encoding = m.encoding,
                                .th_known = 1,
                                .th = m.th,
                                .identified = 1,
                                .checksum = m.totals.checksum,
                                .pack_id = m.pack_id};
    /* the manifest has no heads; the pack id covers them */
    memcpy(f->found.heads, f->journal.heads, sizeof f->found.heads);
    manifest_free(&m);
    return ST_OK;
}

/* Nonzero if this packing goes on with one that the folder holds. */
static int resumes(const struct pack_folder *f)
{
    return f->mode == FOLDER_RESUME && (f->has_journal || f->has_manifest);
}

/* Checks that the mode allows what the folder holds. */
static enum status check_mode(struct pack_folder *f, struct error *e)
{
    int others = 0;
    if (list_folder(f, &others, e) != ST_OK || f->mode == FOLDER_FORCE)
        return e->status;
    if (resumes(f))
        return read_found(f, e) == ST_OK ? compare_found(f, e) : e->status;
    return refuse_new(f, others, e);
}

/* Sets *th to the TH suggested in the packing that is resumed, if that was of the same stream and rule; 0: there is none. */
int pack_folder_suggested_th(const struct pack_folder *f, uint64_t checksum, uint64_t *th)
{
    const struct journal *found = &f->found;
    if (!resumes(f) || !f->has_journal || !found->identified || found->th_choice == TH_GIVEN ||
        found->th_choice != f->journal.th_choice || found->links != f->journal.links ||
        found->checksum != checksum)
        return 0;
    *th = found->th;
    return 1;
}

/* ---- the journal ---- */

/* Writes the journal. Notes if it is new, so that a packing that is abandoned removes it. With FOLDER_ONCE nobody resumes, and there is
 * none. */
static enum status write_journal(struct pack_folder *f, struct error *e)
{
    if (f->mode == FOLDER_ONCE)
        return ST_OK;
    if (journal_write(&f->journal, f->path, e) == ST_OK && !resumes(f))
        f->journal_written = 1;
    return e->status;
}

/* Prepares the message that is printed when a signal ends the process. */
static void prepare_farewell(const struct pack_folder *f)
{
    char text[4608];
    if (f->mode == FOLDER_ONCE)
        return;
    snprintf(text, sizeof text,
             "dbfs-pack: %s: interrupted: --resume with the same options goes on\n", f->path);
    signals_farewell(text);
}

/* As long as there is nothing to resume, a signal shall remove the journal, and the folder if this run made it. */
static void let_signals_undo(struct pack_folder *f)
{
    char *journal = manifest_path(f->path, PACKING_NAME);
    f->slot[0] = journal != NULL ? signals_also_remove(journal) : -1;
    f->slot[1] = f->made ? signals_also_remove(f->path) : -1;
    f->undoable = 1;
    free(journal);
}

/* From now on a signal leaves the folder alone. */
static void keep_from_signals(struct pack_folder *f)
{
    for (int i = 0; i < 2 && f->undoable; i++)
        signals_forget(f->slot[i]);
    f->undoable = 0;
}

/* Begins *f without touching the folder; all ranks but the first call it, and then pack_folder_share. */
enum status pack_folder_join(struct pack_folder *f, const char *path, enum pack_folder_mode mode,
                             const struct journal *wanted, struct error *e)
{
    *f = (struct pack_folder){.path = path, .mode = mode, .fd = -1, .journal = *wanted};
    f->finished = calloc(wanted->p, sizeof *f->finished);
    if (f->finished == NULL)
        return fail_memory(e, path, wanted->p * sizeof *f->finished);
    return ST_OK;
}

/* Tells all ranks what the first one has found, and makes the folder on other hosts. Collective. */
enum status pack_folder_share(struct pack_folder *f, const struct comm *comm, struct error *e)
{
    if (comm_agree(comm, e) != ST_OK)
        return e->status;
    comm_broadcast(comm, &f->has_manifest, sizeof f->has_manifest, 0);
    comm_broadcast(comm, &f->has_journal, sizeof f->has_journal, 0);
    comm_broadcast(comm, &f->found, sizeof f->found, 0);
    if (comm->rank > 0)
        make_folder(f, e);
    return comm_agree(comm, e);
}

/* Makes or opens the folder and locks it, if the mode allows what it holds; in an empty one writes the journal. */
enum status pack_folder_open(struct pack_folder *f, const char *path, enum pack_folder_mode mode,
                             const struct journal *wanted, struct error *e)
{
    if (pack_folder_join(f, path, mode, wanted, e) != ST_OK)
        return e->status;
    if (make_folder(f, e) != ST_OK || lock_folder(f, e) != ST_OK || check_mode(f, e) != ST_OK ||
        remove_matching(f, is_left_over, e) != ST_OK)
        return e->status;
    if (!f->has_manifest && !f->has_journal) {
        let_signals_undo(f);
        if (write_journal(f, e) != ST_OK)
            return e->status;
    }
    if (resumes(f))
        prepare_farewell(f);
    return ST_OK;
}

/* Completes the journal by facts of the stream; fails if another packing was to be resumed. */
enum status pack_folder_identify(struct pack_folder *f, uint64_t th, uint64_t checksum,
                                 uint64_t pack_id, struct error *e)
{
    f->journal.th_known = 1;
    f->journal.th = th;
    f->journal.identified = 1;
    f->journal.checksum = checksum;
    f->journal.pack_id = pack_id;
    if (resumes(f)) {
        if (compare_found(f, e) != ST_OK)
            return e->status;
        f->journal_current = f->has_journal && f->found.identified;
        /* how TH was found stays as it was */
        f->journal.th_choice = f->has_journal ? f->found.th_choice : f->journal.th_choice;
        f->journal.links = f->has_journal ? f->found.links : f->journal.links;
    }
    int ours = f->journal_written || (resumes(f) && f->has_journal);
    if (ours && !f->journal_current && write_journal(f, e) == ST_OK)
        f->journal_current = 1;
    return e->status;
}

/* Removes an older manifest and all parts that were not noted; called before the first part is written. */
enum status pack_folder_claim(struct pack_folder *f, struct error *e)
{
    if (!f->journal_current && write_journal(f, e) != ST_OK)
        return e->status;
    keep_from_signals(f);
    prepare_farewell(f);
    f->claimed = 1;
    if (remove_file(f, MANIFEST_NAME, e) != ST_OK || sync_folder(f, e) != ST_OK)
        return e->status;
    return remove_matching(f, is_unfinished_part, e);
}

/* Notes that this part is in place. */
void pack_folder_note(struct pack_folder *f, uint32_t shard)
{
    f->finished_count += !f->finished[shard];
    f->finished[shard] = 1;
}

/* Removes the journal, once the manifest is written. */
enum status pack_folder_finish(struct pack_folder *f, struct error *e)
{
    signals_farewell(NULL);
    if (remove_file(f, PACKING_NAME, e) != ST_OK)
        return e->status;
    return sync_folder(f, e);
}

/* ---- leaving ---- */

/* Removes everything that this run made, unless a part is finished. */
void pack_folder_abandon(struct pack_folder *f)
{
    struct error ignored = {0};
    signals_farewell(NULL);
    if (f->finished_count > 0)
        return;
    if (f->claimed)
        remove_matching(f, is_unfinished_part, &ignored);
    if (f->journal_written)
        remove_file(f, PACKING_NAME, &ignored);
    if (f->made)
        rmdir(f->path);
}

/* Unlocks the folder, which signals leave alone from now on. */
void pack_folder_close(struct pack_folder *f)
{
    keep_from_signals(f);
    if (f->fd >= 0)
        close(f->fd);
    free(f->finished);
    *f = (struct pack_folder){.fd = -1};
}
