/* main.c - the door. */
#include "base/memory.h"
#include "cmd/cmd.h"

int main(int n, char **arguments)
{
	memory_begin();
	return postrun_main(n, arguments);
}
