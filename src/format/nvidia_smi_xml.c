/*
 * nvidia_smi_xml.c - reads what `nvidia-smi -q -x [-l N]` printed: one XML document for each poll, one after another.
 *
 *     <?xml version="1.0" ?>
 *     <!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v13.dtd">
 *     <nvidia_smi_log>
 *             <timestamp>Sat Nov 21 03:10:52 2026</timestamp>
 *             <attached_gpus>1</attached_gpus>
 *             <gpu id="00000000:00:06.0">
 *                     <mig_devices><mig_device>…<fb_memory_usage>…</mig_device></mig_devices>
 *                     <utilization>
 *                             <gpu_util>100 %</gpu_util>
 *                     </utilization>
 *                     <gpu_power_readings>
 *                             <average_power_draw> N/A </average_power_draw>
 *
 * The tags are found by path below <gpu>, whatever version of the DTD is named, or none: clocks_throttle_reasons became
 * clocks_event_reasons in v12, power_readings became gpu_power_readings, and in v13 power_draw became an average
 * and an instantaneous one. What a MIG device has lies on other paths.
 *
 * A file of several documents is no XML. Lines are read, and a line that begins a document begins a new parser: so
 * one that was cut when its logger was killed does not spoil those behind it, and messages between two
 * documents, or in the middle of one, are found. A GPU counts when it was closed.
 *
 * Nothing outside the file is ever read: no DTD, no external entity. A document that declares entities of its
 * own (nvidia-smi never does) is refused, so there is nothing to expand.
 */
#include "format/nvidia_smi_log.h"

#include <expat.h>

