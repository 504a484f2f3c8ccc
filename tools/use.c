/*
 * For each ScaLAPACK that the loader knows, a library of the same name in a folder of ours, which
 * the loader's cache has first. It has no code. It needs libopenblacs first and then the ScaLAPACK
 * itself, so that the loader finds the BLACS in libopenblacs, for the program's calls and for
 * ScaLAPACK's. No file of the system is changed or moved.
 */
#include "use.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "openblacs/core.h"

#define FOLDER "/var/lib/openblacs"
#define LISTS "/etc/ld.so.conf.d"
/* The loader's cache prefers the folders of the lists that come first. */
#define LIST LISTS "/00-openblacs.conf"
#define LDCONFIG "/sbin/ldconfig"
#define SCALAPACK "libscalapack"

/* A shared library that only needs others: one segment, without symbols. */
typedef struct front {
    ElfW(Ehdr) head;
    ElfW(Phdr) segment[3];
    ElfW(Dyn) dynamic[8];
    ElfW(Sym) none;
    char text[3 * PATH_MAX];
} front;

/* A line of ldconfig -p: a name, and the file that it means. */
typedef struct known {
    char name[256], path[PATH_MAX];
} known;

static int fail(const char *what, const char *name, const char *why)
{
    fprintf(stderr, "obinfo: --use: %s %s%s%s [OB-3025]\n", what, name, *why ? ": " : "", why);
    return 1;
}

/* All programs will load the file: nobody but root may change it or a folder above it, and all
 * users may read it. In a sticky folder others cannot change what is root's. */
static int check_file(const char *path)
{
    char at[PATH_MAX];
    struct stat s, top;
    mode_t all = S_IROTH;
    snprintf(at, sizeof at, "%s", path);
    for (;;) {
        if (stat(at, &s) != 0 || stat("/", &top) != 0)
            return fail("cannot find", at, strerror(errno));
        int writable =
            s.st_mode & (S_IWGRP | S_IWOTH) && !(S_ISDIR(s.st_mode) && s.st_mode & S_ISVTX);
        /* In a user namespace root's folders belong to whom / belongs to. */
        if ((s.st_uid != 0 && s.st_uid != top.st_uid) || writable)
            return fail("all programs would load", at, "others than root may write to it");
        if (!(s.st_mode & all))
            return fail("all programs would load", at, "not all users may read it");
        char *slash = strrchr(at, '/');
        if (at[1] == '\0')
            return 0;
        slash[slash == at] = '\0';
        all = S_IXOTH;
    }
}

/* And the modules for MPI, which lie in a folder beside it. */
static int check_modules(const char *library)
{
    char path[2 * PATH_MAX];
    int length = (int)(strrchr(library, '/') - library), bad = 0;
    snprintf(path, sizeof path, "%.*s/openblacs", length, library);
    DIR *folder = opendir(path);
    struct dirent *e;
    while (!bad && folder && (e = readdir(folder)) != NULL)
        if (strncmp(e->d_name, "mpi-", 4) == 0) {
            snprintf(path, sizeof path, "%.*s/openblacs/%s", length, library, e->d_name);
            bad = check_file(path);
        }
    if (folder)
        closedir(folder);
    return bad;
}

int find_library(char path[PATH_MAX])
{
    Dl_info info;
    const char *(*function)(void) = ob_error_text;
    void *address;
    memcpy(&address, &function, sizeof address);
    if (!dladdr(address, &info) || !strstr(info.dli_fname, "/libopenblacs.so") ||
        !realpath(info.dli_fname, path))
        return 0;
    /* By its soname, which an upgrade keeps. */
    snprintf(strrchr(path, '/'), sizeof "/libopenblacs.so.0", "/libopenblacs.so.0");
    return 1;
}

/* It, if all programs may load it. */
static int own_library(char path[PATH_MAX])
{
    if (!find_library(path))
        return fail("this obinfo has no shared", "libopenblacs.so.0", "");
    return check_file(path) || check_modules(path);
}

