#ifndef SW_CLOCK_H
#define SW_CLOCK_H
/** Seconds since some fixed moment; never goes back. */
double sw_clock(void);

/** A moment, as time() gives it (0: now), as "2026-11-20T09:00:00Z" into text[21]. */
void sw_clock_utc(double seconds, char text[21]);
#endif
