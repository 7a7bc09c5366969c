/* getopt as glibc has it: operands move behind the options, long options may be shortened, and its messages. musl's own
 * stops at the first operand, which programs written for glibc do not expect. */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *optarg;
int optind = 1, opterr = 1, optopt = '?';

static int called; /* before, optopt is '?', then 0 until there is a mistake */
static char *next_letter;               /* the rest of a cluster of letters */
static int first_operand, last_operand; /* operands passed over: [first_operand, last_operand) */

enum order { PERMUTE, REQUIRE_ORDER, RETURN_IN_ORDER };

/* What one call works on. */
struct scan {
	int count;
	char **words;
	const char *letters;
	int silent; /* a leading ':' */
	enum order order;
};

#define COMPLAIN(scan, ...) \
	do { \
		if (opterr && !(scan)->silent) fprintf(stderr, __VA_ARGS__); \
	} while (0)

static void reverse(char **from, char **to)
{
	while (from < to) {
		char *word = *from;
		*from++ = *--to;
		*to = word;
	}
}

/* Brings the options [last_operand, optind) before the operands [first_operand, last_operand). */
static void exchange(char **words)
{
	int options = optind - last_operand;
	reverse(words + first_operand, words + last_operand);
	reverse(words + last_operand, words + optind);
	reverse(words + first_operand, words + optind);
	first_operand += options;
	last_operand = optind;
}

static int is_operand(const char *word)
{
	return word[0] != '-' || !word[1];
}

/* Stands at the next word with options: 0; or answers what the call returns. */
static int next_word(struct scan *scan)
{
	if (last_operand > optind) last_operand = optind;
	if (first_operand > optind) first_operand = optind;
	if (scan->order == PERMUTE) {
		if (first_operand != last_operand && last_operand != optind) exchange(scan->words);
		else if (last_operand != optind) first_operand = optind;
		while (optind < scan->count && is_operand(scan->words[optind])) optind++;
		last_operand = optind;
	}
	if (optind < scan->count && !strcmp(scan->words[optind], "--")) {
		optind++;
		if (first_operand != last_operand && last_operand != optind) exchange(scan->words);
		else if (first_operand == last_operand) first_operand = optind;
		last_operand = scan->count;
		optind = scan->count;
	}
	if (optind >= scan->count) {
		if (first_operand != last_operand) optind = first_operand;
		return -1;
	}
	if (is_operand(scan->words[optind])) {
		if (scan->order == REQUIRE_ORDER) return -1;
		optarg = scan->words[optind++];
		return 1;
	}
	return 0;
}

/* The option that `name` of `length` bytes means, -1 for none, -2 for several. */
static int find_long(const char *name, size_t length, const struct option *options, int letters_too)
{
	int found = -1, several = 0;
	for (int at = 0; options[at].name; at++) {
		if (strncmp(options[at].name, name, length)) continue;
		if (strlen(options[at].name) == length) return at;
		if (found < 0) found = at;
		else if (letters_too || options[found].has_arg != options[at].has_arg ||
			options[found].flag != options[at].flag || options[found].val != options[at].val)
			several = 1;
	}
	return several ? -2 : found;
}

/* Takes the long option behind `prefix`; `text` is its name and what follows. */
static int take_long(struct scan *scan, const char *prefix, char *text, const struct option *options, int *index,
	int letters_too)
{
	const char *program = scan->words[0];
	size_t length = strcspn(text, "=");
	int found = find_long(text, length, options, letters_too);

	if (found == -2) {
		if (opterr && !scan->silent) {
			fprintf(stderr, "%s: option '%s%s' is ambiguous; possibilities:", program, prefix, text);
			for (int at = 0; options[at].name; at++)
				if (!strncmp(options[at].name, text, length))
					fprintf(stderr, " '%s%s'", prefix, options[at].name);
			fputc('\n', stderr);
		}
		next_letter = 0;
		optind++;
		optopt = 0;
		return '?';
	}
	if (found < 0) {
		if (letters_too && prefix[1] != '-' && strchr(scan->letters, *text)) return -1;
		COMPLAIN(scan, "%s: unrecognized option '%s%s'\n", program, prefix, text);
		next_letter = 0;
		optind++;
		optopt = 0;
		return '?';
	}
	const struct option *option = &options[found];
	optind++;
	next_letter = 0;
	if (text[length]) {
		if (!option->has_arg) {
			COMPLAIN(scan, "%s: option '%s%s' doesn't allow an argument\n", program, prefix, option->name);
			optopt = option->val;
			return '?';
		}
		optarg = text + length + 1;
	} else if (option->has_arg == required_argument) {
		if (optind >= scan->count) {
			COMPLAIN(scan, "%s: option '%s%s' requires an argument\n", program, prefix, option->name);
			optopt = option->val;
			return scan->silent ? ':' : '?';
		}
		optarg = scan->words[optind++];
	}
	if (index) *index = found;
	if (!option->flag) return option->val;
	*option->flag = option->val;
	return 0;
}

