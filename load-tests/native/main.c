// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// h2peer: a gRPC-shaped echo and flood backend, and the client that loads a relay between them.
//   h2peer serve PORT
//   h2peer load PORT echo|flood CONNECTIONS STREAMS WINDOW WARMUP_SECONDS SECONDS SANDBOX_PREFIX [AUTHORIZATION]
//   h2peer mixed PORT flood|stop CONNECTIONS STREAMS SPECIAL RATE WARMUP_SECONDS SECONDS SANDBOX_PREFIX FILE [AUTHORIZATION]
// Messages are {1: sandbox id, 2: 'E' or 'F', sequence, filling}; the client checks every one it gets back
// and prints one JSON object.
#include "h2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int serve(int port);
int load(int argc, char **argv);
int mixed(int argc, char **argv);

int main(int argc, char **argv) {
	if (argc == 3 && !strcmp(argv[1], "serve")) return serve(atoi(argv[2]));
	if (argc >= 10 && !strcmp(argv[1], "load")) return load(argc - 2, argv + 2);
	if (argc >= 12 && !strcmp(argv[1], "mixed")) return mixed(argc - 2, argv + 2);
	fprintf(stderr, "usage: h2peer serve PORT | h2peer load PORT echo|flood CONNECTIONS STREAMS WINDOW WARMUP SECONDS "
			"SANDBOX_PREFIX [AUTHORIZATION] | h2peer mixed PORT flood|stop CONNECTIONS STREAMS SPECIAL RATE WARMUP SECONDS "
			"SANDBOX_PREFIX FILE [AUTHORIZATION]\n");
	return 2;
}
