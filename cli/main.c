/**
 * @file main.c
 * @brief Entry point of the `ovoid` command: what the system does to a program, and cli_main, which
 * other programs (the fuzz target) can call too.
 */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "cli.h"

/** Takes away what is half written, then ends the program as the signal does. Until then the same
 *  signal, once more, must not end it: its own action comes back only here. */
static void on_end(int number) {
    ov_files_abandon();
    (void)signal(number, SIG_DFL);
    (void)raise(number); // comes when the handler is left
}

static void set_signals(void) {
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction before, action = {.sa_handler = on_end};
    (void)sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        // what is ignored stays so: nohup, or a shell that runs it in the background
        if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            (void)sigaction(ends[i], &action, NULL);
        }
    }
    // a closed pipe and a file that gets too large are told as a full disk is
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
}

/** A stream that is closed must not become one of the files that are opened: opened so that its use
 *  is an error, as it would be. */
static void hold_streams(void) {
    for (int i = 0; i <= STDERR_FILENO; i++) {
        if (fcntl(i, F_GETFD) < 0) {
            (void)!open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

int main(int argc, char **argv) {
    hold_streams();
    set_signals();
    return cli_main(argc, argv, stdout, stderr);
}