static int take_letter(struct scan *scan, const struct option *options, int *index)
{
	const char *program = scan->words[0];
	char letter = *next_letter++;
	const char *found = letter == ':' || letter == ';' ? 0 : strchr(scan->letters, letter);

	if (!*next_letter) optind++;
	if (!found) {
		COMPLAIN(scan, "%s: invalid option -- '%c'\n", program, letter);
		optopt = letter;
		return '?';
	}
	int takes_long = found[0] == 'W' && found[1] == ';' && options;
	if (!takes_long && found[1] != ':') return letter;
	if (found[2] == ':' && !takes_long) {
		/* An optional argument is in the same word or is not there. */
		optarg = *next_letter ? next_letter : 0;
		if (*next_letter) optind++;
	} else if (*next_letter) {
		optarg = next_letter;
		optind++;
	} else if (optind >= scan->count) {
		COMPLAIN(scan, "%s: option requires an argument -- '%c'\n", program, letter);
		optopt = letter;
		next_letter = 0;
		return scan->silent ? ':' : '?';
	} else {
		optarg = scan->words[optind++];
	}
	next_letter = 0;
	if (takes_long) {
		optind--; /* take_long counts the word itself */
		char *text = optarg;
		optarg = 0;
		return take_long(scan, "-W ", text, options, index, 0);
	}
	return letter;
}

static int scan_words(int count, char *const *words, const char *letters, const struct option *options, int *index,
	int long_only, int posix)
{
	struct scan scan = { count, (char **)words, letters, 0, PERMUTE };

	if (count < 1) return -1;
	if (!called++) optopt = 0;
	optarg = 0;
	if (!optind || !next_letter) {
		if (!optind) {
			optind = 1;
			first_operand = last_operand = 1;
		} else if (optind == 1) {
			first_operand = last_operand = 1;
		}
		next_letter = 0;
	}
	if (*letters == '-') scan.order = RETURN_IN_ORDER;
	else if (*letters == '+' || posix || getenv("POSIXLY_CORRECT")) scan.order = REQUIRE_ORDER;
	if (*letters == '-' || *letters == '+') scan.letters = ++letters;
	if (*letters == ':') {
		scan.silent = 1;
		scan.letters = letters + 1;
	}
	if (!next_letter || !*next_letter) {
		int answer = next_word(&scan);
		if (answer) return answer;
		char *word = scan.words[optind];
		if (options && word[1] == '-') return take_long(&scan, "--", word + 2, options, index, long_only);
		if (options && long_only && (word[2] || !strchr(scan.letters, word[1]))) {
			answer = take_long(&scan, "-", word + 1, options, index, 1);
			if (answer != -1) return answer;
		}
		next_letter = word + 1;
	}
	return take_letter(&scan, options, index);
}

int getopt(int count, char *const *words, const char *letters)
{
	return scan_words(count, words, letters, 0, 0, 0, 0);
}

/* What programs call that ask for POSIX alone. */
int __posix_getopt(int count, char *const *words, const char *letters)
{
	return scan_words(count, words, letters, 0, 0, 0, 1);
}

int getopt_long(int count, char *const *words, const char *letters, const struct option *options, int *index)
{
	return scan_words(count, words, letters, options, index, 0, 0);
}

int getopt_long_only(int count, char *const *words, const char *letters, const struct option *options, int *index)
{
	return scan_words(count, words, letters, options, index, 1, 0);
}
