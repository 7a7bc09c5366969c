/* OpenMP's functions, as symx's runtime has them. Programs find it where the compiler has no omp.h of its own. */
#ifndef SYMX_OMP_H
#define SYMX_OMP_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct omp_lock_t { void *word; } omp_lock_t;
typedef struct omp_nest_lock_t { void *word; } omp_nest_lock_t;

void omp_set_num_threads(int number);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_procs(void);
int omp_in_parallel(void);
int omp_get_level(void);
int omp_get_active_level(void);
int omp_get_max_active_levels(void);
int omp_get_thread_limit(void);
void omp_set_dynamic(int wanted);
int omp_get_dynamic(void);
void omp_set_nested(int wanted);
int omp_get_nested(void);
void omp_set_max_active_levels(int levels);
double omp_get_wtime(void);
double omp_get_wtick(void);

void omp_init_lock(omp_lock_t *lock);
void omp_set_lock(omp_lock_t *lock);
void omp_unset_lock(omp_lock_t *lock);
int omp_test_lock(omp_lock_t *lock);
void omp_destroy_lock(omp_lock_t *lock);
void omp_init_nest_lock(omp_nest_lock_t *lock);
void omp_set_nest_lock(omp_nest_lock_t *lock);
void omp_unset_nest_lock(omp_nest_lock_t *lock);
int omp_test_nest_lock(omp_nest_lock_t *lock);
void omp_destroy_nest_lock(omp_nest_lock_t *lock);

#ifdef __cplusplus
}
#endif

#endif
