/* cmd_rules_schema.c - `postrun rules schema`: a JSON Schema of rule files, for editors. */
#include "base/buf.h"
#include "cmd/cmd.h"
#include "rule/rule.h"

#include <stdio.h>

#define MAX_SCHEMA_BYTES ((size_t)1 << 20)

static const struct option table[] = {
	{ "help", 'h', NULL, NULL, "this help" },
	{ NULL, 0, NULL, NULL, NULL },
};

static int run(struct arena *mem, const struct options *o, struct diags *diags)
{
	struct buf out;

	(void)mem, (void)o, (void)diags;
	buf_init(&out, MAX_SCHEMA_BYTES);
	rules_schema_print(&out);
	fwrite(out.at, 1, out.n, stdout); /* a failed write is told at the end, for all commands */
	buf_release(&out);
	return EXIT_DONE;
}

const struct command command_rules_schema = {
	.name = "rules schema",
	.arguments = "",
	.title = "a JSON Schema of rule files, so that editors complete and check them",
	.examples = "  postrun rules schema > my-rules/rule.schema.json\n"
		    "  # first line of my-rules/hot.yaml:\n"
		    "  # yaml-language-server: $schema=rule.schema.json\n",
	.options = table,
	.run = run,
};
