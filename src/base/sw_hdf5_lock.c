#include "base/sw_hdf5_lock.h"

#include <pthread.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

void sw_hdf5_lock(void) { pthread_mutex_lock(&turn); }
void sw_hdf5_unlock(void) { pthread_mutex_unlock(&turn); }
