// Small programs for tests of who asks. Without FRONT: connects to the socket that CALLER_SOCKET names, and waits until that ends.
// With FRONT: becomes ../libexec/keyfob/keyfob from where it lies, as the front does.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **words) {
    (void)count;
#ifdef FRONT
    char path[PATH_MAX + 32] = "";
    if (readlink("/proc/self/exe", path, PATH_MAX) <= 0) return 1;
    for (int i = 0; i < 2; i++) *strrchr(path, '/') = 0;
    strcat(path, "/libexec/keyfob/keyfob");
    execv(path, words);
#else
    (void)words;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *name = getenv("CALLER_SOCKET");
    if (!name || strlen(name) >= sizeof address.sun_path) return 1;
    strcpy(address.sun_path, name);
    int end = socket(AF_UNIX, SOCK_STREAM, 0);
    char byte;
    if (connect(end, (struct sockaddr *)&address, sizeof address) == 0 && read(end, &byte, 1) == 0) return 0;
#endif
    return 1;
}
