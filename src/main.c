/* main.c - the door. */
#include "cmd/cmd.h"

#include <malloc.h>

/*
 * Threads take from two heaps. With one each, which is how glibc begins, what a thread gave back is of no use to the others. With one for
 * all they wait for each other, and to sleep and be woken takes longer than most of what is asked for: on two cores a small report took a
 * sixth longer. Two take 1 to 2 MB more.
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
