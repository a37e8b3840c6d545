/* identity.c - matching GPUs by the strongest name that two logs share. */
#include "metric/identity.h"

static char upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'A' && c <= 'F');
}

const char *bus_id_normal(struct arena *mem, struct slice text)
{
	struct slice s = slice_trim(text);
	size_t colons = 0;

	if (s.n < 7 || s.n > 20)
		return NULL;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == ':')
			colons++;
		else if (s.p[i] != '.' && !is_hex(upper(s.p[i])))
			return NULL;
	}
	if (colons == 2) /* the domain: 4 digits in old drivers, 8 in new ones */
		while (s.n > 2 && s.p[0] == '0' && s.p[1] != ':')
			s = (struct slice){ s.p + 1, s.n - 1 };
	else if (colons != 1)
		return NULL;
	char *normal = arena_print(mem, "%s%.*s", colons == 1 ? "0:" : "", SLICE(s));
	for (char *p = normal; *p; p++)
		*p = upper(*p);
	return normal;
}

bool gpu_is_same(const struct entity *a, const struct entity *b)
{
	if (a->uuid && b->uuid)
		return strcmp(a->uuid, b->uuid) == 0;
	if (a->bus_id && b->bus_id)
		return strcmp(a->bus_id, b->bus_id) == 0;
	return a->index >= 0 && a->index == b->index;
}

void gpu_learn(struct entity *to, const struct entity *from)
{
	if (!to->uuid)
		to->uuid = from->uuid;
	if (!to->bus_id)
		to->bus_id = from->bus_id;
	if (!to->name)
		to->name = from->name;
	if (to->index < 0)
		to->index = from->index;
}

bool gpu_has_number_alone(const struct entity *e)
{
	return e->scope == SCOPE_GPU && e->index >= 0 && !e->uuid && !e->bus_id;
}

struct slice host_short_name(struct slice name)
{
	const char *dot = memchr(name.p, '.', name.n);
	size_t n_digits = 0;

	while (n_digits < name.n && is_digit(name.p[n_digits]))
		n_digits++;
	const bool is_address = name.p + n_digits == dot;
	return dot && !is_address ? (struct slice){ name.p, (size_t)(dot - name.p) } : name;
}
