/**
 * @file verb_studio.c
 * @brief `ovoid studio`: serves the pages of the browser studio on the loopback, and nowhere else.
 *
 * The server is libmicrohttpd's; what stands here is what it may hand out. A request names a file
 * below one folder: each part of its path is opened in the folder before it, never through a link,
 * so no spelling of a path leads out. The Host header must name the loopback and the port, since a
 * page of another site whose name was bound to 127.0.0.1 could else read everything (DNS
 * rebinding).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"

#ifdef OVOID_HAVE_MICROHTTPD
#include <microhttpd.h>
#endif

static const args_option options[] = {
    {"--port", 0, 1, "N", "port of the loopback; 0: any that is free (8017)", NULL},
    {"--folder", 0, 1, "DIR", "serve the pages of this folder instead of the built ones", "FILE"},
    {"--open", 0, 0, "", "also open the pages in the browser (xdg-open)", NULL},
};
enum { OPTION_COUNT = sizeof options / sizeof options[0], DEFAULT_PORT = 8017 };

/* ---- the folder ----------------------------------------------------------------------------- */

static bool has_pages(const char *folder) {
    char index[PATH_MAX];
    struct stat s;
    int n = snprintf(index, sizeof index, "%s/index.html", folder);
    return n > 0 && (size_t)n < sizeof index && stat(index, &s) == 0 && S_ISREG(s.st_mode);
}

/** The built pages, found from where the program is: in a build tree, or installed. */
static bool find_pages(char folder[PATH_MAX]) {
    static const char *const places[] = {"../../studio/site", "../share/ovoid/studio"};
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) {
        return false;
    }
    program[length] = '\0';
    char *slash = strrchr(program, '/');
    if (slash == NULL) {
        return false;
    }
    *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        int n = snprintf(folder, PATH_MAX, "%s/%s", program, places[i]);
        if (n > 0 && n < PATH_MAX && has_pages(folder)) {
            return true;
        }
    }
    return false;
}

static int read_input(cli *c, const args *a, size_t *port, char folder[PATH_MAX]) {
    *port = DEFAULT_PORT;
    if (a->word_count > 0) {
        return cli_error(c, a->verb, "%s: takes no arguments; another folder is --folder %s",
                         a->words[0], a->words[0]);
    }
    int status = args_given(a, "--port") ? args_count(c, a, "--port", port) : CLI_OK;
    if (status != CLI_OK) {
        return status;
    }
    if (*port > 65535) {
        return cli_error(c, a->verb, "--port = %zu: must be from 0 to 65535", *port);
    }
    if (!args_given(a, "--folder")) {
        return find_pages(folder)
                   ? CLI_OK
                   : cli_error(c, a->verb, "the pages are not built: 'make studio' builds them");
    }
    const char *given = args_text(a, "--folder");
    int n = snprintf(folder, PATH_MAX, "%s", given);
    if (n < 0 || n >= PATH_MAX || !has_pages(folder)) {
        return cli_error(c, a->verb, "--folder = %s: has no index.html", given);
    }
    return CLI_OK;
}

#ifdef OVOID_HAVE_MICROHTTPD

typedef struct site {
    int folder;    // open, to start paths from
    unsigned port; // the one that Host must name
} site;

/* ---- what a request may have ---------------------------------------------------------------- */

/** Opens a regular file below a folder; -1 where the path leads anywhere else. */
static int open_below(int folder, const char *path) {
    int at = dup(folder);
    while (at >= 0 && *path != '\0') {
        char name[NAME_MAX + 1];
        size_t length = strcspn(path, "/");
        if (length == 0 || length > NAME_MAX || path[0] == '.') {
            break; // no empty, hidden or upward names
        }
        memcpy(name, path, length);
        name[length] = '\0';
        bool is_last = path[length] == '\0';
        // without waiting: the name may be one of a pipe
        int next = openat(
            at, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (is_last ? 0 : O_DIRECTORY));
        close(at);
        at = next;
        if (is_last) {
            return at;
        }
        path += length + 1;
    }
    if (at >= 0) {
        close(at);
    }
    return -1;
}

/** Paths stay as they came: no file of the studio needs %XX, and a hidden zero or '..' finds none.
 */
static size_t keep_escapes(void *cls, struct MHD_Connection *connection, char *text) {
    (void)cls;
    (void)connection;
    return strlen(text);
}

/** Does Host name the loopback, at our port? */
static bool is_ours(const char *host, unsigned port) {
    static const char *const names[] = {"127.0.0.1", "localhost"};
    for (size_t i = 0; host != NULL && i < sizeof names / sizeof names[0]; i++) {
        char full[32];
        snprintf(full, sizeof full, "%s:%u", names[i], port);
        if (strcmp(host, full) == 0 || (port == 80 && strcmp(host, names[i]) == 0)) {
            return true;
        }
    }
    return false;
}

static const char *type_of(const char *path) {
    static const char *const types[][2] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".wasm", "application/wasm"},
        {".json", "application/json"},
        {".webmanifest", "application/manifest+json"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
    };
    const char *end = strrchr(path, '.');
    for (size_t i = 0; end != NULL && i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(end, types[i][0]) == 0) {
            return types[i][1];
        }
    }
    return "application/octet-stream";
}