static const struct spelling columns[] = {
	{ "utilization/gpu_util", METRIC_GPU_UTIL, UNIT_PERCENT },
	{ "utilization/memory_util", METRIC_GPU_MEM_UTIL, UNIT_PERCENT },
	{ "utilization/encoder_util", METRIC_GPU_ENC_UTIL, UNIT_PERCENT },
	{ "utilization/decoder_util", METRIC_GPU_DEC_UTIL, UNIT_PERCENT },
	{ "fb_memory_usage/used", METRIC_GPU_MEM_USED, UNIT_MIB },
	{ "memory_usage/used", METRIC_GPU_MEM_USED, UNIT_MIB },
	{ "fb_memory_usage/total", METRIC_GPU_MEM_TOTAL, UNIT_MIB },
	{ "memory_usage/total", METRIC_GPU_MEM_TOTAL, UNIT_MIB },
	{ "power_readings/power_draw", METRIC_GPU_POWER, UNIT_WATT },
	{ "gpu_power_readings/power_draw", METRIC_GPU_POWER, UNIT_WATT },
	{ "gpu_power_readings/average_power_draw", METRIC_GPU_POWER, UNIT_WATT },
	{ "gpu_power_readings/instant_power_draw", METRIC_GPU_POWER, UNIT_WATT },
	{ "power_readings/enforced_power_limit", METRIC_GPU_POWER_LIMIT, UNIT_WATT },
	{ "power_readings/power_limit", METRIC_GPU_POWER_LIMIT, UNIT_WATT },
	{ "gpu_power_readings/current_power_limit", METRIC_GPU_POWER_LIMIT, UNIT_WATT },
	{ "power_readings/default_power_limit", METRIC_GPU_POWER_DEFAULT, UNIT_WATT },
	{ "gpu_power_readings/default_power_limit", METRIC_GPU_POWER_DEFAULT, UNIT_WATT },
	{ "temperature/gpu_temp", METRIC_GPU_TEMP, UNIT_CELSIUS },
	{ "temperature/memory_temp", METRIC_GPU_TEMP_MEM, UNIT_CELSIUS },
	{ "temperature/gpu_temp_tlimit", METRIC_GPU_TEMP_MARGIN, UNIT_CELSIUS },
	{ "temperature/gpu_temp_slow_threshold", METRIC_GPU_TEMP_SLOWDOWN, UNIT_CELSIUS },
	{ "temperature/gpu_temp_max_threshold", METRIC_GPU_TEMP_SHUTDOWN, UNIT_CELSIUS },
	{ "temperature/gpu_temp_max_gpu_threshold", METRIC_GPU_TEMP_MAX, UNIT_CELSIUS },
	{ "temperature/gpu_temp_max_mem_threshold", METRIC_GPU_TEMP_MEM_MAX, UNIT_CELSIUS },
	{ "clocks/sm_clock", METRIC_GPU_CLOCK_SM, UNIT_MHZ },
	{ "clocks/mem_clock", METRIC_GPU_CLOCK_MEM, UNIT_MHZ },
	{ "max_clocks/sm_clock", METRIC_GPU_CLOCK_SM_MAX, UNIT_MHZ },
	{ "performance_state", METRIC_GPU_PSTATE, UNIT_NUMBER },
	{ "clocks_event_reasons/clocks_event_reason_gpu_idle", METRIC_GPU_THR_IDLE, UNIT_BITS },
	{ "clocks_throttle_reasons/clocks_throttle_reason_gpu_idle", METRIC_GPU_THR_IDLE, UNIT_BITS },
	{ "clocks_event_reasons/clocks_event_reason_applications_clocks_setting", METRIC_GPU_THR_APP, UNIT_BITS },
	{ "clocks_throttle_reasons/clocks_throttle_reason_applications_clocks_setting", METRIC_GPU_THR_APP, UNIT_BITS },
	{ "clocks_event_reasons/clocks_event_reason_sw_power_cap", METRIC_GPU_THR_SW_POWER, UNIT_BITS },
	{ "clocks_throttle_reasons/clocks_throttle_reason_sw_power_cap", METRIC_GPU_THR_SW_POWER, UNIT_BITS },
	{ "clocks_event_reasons/clocks_event_reason_hw_slowdown", METRIC_GPU_THR_HW_SLOW, UNIT_BITS },
	{ "clocks_throttle_reasons/clocks_throttle_reason_hw_slowdown", METRIC_GPU_THR_HW_SLOW, UNIT_BITS },
	{ "clocks_event_reasons/clocks_event_reason_hw_thermal_slowdown", METRIC_GPU_THR_HW_THERMAL, UNIT_BITS },
	{ "clocks_throttle_reasons/clocks_throttle_reason_hw_thermal_slowdown", METRIC_GPU_THR_HW_THERMAL, UNIT_BITS },
	{ "clocks_event_reasons/clocks_event_reason_hw_power_brake_slowdown", METRIC_GPU_THR_HW_BRAKE, UNIT_BITS },
	{ "clocks_throttle_reasons/clocks_throttle_reason_hw_power_brake_slowdown", METRIC_GPU_THR_HW_BRAKE, UNIT_BITS },
	{ "clocks_event_reasons/clocks_event_reason_sync_boost", METRIC_GPU_THR_SYNC, UNIT_BITS },
	{ "clocks_throttle_reasons/clocks_throttle_reason_sync_boost", METRIC_GPU_THR_SYNC, UNIT_BITS },
	{ "clocks_event_reasons/clocks_event_reason_sw_thermal_slowdown", METRIC_GPU_THR_SW_THERMAL, UNIT_BITS },
	{ "clocks_throttle_reasons/clocks_throttle_reason_sw_thermal_slowdown", METRIC_GPU_THR_SW_THERMAL, UNIT_BITS },
	{ "clocks_event_reasons/clocks_event_reason_display_clocks_setting", METRIC_GPU_THR_DISPLAY, UNIT_BITS },
	{ "clocks_throttle_reasons/clocks_throttle_reason_display_clocks_setting", METRIC_GPU_THR_DISPLAY, UNIT_BITS },
	{ "fan_speed", METRIC_GPU_FAN, UNIT_PERCENT },
	{ "pci/pci_gpu_link_info/pcie_gen/current_link_gen", METRIC_GPU_PCIE_GEN, UNIT_NUMBER },
	{ "pci/pci_gpu_link_info/pcie_gen/max_link_gen", METRIC_GPU_PCIE_GEN_MAX, UNIT_NUMBER },
	{ "pci/pci_gpu_link_info/link_widths/current_link_width", METRIC_GPU_PCIE_WIDTH, UNIT_NUMBER },
	{ "pci/pci_gpu_link_info/link_widths/max_link_width", METRIC_GPU_PCIE_WIDTH_MAX, UNIT_NUMBER },
	{ "pci/rx_util", METRIC_GPU_PCIE_RX, UNIT_KIB_S },
	{ "pci/tx_util", METRIC_GPU_PCIE_TX, UNIT_KIB_S },
	{ "clocks_event_reasons_counters/clocks_event_reasons_counters_sw_power_cap", METRIC_GPU_CAP_SW_POWER, UNIT_MICRO },
	{ "clocks_event_reasons_counters/clocks_event_reasons_counters_sync_boost", METRIC_GPU_CAP_SYNC, UNIT_MICRO },
	{ "clocks_event_reasons_counters/clocks_event_reasons_counters_sw_therm_slowdown", METRIC_GPU_CAP_SW_THERMAL, UNIT_MICRO },
	{ "clocks_event_reasons_counters/clocks_event_reasons_counters_hw_therm_slowdown", METRIC_GPU_CAP_HW_THERMAL, UNIT_MICRO },
	{ "clocks_event_reasons_counters/clocks_event_reasons_counters_hw_power_brake", METRIC_GPU_CAP_HW_BRAKE, UNIT_MICRO },
	{ "pci/replay_counter", METRIC_GPU_PCIE_REPLAYS, UNIT_NUMBER },
	{ "retired_pages/multiple_single_bit_retirement/retired_count", METRIC_GPU_RETIRED_SINGLE, UNIT_NUMBER },
	{ "retired_pages/double_bit_retirement/retired_count", METRIC_GPU_RETIRED_DOUBLE, UNIT_NUMBER },
	{ "remapped_rows/remapped_row_corr", METRIC_GPU_REMAP_CORRECTED, UNIT_NUMBER },
	{ "remapped_rows/remapped_row_unc", METRIC_GPU_REMAP_UNCORRECTED, UNIT_NUMBER },
	{ "ecc_errors/volatile/single_bit/total", METRIC_GPU_ECC_CORRECTED, UNIT_NUMBER },
	{ "ecc_errors/volatile/sram_correctable", METRIC_GPU_ECC_CORRECTED, UNIT_NUMBER },
	{ "ecc_errors/volatile/dram_correctable", METRIC_GPU_ECC_CORRECTED, UNIT_NUMBER },
	{ "ecc_errors/volatile/double_bit/total", METRIC_GPU_ECC_UNCORRECTED, UNIT_NUMBER },
	{ "ecc_errors/volatile/sram_uncorrectable", METRIC_GPU_ECC_UNCORRECTED, UNIT_NUMBER },
	{ "ecc_errors/volatile/sram_uncorrectable_parity", METRIC_GPU_ECC_UNCORRECTED, UNIT_NUMBER },
	{ "ecc_errors/volatile/sram_uncorrectable_secded", METRIC_GPU_ECC_UNCORRECTED, UNIT_NUMBER },
	{ "ecc_errors/volatile/dram_uncorrectable", METRIC_GPU_ECC_UNCORRECTED, UNIT_NUMBER },
	{ NULL, METRIC_GPU_UTIL, UNIT_NUMBER },
};

