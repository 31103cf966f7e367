#ifndef SW_HDF5_LOCK_H
#define SW_HDF5_LOCK_H
/* HDF5 is one thread's at a time, whichever part of the program calls it. Around calls that several threads may make;
 * does not nest. */
void sw_hdf5_lock(void);
void sw_hdf5_unlock(void);
#endif
