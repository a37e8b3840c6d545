/* main.c - the door. */
#include "cmd/cmd.h"

#include <malloc.h>

/*
 * The first thread takes from a heap of its own, all others from a second one. With one for each, which is how glibc begins, what a
 * thread gave back is of no use to the others: on eight cores a report of 1 GB of log took 30 MB more. With a single one two threads
 * waited for each other some 300 times while a small report was judged, in an eighth of its time.
 */
static void share_heaps(void)
{
#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 2);
#endif
}

int main(int n, char **arguments)
{
	share_heaps();
	return postrun_main(n, arguments);
}