#define MAX_DEPTH 32              /* of tags; driver 610 has 8 */
#define TOKEN_MAX_BYTES (16 * 1024) /* of a tag or a remark: the parser looks at it anew each time until it is whole */
#ifdef SMALL_BUFFERS /* for fuzzers, whose inputs are short */
#define PENDING_BYTES 64
#else
#define PENDING_BYTES (8 * 1024)
#endif

struct document {
	struct smi_log log;
	XML_Parser parser;           /* NULL between documents */
	size_t path_n[MAX_DEPTH];    /* bytes of the path down to each open tag below <gpu> */
	size_t depth;                /* open tags, the root included */
	char path[SMI_PATH_BYTES];
	char text[SMI_VALUE_BYTES];  /* of the tag that is open */
	size_t n_text;
	bool text_too_long, has_entities, is_closed;
	int64_t first_line;          /* of the document */
	int64_t n_parsed;            /* bytes of it that the parser has */
	char pending[PENDING_BYTES]; /* lines that it does not have yet */
	size_t n_pending;
	struct arena of_line; /* what one of them becomes */
};

static bool is_beginning(struct slice line)
{
	return slice_starts(line, "<?xml ") || slice_starts(line, "<!DOCTYPE nvidia_smi_log") || slice_starts(line, "<nvidia_smi_log>");
}