/* The next ScaLAPACK of the loader's cache that is none of ours. */
static int next_known(FILE *cache, known *k)
{
    char line[sizeof *k];
    while (fgets(line, sizeof line, cache))
        if (sscanf(line, " %255[^ ] (%*[^)]) => %4095[^\n]", k->name, k->path) == 2 &&
            strncmp(k->name, SCALAPACK, strlen(SCALAPACK)) == 0 && strstr(k->name, ".so"))
            return 1;
    return 0;
}

/* The first bytes of a library; 0 where it is for another processor than this program. */
static int read_head(const char *path, ElfW(Ehdr) * head)
{
    ElfW(Ehdr) own;
    FILE *file = fopen(path, "rb"), *self = fopen("/proc/self/exe", "rb");
    int same = file && self && fread(head, sizeof *head, 1, file) == 1 &&
               fread(&own, sizeof own, 1, self) == 1 && head->e_machine == own.e_machine &&
               memcmp(head->e_ident, own.e_ident, EI_DATA + 1) == 0;
    if (file)
        fclose(file);
    if (self)
        fclose(self);
    return same;
}

/* Whether the loader takes ours for each name: the cache has equal names together, the first one
 * counts. */
static int all_first(void)
{
    FILE *cache = popen(LDCONFIG " -p", "r");
    ElfW(Ehdr) head;
    char before[sizeof((known *)0)->name] = "";
    known k;
    int all = 1;
    while (cache && next_known(cache, &k)) {
        if (!read_head(k.path, &head) || strcmp(k.name, before) == 0)
            continue;
        all &= strncmp(k.path, FOLDER "/", sizeof FOLDER) == 0;
        snprintf(before, sizeof before, "%s", k.name);
    }
    if (cache)
        pclose(cache);
    return cache && all;
}

static int run_ldconfig(void)
{
    return system(LDCONFIG) == 0 ? 0 : fail("cannot run", LDCONFIG, "");
}

static ElfW(Dyn) entry(ElfW(Sxword) tag, size_t value)
{
    ElfW(Dyn) d = {.d_tag = (int)tag, .d_un.d_val = value};
    return d;
}

static size_t add_text(front *f, size_t *used, const char *text)
{
    size_t at = *used;
    memcpy(f->text + at, text, strlen(text) + 1);
    *used += strlen(text) + 1;
    return at;
}

static ElfW(Phdr) segment(ElfW(Word) type, size_t at, size_t bytes, size_t align)
{
    ElfW(Phdr) p = {.p_type = type, .p_flags = PF_R | PF_W, .p_offset = at, .p_vaddr = at};
    p.p_paddr = at;
    p.p_filesz = p.p_memsz = bytes;
    p.p_align = align;
    return p;
}

/* What the loader takes for `k`: first the library, then the ScaLAPACK itself, both by their paths.
 */
static int write_front(const known *k, const char *library, const ElfW(Ehdr) * head)
{
    static front f;
    char path[sizeof FOLDER + sizeof k->name];
    size_t used = 1, n = 0, bytes;
    memset(&f, 0, sizeof f);
    f.dynamic[n++] = entry(DT_SONAME, add_text(&f, &used, k->name));
    f.dynamic[n++] = entry(DT_NEEDED, add_text(&f, &used, library));
    f.dynamic[n++] = entry(DT_NEEDED, add_text(&f, &used, k->path));
    f.dynamic[n++] = entry(DT_STRTAB, offsetof(front, text));
    f.dynamic[n++] = entry(DT_STRSZ, used);
    f.dynamic[n++] = entry(DT_SYMTAB, offsetof(front, none));
    f.dynamic[n] = entry(DT_SYMENT, sizeof f.none);
    bytes = offsetof(front, text) + used;
    f.segment[0] = segment(PT_LOAD, 0, bytes, 0x10000);
    f.segment[1] = segment(PT_DYNAMIC, offsetof(front, dynamic), sizeof f.dynamic, sizeof(void *));
    f.segment[2] = segment(PT_GNU_STACK, 0, 0, 16);
    f.head = *head;
    f.head.e_type = ET_DYN;
    f.head.e_entry = f.head.e_shoff = 0;
    f.head.e_phoff = offsetof(front, segment);
    f.head.e_phnum = 3;
    f.head.e_shnum = f.head.e_shstrndx = 0;
    snprintf(path, sizeof path, "%s/%.*s", FOLDER, (int)sizeof k->name - 1, k->name);
    FILE *file = fopen(path, "wbx"); /* of two files of a name the loader takes the first */
    if (file == NULL)
        return errno == EEXIST ? 0 : fail("cannot write", path, strerror(errno));
    int bad = fwrite(&f, bytes, 1, file) != 1;
    if (fclose(file) != 0 || bad)
        return fail("cannot write", path, strerror(errno));
    printf("%s: %s, then %s\n", k->name, library, k->path);
    return 0;
}

