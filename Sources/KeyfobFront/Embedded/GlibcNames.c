// What Debian's static libraries and Swift call of glibc that musl does not have.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

// libsodium wipes by it; `room` is what the compiler knows of the place.
void __explicit_bzero_chk(void *place, size_t count, size_t room) {
    if (count > room) abort();
    explicit_bzero(place, count);
}

// In a function of libkeyutils that nobody calls.
int __fprintf_chk(FILE *file, int flag, const char *format, ...) {
    (void)flag;
    va_list arguments;
    va_start(arguments, format);
    int count = vfprintf(file, format, arguments);
    va_end(arguments);
    return count;
}

// Swift's random numbers, of which the seeds of its dictionaries are made.
void arc4random_buf(void *place, size_t count) {
    while (count > 0) {
        ssize_t given = getrandom(place, count < 256 ? count : 256, 0);
        if (given < 0) abort();
        place = (char *)place + given;
        count -= (size_t)given;
    }
}
