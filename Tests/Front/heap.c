// Tries the front's heap (Sources/KeyfobFront/Embedded/Heap.c, its functions called front_…) at random: every piece keeps what was
// written into it, is aligned, and has as many bytes as were asked for. Prints how many calls there were; exits 1 at the first
// piece that is wrong.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *front_malloc(size_t count);
void front_free(void *content);
void *front_calloc(size_t count, size_t size);
void *front_realloc(void *content, size_t count);
int front_posix_memalign(void **content, size_t alignment, size_t count);
void *front_aligned_alloc(size_t alignment, size_t count);

enum { PIECES = 2000 };

static struct {
    unsigned char *content, filling;
    size_t count;
} pieces[PIECES];

static void stop(const char *what, size_t count) {
    printf("heap: %s, %zu bytes\n", what, count);
    exit(1);
}

static size_t some_count(void) {
    int kind = rand() % 100;
    return (size_t)rand() % (kind == 0 ? 600000 : kind < 30 ? 20000 : kind < 35 ? 1 : 300);
}

static void check(int index, size_t count) {
    for (size_t place = 0; place < count; place += place + 64 < count ? 7 : 1)
        if (pieces[index].content[place] != pieces[index].filling) stop("a piece has changed", count);
}

static void fill(int index, void *content, size_t count, size_t alignment) {
    if (!content) stop("nothing was given", count);
    if ((uintptr_t)content % alignment) stop("a piece is not aligned", count);
    pieces[index].content = content;
    pieces[index].count = count;
    memset(content, pieces[index].filling = (unsigned char)rand(), count);
}

static void take(int index) {
    size_t count = some_count(), alignment = (size_t)16 << rand() % 10;
    void *content = NULL;
    switch (rand() % 8) {
    case 0:
        if (front_posix_memalign(&content, alignment, count)) stop("nothing was given", count);
        return fill(index, content, count, alignment);
    case 1: return fill(index, front_aligned_alloc(alignment, count), count, alignment);
    case 2:
        content = front_calloc(count, 1);
        for (size_t place = 0; content && place < count; place++)
            if (((unsigned char *)content)[place]) stop("a piece is not zero", count);
        return fill(index, content, count, 16);
    default: return fill(index, front_malloc(count), count, 16);
    }
}

static void change(int index) {
    size_t before = pieces[index].count, count = some_count();
    check(index, before);
    if (rand() % 3) {
        front_free(pieces[index].content);
        pieces[index].content = NULL;
        return;
    }
    pieces[index].content = front_realloc(pieces[index].content, count);
    if (!pieces[index].content) stop("nothing was given", count);
    check(index, before < count ? before : count);
    fill(index, pieces[index].content, count, 16);
}

int main(int words, char **word) {
    long calls = words > 1 ? atol(word[1]) : 1000000;
    srand(words > 2 ? (unsigned)atol(word[2]) : 1);
    for (long call = 0; call < calls; call++) {
        int index = rand() % PIECES;
        if (pieces[index].content) change(index);
        else take(index);
    }
    size_t most[] = {SIZE_MAX, SIZE_MAX - 15, SIZE_MAX / 2, (size_t)1 << 60};
    for (size_t index = 0; index < sizeof most / sizeof *most; index++) {
        void *content = NULL;
        errno = 0;
        if (front_malloc(most[index]) || errno != ENOMEM) stop("more was given than there is", most[index]);
        if (front_calloc(most[index], 16)) stop("more was given than there is", most[index]);
        if (!front_posix_memalign(&content, 64, most[index])) stop("more was given than there is", most[index]);
    }
    front_free(NULL);
    void *content;
    if (front_posix_memalign(&content, 24, 1) != EINVAL) stop("an alignment was taken that is none", 24);
    printf("%ld calls\n", calls);
    return 0;
}
