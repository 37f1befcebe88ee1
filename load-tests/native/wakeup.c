// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// A latency-sensitive task: on each CPU a thread that is due at fixed times, wakes up, works a fixed amount and sleeps.
//   wakeup calibrate MICROS            prints how many iterations of its work take so long when nothing disturbs it
//   wakeup run SECONDS PERIOD_MICROS ITERATIONS
// prints for each time it woke up two numbers of microseconds: from when it was due until it ran, and until it was done.
// Times that it missed altogether because it was late are left out, as it did not wake up for them.
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TRIALS = 40, CALIBRATED = 1000000 };

struct woken {
	float waited, done;
};

struct task {
	pthread_t thread;
	int cpu;
	struct woken *woken;
	size_t count;
};

static int64_t begin, period, duration;
static uint64_t iterations;

static int64_t nanos(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void work(uint64_t rounds) {
	uint64_t x = 88172645463325252u;
	for (uint64_t i = 0; i < rounds; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		__asm__ volatile("" : "+r"(x));
	}
}

static void sleep_until(int64_t at) {
	struct timespec t = {.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL)) continue;
}

static void stay_on(int cpu) {
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof set, &set)) exit(1);
}

static void *be_due(void *argument) {
	struct task *task = argument;
	stay_on(task->cpu);
	for (int64_t due = begin; due < begin + duration;) {
		sleep_until(due);
		int64_t ran = nanos();
		work(iterations);
		int64_t done = nanos();
		task->woken[task->count++] = (struct woken){(float)(ran - due) / 1e3f, (float)(done - due) / 1e3f};
		due += ((done - due) / period + 1) * period;
	}
	return NULL;
}

static int run(double seconds, long period_micros) {
	static struct task tasks[CPU_SETSIZE];
	cpu_set_t set;
	int count = 0;
	period = period_micros * 1000;
	duration = (int64_t)(seconds * 1e9);
	begin = nanos() + 20000000;
	if (sched_getaffinity(0, sizeof set, &set)) return 1;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &set)) continue;
		struct task *task = &tasks[count++];
		task->cpu = cpu;
		task->woken = calloc((size_t)(duration / period) + 2, sizeof *task->woken);
		if (!task->woken || pthread_create(&task->thread, NULL, be_due, task)) return 1;
	}
	for (int i = 0; i < count; i++) {
		pthread_join(tasks[i].thread, NULL);
		for (size_t k = 0; k < tasks[i].count; k++)
			printf("%.1f %.1f\n", (double)tasks[i].woken[k].waited, (double)tasks[i].woken[k].done);
		free(tasks[i].woken);
	}
	return 0;
}

static int calibrate(double micros) {
	int64_t least = INT64_MAX;
	for (int i = 0; i < TRIALS; i++) {
		int64_t from = nanos();
		work(CALIBRATED);
		int64_t took = nanos() - from;
		least = took < least ? took : least;
	}
	printf("%llu\n", (unsigned long long)(micros * 1e3 * CALIBRATED / (double)least));
	return 0;
}

int main(int argc, char **argv) {
	if (argc == 3 && !strcmp(argv[1], "calibrate")) return calibrate(atof(argv[2]));
	if (argc == 5 && !strcmp(argv[1], "run")) {
		iterations = strtoull(argv[4], NULL, 10);
		return run(atof(argv[2]), atol(argv[3]));
	}
	fprintf(stderr, "usage: wakeup calibrate MICROS | wakeup run SECONDS PERIOD_MICROS ITERATIONS\n");
	return 2;
}
