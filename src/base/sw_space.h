#ifndef SW_SPACE_H
#define SW_SPACE_H
enum sw_space { SW_HOST, SW_DEVICE };  /* where arrays live */
#endif
