/* main.c - the door. */
#include "cmd/cmd.h"

#include <malloc.h>

/*
 * All threads take from one heap: with one each, which is how glibc begins, what a thread gave back is of no use to the others, and a
 * report of 200 MB of log took 10 MB more. Arenas ask for so much at a time that they hardly ever wait for each other.
 */
static void share_heap(void)
{
#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 1);
#endif
}

int main(int n, char **arguments)
{
	share_heap();
	return postrun_main(n, arguments);
}
