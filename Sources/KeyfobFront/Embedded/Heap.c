// The heap of a process that has one thread and lives for a moment: malloc(3) and its kin.
//
// What musl has instead asks the system for each size and gives all back, 70 calls in a lookup of 0.5 ms. Here memory is cut
// off one piece after the other; what is freed is taken again for the same size, and only large pieces go back to the system.
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum {
    GRAIN = 16,          // what pieces are aligned to, in bytes
    LARGE = 128 << 10,   // from here on a piece is a mapping of its own
    CHUNK = 1024 << 10,  // what is asked of the system otherwise
    SIZES = 48,
};

// What lies before each piece: where its room begins, and how many bytes that has. 16 bytes.
struct piece {
    char *start;
    size_t room;
};

// What lies in a piece that is free.
struct idle {
    char *next;
};

// A part of the first chunk has been used when the process is about to end; the rest of it is never touched.
static _Alignas(GRAIN) char chunk[CHUNK];
static char *next = chunk, *end = chunk + CHUNK;
static char *idle[SIZES];

static inline struct piece *piece_of(void *content) { return (struct piece *)content - 1; }

// A quarter of the power of two in which a room of more than 64 bytes lies; rooms are multiples of that.
static inline int step_bits(size_t room) { return 61 - __builtin_clzl(room - 1); }

static inline size_t rounded(size_t room) {
    size_t step = room <= 64 ? GRAIN : (size_t)1 << step_bits(room);
    return (room + step - 1) & ~(step - 1);
}

// The place in `idle` of a rounded room.
static inline int size_index(size_t room) {
    if (room <= 64) return (int)(room / GRAIN);
    int bits = step_bits(room);
    return 4 * (bits - 3) + 1 + (int)((room - 1) >> bits & 3);
}

static void *map(size_t count) {
    void *start = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return start == MAP_FAILED ? NULL : start;
}

// Room where a piece of its size was freed, or behind the last one.
static char *take(size_t room) {
    char **list = &idle[size_index(room)], *start = *list;
    if (start) {
        *list = ((struct idle *)(start + sizeof(struct piece)))->next;
        return start;
    }
    if ((size_t)(end - next) < room) {
        if (!(start = map(CHUNK))) return NULL;
        next = start;
        end = start + CHUNK;
    }
    start = next;
    next += room;
    return start;
}

void *malloc(size_t count) {
    // No system gives a quarter of all addresses, and below it no sum overflows.
    char *start = NULL;
    size_t room = 0;
    if (count < PTRDIFF_MAX / 2) {
        room = rounded(sizeof(struct piece) + (count ? count : 1));
        start = room < LARGE ? take(room) : map(room);
    }
    if (!start) {
        errno = ENOMEM;
        return NULL;
    }
    char *content = start + sizeof(struct piece);
    *piece_of(content) = (struct piece){start, room};
    return content;
}

void free(void *content) {
    if (!content) return;
    struct piece piece = *piece_of(content);
    if (piece.room >= LARGE) {
        munmap(piece.start, piece.room);
        return;
    }
    char **list = &idle[size_index(piece.room)];
    ((struct idle *)(piece.start + sizeof(struct piece)))->next = *list;
    *list = piece.start;
}

void *calloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    void *content = malloc(bytes);
    return content ? memset(content, 0, bytes) : NULL;
}

void *realloc(void *content, size_t count) {
    if (!content) return malloc(count);
    struct piece piece = *piece_of(content);
    size_t fitting = (size_t)(piece.start + piece.room - (char *)content);
    if (count <= fitting) return content;
    void *larger = malloc(count);
    if (!larger) return NULL;
    memcpy(larger, content, fitting);
    free(content);
    return larger;
}

int posix_memalign(void **content, size_t alignment, size_t count) {
    if (alignment & (alignment - 1) || alignment > PTRDIFF_MAX / 2) return EINVAL;
    if (alignment <= GRAIN) return (*content = malloc(count)) ? 0 : ENOMEM;
    if (count > PTRDIFF_MAX / 2) return ENOMEM;
    char *wider = malloc(count + alignment);
    if (!wider) return ENOMEM;
    // What is freed is the whole; the new piece is at least 16 bytes further, or the same.
    struct piece piece = *piece_of(wider);
    char *aligned = (char *)(((uintptr_t)wider + alignment - 1) & ~(uintptr_t)(alignment - 1));
    *piece_of(aligned) = piece;
    *content = aligned;
    return 0;
}

void *aligned_alloc(size_t alignment, size_t count) {
    void *content;
    int error = posix_memalign(&content, alignment, count);
    if (!error) return content;
    errno = error;
    return NULL;
}