/* Takes away what is there of ours: at last what the loader's cache does not know any more. */
static int clear(void)
{
    struct dirent *e;
    char path[PATH_MAX];
    if (access(LIST, F_OK) == 0 && unlink(LIST) != 0)
        return fail("cannot remove", LIST, strerror(errno));
    if (run_ldconfig())
        return 1;
    DIR *folder = opendir(FOLDER);
    while (folder && (e = readdir(folder)) != NULL) {
        snprintf(path, sizeof path, "%s/%s", FOLDER, e->d_name);
        if (strncmp(e->d_name, SCALAPACK, strlen(SCALAPACK)) == 0 && unlink(path) != 0) {
            closedir(folder);
            return fail("cannot remove", path, strerror(errno));
        }
    }
    if (folder)
        closedir(folder);
    rmdir(FOLDER);
    return 0;
}

static int write_list(void)
{
    FILE *file = fopen(LIST, "w");
    if (file == NULL)
        return fail("cannot write", LIST, strerror(errno));
    int bad =
        fprintf(file,
                "# Written by obinfo --use openblacs; obinfo --use system takes it away.\n%s\n",
                FOLDER) < 0;
    return fclose(file) != 0 || bad ? fail("cannot write", LIST, strerror(errno)) : 0;
}

static int write_all(const char *library, int *count)
{
    FILE *cache = popen(LDCONFIG " -p", "r");
    ElfW(Ehdr) head;
    known k;
    int bad = 0;
    struct stat s;
    if ((mkdir(FOLDER, 0755) != 0 && errno != EEXIST) || lstat(FOLDER, &s) != 0)
        bad = fail("cannot make", FOLDER, strerror(errno));
    else if (!S_ISDIR(s.st_mode))
        bad = fail("there is something else than a folder at", FOLDER, "remove it");
    else
        bad = check_file(FOLDER);
    while (!bad && cache && next_known(cache, &k))
        if (read_head(k.path, &head)) {
            bad = write_front(&k, library, &head);
            ++*count;
        }
    if (cache)
        pclose(cache);
    return bad;
}

static int use_openblacs(void)
{
    char library[PATH_MAX];
    int count = 0;
    if (own_library(library) || clear())
        return 1;
    int bad = write_all(library, &count);
    if (!bad && count == 0)
        bad = fail("the loader knows no", SCALAPACK, "there is nothing to change");
    if (!bad && !(bad = write_list() || run_ldconfig()) && !all_first())
        bad = fail("the loader does not take", FOLDER, "another folder comes first, see " LISTS);
    if (bad)
        clear();
    return bad;
}

/* Which library the small files name; 0: there are none, or the loader is not led to them. */
static int used_library(char path[PATH_MAX])
{
    static front f;
    char name[2 * PATH_MAX];
    DIR *folder = access(LIST, F_OK) == 0 ? opendir(FOLDER) : NULL;
    struct dirent *e;
    int found = 0;
    while (!found && folder && (e = readdir(folder)) != NULL) {
        snprintf(name, sizeof name, "%s/%s", FOLDER, e->d_name);
        FILE *file =
            strncmp(e->d_name, SCALAPACK, strlen(SCALAPACK)) == 0 ? fopen(name, "rb") : NULL;
        memset(&f, 0, sizeof f);
        size_t bytes = file ? fread(&f, 1, sizeof f - 1, file) : 0, at = f.dynamic[1].d_un.d_val;
        found = bytes > offsetof(front, text) && at < sizeof f.text && f.text[at] == '/';
        if (found)
            snprintf(path, PATH_MAX, "%.*s", PATH_MAX - 1, f.text + at);
        if (file)
            fclose(file);
    }
    if (folder)
        closedir(folder);
    return found;
}

