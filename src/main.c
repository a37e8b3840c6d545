/* main.c - the door. */
#include "cmd/cmd.h"

int main(int n, char **arguments)
{
	return postrun_main(n, arguments);
}
