#ifndef SW_CLOCK_H
#define SW_CLOCK_H
/** Seconds since some fixed moment; never goes back. */
double sw_clock(void);

/** Now as "2026-11-20T09:00:00Z" into text[21]. */
void sw_clock_utc(char text[21]);
#endif