int use_blacs(const char *word)
{
    int ours = strcmp(word, "openblacs") == 0;
    if (!ours && strcmp(word, "system") != 0) {
        fprintf(stderr, "obinfo: --use is '%s', must be openblacs or system [OB-9601]\n", word);
        return 2;
    }
    if (geteuid() != 0)
        return fail("this changes what programs of all users load,", "so it is for root",
                    "sudo obinfo --use ...");
    umask(022);
    return ours ? use_openblacs() : clear();
}

/* Does an image of a library define this function? */
static int defines(const char *image, size_t bytes, const char *function)
{
    const ElfW(Ehdr) *head = (const void *)image;
    const ElfW(Shdr) *section = (const void *)(image + head->e_shoff);
    if (head->e_shoff > bytes || head->e_shnum > (bytes - head->e_shoff) / sizeof *section)
        return 0;
    for (int i = 0; i < head->e_shnum; i++) {
        const ElfW(Shdr) *names = section + section[i].sh_link;
        if (section[i].sh_type != SHT_DYNSYM || section[i].sh_link >= head->e_shnum ||
            section[i].sh_offset > bytes || section[i].sh_size > bytes - section[i].sh_offset ||
            names->sh_offset > bytes || names->sh_size > bytes - names->sh_offset)
            continue;
        const ElfW(Sym) *symbol = (const void *)(image + section[i].sh_offset);
        const char *text = image + names->sh_offset;
        for (size_t k = 0; k < section[i].sh_size / sizeof *symbol; k++)
            if (symbol[k].st_shndx != SHN_UNDEF && symbol[k].st_name < names->sh_size &&
                strncmp(text + symbol[k].st_name, function, names->sh_size - symbol[k].st_name) ==
                    0)
                return 1;
    }
    return 0;
}

/* Has the library a BLACS of its own? It is read and not loaded: an MPI library would come with it.
 */
static int has_blacs(const char *path)
{
    struct stat s;
    int file = open(path, O_RDONLY | O_CLOEXEC), has = 0;
    if (file >= 0 && fstat(file, &s) == 0 && s.st_size > (off_t)sizeof(ElfW(Ehdr))) {
        void *image = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (image != MAP_FAILED) {
            has = defines(image, (size_t)s.st_size, "Cblacs_gridinit");
            munmap(image, (size_t)s.st_size);
        }
    }
    if (file >= 0)
        close(file);
    return has;
}

/* Each ScaLAPACK of the loader's cache, and how its programs get to run on libopenblacs. */
static void print_scalapacks(void)
{
    FILE *cache = popen(LDCONFIG " -p 2>/dev/null", "r");
    char path[PATH_MAX], before[PATH_MAX] = "";
    ElfW(Ehdr) head;
    known k;
    int own = 0;
    while (cache && next_known(cache, &k)) {
        if (!read_head(k.path, &head) || !realpath(k.path, path) || strcmp(path, before) == 0)
            continue; /* or another name of the same one */
        int has = has_blacs(path);
        printf("ScaLAPACK: %s, %s\n", path,
               has ? "with a BLACS of its own" : "which takes its BLACS from another library");
        memcpy(before, path, sizeof before);
        own |= has;
    }
    if (cache)
        pclose(cache);
    if (own)
        printf(
            "A program of a ScaLAPACK with a BLACS of its own runs on that one. LD_PRELOAD=%s\n"
            "puts it on OpenBLACS, and obinfo --use openblacs (as root) all such programs; with "
            "OPENBLACS_VERBOSE=1\na program that runs on OpenBLACS prints a line as it begins.\n",
            find_library(path) ? path : "libopenblacs.so.0");
}

void print_use(void)
{
    char library[PATH_MAX];
    if (!used_library(library)) {
        print_scalapacks();
        return;
    }
    printf("ScaLAPACK programs of this system run on %s%s (obinfo --use system: on their own BLACS "
           "again)\n",
           library, access(library, R_OK) == 0 ? "" : ", which is missing: they do not start");
}
