/* main.c - the door. */
#include "base/arena.h"
#include "cmd/cmd.h"

int main(int n, char **arguments)
{
	memory_begin();
	return postrun_main(n, arguments);
}