/* ---- answers -------------------------------------------------------------------------------- */

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned code,
                              struct MHD_Response *response, const char *type) {
    static const char *const headers[][2] = {
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cache-Control", "no-cache"},
        {"Content-Security-Policy",
         "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
         "img-src 'self' blob: data:; connect-src 'self'; worker-src 'self'; object-src 'none'; "
         "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    };
    if (response == NULL) {
        return MHD_NO; // out of memory: the connection is closed
    }
    MHD_add_response_header(response, "Content-Type", type);
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    }
    if (code == MHD_HTTP_METHOD_NOT_ALLOWED) {
        MHD_add_response_header(response, "Allow", "GET, HEAD");
    }
    enum MHD_Result queued = MHD_queue_response(connection, code, response);
    MHD_destroy_response(response);
    return queued;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned code, char *why) {
    return answer(connection, code,
                  MHD_create_response_from_buffer(strlen(why), why, MHD_RESPMEM_PERSISTENT),
                  "text/plain; charset=utf-8");
}

static enum MHD_Result handle(void *cls, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state) {
    const site *s = cls;
    (void)version;
    (void)upload;
    (void)state;
    static char wrong_host[] = "This address is not the studio's.\n";
    static char wrong_method[] = "Only GET and HEAD.\n", no_file[] = "No such file.\n";
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    if (!is_ours(host, s->port)) {
        return refuse(connection, MHD_HTTP_MISDIRECTED_REQUEST, wrong_host);
    }
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        if (*upload_size > 0) { // what is sent along is thrown away, piece by piece
            *upload_size = 0;
            return MHD_YES;
        }
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, wrong_method);
    }
    const char *path = strcmp(url, "/") == 0 ? "index.html" : url + (url[0] == '/');
    int file = open_below(s->folder, path);
    struct stat info;
    if (file < 0 || fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
        if (file >= 0) {
            close(file);
        }
        return refuse(connection, MHD_HTTP_NOT_FOUND, no_file);
    }
    struct MHD_Response *response = MHD_create_response_from_fd((size_t)info.st_size, file);
    if (response == NULL) {
        close(file);
    }
    return answer(connection, MHD_HTTP_OK, response, type_of(path));
}

/* ---- the server ----------------------------------------------------------------------------- */

enum { CONNECTIONS = 3000, SECONDS_IDLE = 10, BYTES_PER_CONNECTION = 16384 };

/** As many connections as the system lets us have, with some files beside. */
static unsigned connection_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return 256;
    }
    rlim_t wanted = 2 * CONNECTIONS + 64; // a connection and the file that it sends
    if (limit.rlim_cur < wanted) {
        limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
        setrlimit(RLIMIT_NOFILE, &limit);
        getrlimit(RLIMIT_NOFILE, &limit);
    }
    return limit.rlim_cur >= wanted ? CONNECTIONS : (unsigned)(limit.rlim_cur / 2);
}

static void open_browser(cli *c, const char *address) {
    extern char **environ;
    char name[] = "xdg-open", where[64];
    snprintf(where, sizeof where, "%s", address);
    char *arguments[] = {name, where, NULL};
    pid_t child;
    int error = posix_spawnp(&child, name, NULL, NULL, arguments, environ);
    if (error != 0) {
        cli_note(c, cli_verb_studio.name, "cannot open the browser: %s", strerror(error));
    }
}

/** Until the user has had enough: Ctrl-C, or the terminal is gone. */
static int serve(cli *c, site *s, unsigned port, bool is_opened) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sigset_t ends, before;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    // blocked before the server's thread begins, which inherits it: we alone take them
    pthread_sigmask(SIG_BLOCK, &ends, &before);
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, (uint16_t)port, NULL, NULL, handle, s,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_CONNECTION_LIMIT,
        connection_limit(), MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SECONDS_IDLE,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)BYTES_PER_CONNECTION,
        MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        daemon != NULL ? MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    int status = CLI_OK;
    if (info == NULL) {
        status = cli_error(c, cli_verb_studio.name, "cannot listen on port %u: %s", port,
                           errno != 0 ? strerror(errno) : "no reason given");
    } else {
        char where[64];
        s->port = info->port;
        snprintf(where, sizeof where, "http://127.0.0.1:%u/", s->port);
        fprintf(c->out, "The studio is at %s (Ctrl-C ends it)\n", where);
        fflush(c->out);
        if (is_opened) {
            open_browser(c, where);
        }
        int signal_number;
        sigwait(&ends, &signal_number);
    }
    if (daemon != NULL) {
        MHD_stop_daemon(daemon);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

#endif

/* ---- the verb ------------------------------------------------------------------------------- */

static int run(cli *c, int argc, char **argv) {
    args a;
    size_t port;
    char folder[PATH_MAX];
    int status = args_parse(c, cli_verb_studio.name, options, OPTION_COUNT, argc, argv, &a);
    if (status != CLI_OK || (status = read_input(c, &a, &port, folder)) != CLI_OK) {
        return status;
    }
#ifdef OVOID_HAVE_MICROHTTPD
    site s = {open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), (unsigned)port};
    if (s.folder < 0) {
        return cli_error(c, folder, "%s", strerror(errno));
    }
    status = serve(c, &s, (unsigned)port, args_given(&a, "--open"));
    close(s.folder);
    return status;
#else
    return cli_error(c, a.verb,
                     "this command was built without libmicrohttpd; any static web "
                     "server can serve %s",
                     folder);
#endif
}

const cli_verb cli_verb_studio = {
    .name = "studio",
    .summary = "the browser studio, served on this machine alone",
    .usage = "[options]",
    .details = "Serves the pages of the studio on the loopback, prints their address, and runs "
               "until it is\ninterrupted. Nobody else on the network can reach it. 'make studio' "
               "builds the pages;\nthey also work from any static web server, and offline once "
               "they were visited.\n",
    .examples = "  ovoid studio\n"
                "  ovoid studio --port 0 --open\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .run = run,
};