static struct bid bid(struct slice first_bytes, struct arena *scratch)
{
	(void)scratch;
	if (slice_has(first_bytes, "<nvidia_smi_log>") || slice_has(first_bytes, "<!DOCTYPE nvidia_smi_log"))
		return (struct bid){ 95, "it is the XML of nvidia-smi -q -x" };
	return (struct bid){ 0, NULL };
}

#define ROOT 1 /* depth of what stands in the root */
#define GPU 2  /* depth of what stands in a <gpu> */

static const char *attribute(const XML_Char **attributes, const char *name)
{
	for (; *attributes; attributes += 2)
		if (strcmp(attributes[0], name) == 0)
			return attributes[1];
	return "";
}

/* The path grows by the name of a tag below <gpu>; where it would be too long it can be no column, and stays empty. */
static void push(struct document *d, const char *name)
{
	size_t n = d->depth > GPU ? d->path_n[d->depth - 1] : 0, n_name = strlen(name), slash = n != 0;

	d->path_n[d->depth] = 0;
	if ((d->depth > GPU && !n) || n + slash + n_name > sizeof d->path)
		return;
	if (slash)
		d->path[n] = '/';
	memcpy(d->path + n + slash, name, n_name);
	d->path_n[d->depth] = n + slash + n_name;
}

static struct place here(const struct document *d)
{
	return (struct place){ d->log.r->lines->path, d->first_line + (int)XML_GetCurrentLineNumber(d->parser) - 1,
		(int)XML_GetCurrentColumnNumber(d->parser) + 1 };
}

static void XMLCALL on_begin(void *user, const XML_Char *name, const XML_Char **attributes)
{
	struct document *d = user;

	d->n_text = 0;
	d->text_too_long = false;
	if (d->depth == MAX_DEPTH) {
		XML_StopParser(d->parser, XML_FALSE);
		return;
	}
	if (d->depth == ROOT && strcmp(name, "gpu") == 0)
		smi_log_gpu(&d->log, slice_of(attribute(attributes, "id")), here(d));
	if (d->depth >= GPU)
		push(d, name);
	d->depth++;
}

/* Blanks before a value are left out, and behind one there may be any number: some tools break lines there. */
static void XMLCALL on_text(void *user, const XML_Char *text, int n)
{
	struct document *d = user;

	for (int i = 0; i < n; i++) {
		if (!d->n_text && is_white(text[i]))
			continue;
		if (d->n_text < sizeof d->text)
			d->text[d->n_text++] = text[i];
		else
			d->text_too_long |= !is_white(text[i]);
	}
}

static struct slice text_of(const struct document *d)
{
	size_t n = d->n_text;

	while (n && is_white(d->text[n - 1]))
		n--;
	return (struct slice){ d->text, n };
}

/* What the root says beside its GPUs. */
static void take_of_root(struct document *d, const char *name, struct slice text)
{
	if (strcmp(name, "timestamp") == 0)
		smi_log_time(&d->log, text, here(d));
	else if (strcmp(name, "driver_version") == 0)
		smi_log_driver(&d->log, text);
	else if (strcmp(name, "attached_gpus") == 0)
		smi_log_attached(&d->log, text);
	else if (strcmp(name, "error_string") == 0)
		smi_take_message(d->log.r, &d->log.polls.messages, text);
}

