/* What programs ask OpenMP's runtime. */
#include <time.h>
#include <unistd.h>
#include "team.h"

int omp_get_thread_num(void) { return __symx_omp_self()->number; }
int omp_get_num_threads(void) { return __symx_omp_self()->team->size; }
int omp_get_num_procs(void) { return (int)sysconf(_SC_NPROCESSORS_ONLN); }
int omp_in_parallel(void) { return __symx_omp_self()->level > 0; }
int omp_get_level(void) { return __symx_omp_self()->level; }
int omp_get_active_level(void) { return __symx_omp_self()->level; }
int omp_get_dynamic(void) { return 0; }
int omp_get_nested(void) { return 0; }
int omp_get_max_active_levels(void) { return 1; }
int omp_get_thread_limit(void) { return 1 << 16; }
void omp_set_dynamic(int wanted) {}
void omp_set_nested(int wanted) {}
void omp_set_max_active_levels(int levels) {}
double omp_get_wtick(void) { return 1e-9; }

double omp_get_wtime(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}
