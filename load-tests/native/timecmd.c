// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// timecmd COUNT COMMAND…: starts the command COUNT times one after another, waits for each, and prints each
// one's microseconds; {} in an argument becomes the run's number. The cheapest honest timer for a peer.
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double micros(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static char *numbered(const char *argument, int number) {
	const char *at = strstr(argument, "{}");
	if (!at) return strdup(argument);
	char *out = malloc(strlen(argument) + 16);
	if (out) sprintf(out, "%.*s%d%s", (int)(at - argument), argument, number, at + 2);
	return out;
}

static int run(int argc, char **argv, int number) {
	char *args[64] = {0};
	for (int i = 0; i < argc && i < 63; i++) args[i] = numbered(argv[i], number);
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0, 0);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0);
	pid_t pid;
	int status = -1, error = posix_spawnp(&pid, args[0], &actions, NULL, args, environ);
	if (!error)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
	posix_spawn_file_actions_destroy(&actions);
	for (int i = 0; args[i]; i++) free(args[i]);
	return error ? -1 : status;
}

int main(int argc, char **argv) {
	if (argc < 3) {
		fprintf(stderr, "usage: timecmd COUNT COMMAND [ARGUMENT…]\n");
		return 2;
	}
	for (int i = 0, n = atoi(argv[1]); i < n; i++) {
		double start = micros();
		int status = run(argc - 2, argv + 2, i);
		if (status) {
			fprintf(stderr, "%s: run %d ended with status %d\n", argv[2], i, status);
			return 1;
		}
		printf("%.1f\n", micros() - start);
	}
	return 0;
}