static void take_of_gpu(struct document *d, struct slice text)
{
	const struct slice path = { d->path, d->path_n[d->depth] };
	struct place place = here(d);

	if (place.column > (int)d->n_text) /* the parser stands behind the value */
		place.column -= (int)d->n_text;
	if (slice_is(path, "product_name"))
		smi_log_name(&d->log, text);
	else if (slice_is(path, "uuid"))
		smi_log_uuid(&d->log, text);
	else
		smi_log_value(&d->log, path, text, place);
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
	struct document *d = user;
	const struct slice text = text_of(d);

	d->depth--;
	if (d->depth == ROOT && strcmp(name, "gpu") == 0)
		smi_log_gpu_end(&d->log);
	else if (d->depth == ROOT)
		take_of_root(d, name, text);
	else if (d->depth >= GPU && !d->text_too_long)
		take_of_gpu(d, text);
	d->is_closed = !d->depth;
	d->n_text = 0;
	d->text_too_long = true; /* blanks between two ends are no value */
}

static void XMLCALL on_entity(void *user, const XML_Char *name, int is_parameter, const XML_Char *value, int n,
	const XML_Char *base, const XML_Char *system, const XML_Char *public, const XML_Char *notation)
{
	struct document *d = user;

	(void)name, (void)is_parameter, (void)value, (void)n, (void)base, (void)system, (void)public, (void)notation;
	d->has_entities = true;
	XML_StopParser(d->parser, XML_FALSE);
}

static void begin_document(struct document *d)
{
	d->parser = XML_ParserCreate("UTF-8"); /* what the lines are, whatever the document says */
	if (!d->parser)
		die_memory();
	XML_SetUserData(d->parser, d);
	XML_SetElementHandler(d->parser, on_begin, on_end);
	XML_SetCharacterDataHandler(d->parser, on_text);
	XML_SetEntityDeclHandler(d->parser, on_entity);
	XML_SetParamEntityParsing(d->parser, XML_PARAM_ENTITY_PARSING_NEVER);
	d->depth = d->n_text = d->n_pending = 0;
	d->is_closed = false;
	d->first_line = d->log.r->lines->line;
	d->n_parsed = 0;
	smi_log_begin(&d->log);
}

static void end_parser(struct document *d)
{
	if (d->parser)
		XML_ParserFree(d->parser);
	d->parser = NULL;
	d->log.in_gpu = false;
}

static void refuse_rest(struct document *d)
{
	const struct place place = here(d);
	struct sheet *sheet = d->log.polls.sheet;

	if (d->has_entities)
		sheet_reject(sheet, place, DIAG_BAD_ROW, "the document declares entities, as nvidia-smi never does; not used");
	else if (d->depth == MAX_DEPTH)
		sheet_reject(sheet, place, DIAG_BAD_ROW, "over %d tags within each other; the rest of the document is not used", MAX_DEPTH);
	else if (XML_GetErrorCode(d->parser) == XML_ERROR_NONE)
		sheet_reject(sheet, place, DIAG_BAD_ROW, "a tag over %d KiB; the rest of the document is not used", TOKEN_MAX_BYTES / 1024);
	else
		sheet_reject(sheet, place, DIAG_BAD_ROW, "XML: %s; the rest of the document is not used",
			XML_ErrorString(XML_GetErrorCode(d->parser)));
	d->has_entities = false;
	end_parser(d);
}

static void parse(struct document *d, struct slice text)
{
	bool good = XML_Parse(d->parser, text.p, (int)text.n, 0) != XML_STATUS_ERROR;

	d->n_parsed += (int64_t)text.n;
	if (d->is_closed)
		smi_log_end(&d->log);
	if (!good || (!d->is_closed && d->n_parsed - XML_GetCurrentByteIndex(d->parser) > TOKEN_MAX_BYTES + (int64_t)text.n))
		refuse_rest(d);
	else if (d->is_closed)
		end_parser(d);
}

static void parse_pending(struct document *d)
{
	const struct slice text = { d->pending, d->n_pending };

	d->n_pending = 0;
	if (d->parser && text.n)
		parse(d, text);
}

/* The document ended before its root did: its closed GPUs are used. */
static void cut_document(struct document *d, const char *how)
{
	struct place place = { d->log.r->lines->path, d->log.r->lines->line, 0 };

	parse_pending(d);
	if (!d->parser)
		return;
	d->log.r->recording->cut = true;
	diag_repeat(d->log.r->diags, place, DIAG_CUT_ROW, "cut", "a document ends %s; the GPUs before that are used", how);
	end_parser(d);
}

/*
 * Names of processes may be in any encoding; they are no values of ours, but would end the document. A carriage return would be the end of
 * a line to the parser, which tells where something is wrong; it is a blank as well.
 */
static struct slice as_xml(struct arena *mem, struct slice line)
{
	const bool is_utf8 = slice_is_utf8(line);

	if (is_utf8 && !(line.n && memchr(line.p, '\r', line.n)))
		return line;
	char *const text = arena_text(mem, line.p, line.n);
	for (size_t i = 0; i < line.n; i++)
		if (text[i] == '\r')
			text[i] = ' ';
		else if (!is_utf8 && (unsigned char)text[i] >= 0x80)
			text[i] = '?';
	return (struct slice){ text, line.n };
}

static void feed(struct document *d, struct slice line)
{
	arena_reset(&d->of_line);
	line = as_xml(&d->of_line, line);
	if (d->n_pending + line.n + 1 > sizeof d->pending)
		parse_pending(d);
	if (!d->parser) /* with what was pending the document ended: the line is of none */
		return;
	if (line.n + 1 > sizeof d->pending) {
		parse(d, line);
	} else {
		memcpy(d->pending + d->n_pending, line.p, line.n);
		d->n_pending += line.n;
	}
	d->pending[d->n_pending++] = '\n';
	if (slice_has(line, "</nvidia_smi_log"))
		parse_pending(d);
}

/* The last line needs no line end: what a tag closed is whole. */
static bool takes_line(struct document *d)
{
	return d->log.r->lines->state == LINE_LAST_UNENDED || sheet_takes_line(d->log.polls.sheet);
}

static void take_line(struct document *d, struct slice line)
{
	struct slice text = slice_trim(line);

	if (!takes_line(d)) {
		cut_document(d, "in a line that can't be used");
		return;
	}
	if (smi_is_message(text)) {
		smi_take_message(d->log.r, &d->log.polls.messages, text);
		line = slice_of(""); /* lines stay counted */
	}
	const bool begins = is_beginning(text);
	if (begins && slice_starts(text, "<?xml "))
		cut_document(d, "where the next one begins");
	if (!d->parser && begins) {
		begin_document(d);
		line = text; /* nothing may stand before <?xml */
	}
	if (d->parser)
		feed(d, line);
}

static bool read(struct reading *r)
{
	struct document *d = NEW(r->scratch, struct document);
	struct slice line;

	smi_log_init(&d->log, r);
	arena_init(&d->of_line);
	while (line_next(r->lines, &line))
		take_line(d, line);
	cut_document(d, "with the file");
	arena_release(&d->of_line);
	return smi_log_finish(&d->log, true);
}

#define DOCUMENT(stamp, util, power)                                                                     \
	"<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v13.dtd\">\n<nvidia_smi_log>\n" \
	"\t<timestamp>" stamp "</timestamp>\n\t<driver_version>580.159.04</driver_version>\n"                 \
	"\t<attached_gpus>1</attached_gpus>\n\t<gpu id=\"00000000:00:06.0\">\n"                              \
	"\t\t<product_name>NVIDIA H200</product_name>\n"                                                     \
	"\t\t<fb_memory_usage>\n\t\t\t<total>143771 MiB</total>\n\t\t\t<used>17425 MiB</used>\n\t\t</fb_memory_usage>\n" \
	"\t\t<utilization>\n\t\t\t<gpu_util>" util "</gpu_util>\n\t\t</utilization>\n"                       \
	"\t\t<gpu_power_readings>\n\t\t\t<average_power_draw>" power "</average_power_draw>\n"                \
	"\t\t</gpu_power_readings>\n\t</gpu>\n\n</nvidia_smi_log>\n"

static const char sample[] =
	DOCUMENT("Sat Nov 21 03:11:02 2026", "100 %", "444.72 W") DOCUMENT("Sat Nov 21 03:11:07 2026", "100 %", "692.41 W");

const struct format format_nvidia_smi_xml = {
	.name = "nvidia-smi-xml",
	.title = "nvidia-smi -q -x [-l N]",
	.sample = sample,
	.columns = columns,
	.absences = smi_log_absences,
	.rows_are_not_lines = true,
	.bid = bid,
	.read = read,
};
