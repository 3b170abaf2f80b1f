#include "knowledge/function_words.h"

#include <algorithm>

namespace helve::knowledge {
namespace {

constexpr std::string_view kWords[] = {
    "a",       "about",   "after",  "again",  "all",   "also",   "am",     "an",      "and",
    "ani",     "anyth",   "ar",     "as",     "at",    "be",     "becaus", "been",    "befor",
    "between", "both",    "but",    "by",     "can",   "could",  "did",    "do",      "doe",
    "don",     "down",    "dure",   "each",   "els",   "ever",   "everi",  "few",     "for",
    "from",    "further", "get",    "give",   "go",    "goe",    "got",    "ha",      "had",
    "have",    "he",      "her",    "here",   "hi",    "him",    "how",    "i",       "if",
    "in",      "into",    "is",     "isn",    "it",    "itself", "just",   "know",    "let",
    "like",    "ll",      "make",   "mani",   "may",   "me",     "might",  "more",    "most",
    "much",    "must",    "my",     "need",   "no",    "nor",    "not",    "now",     "of",
    "off",     "often",   "on",     "onc",    "onli",  "or",     "other",  "our",     "out",
    "over",    "own",     "pleas",  "realli", "s",     "same",   "say",    "she",     "should",
    "so",      "some",    "someth", "such",   "t",     "tell",   "than",   "that",    "the",
    "their",   "them",    "then",   "there",  "these", "they",   "thi",    "thing",   "those",
    "through", "to",      "too",    "under",  "until", "up",     "us",     "ve",      "veri",
    "wa",      "want",    "we",     "were",   "what",  "when",   "where",  "whether", "whi",
    "which",   "while",   "who",    "whom",   "whose", "will",   "with",   "within",  "without",
    "would",   "yet",     "you",    "your"};
static_assert(std::ranges::is_sorted(kWords));

}  // namespace

bool is_function_word(std::string_view token) { return std::ranges::binary_search(kWords, token); }

}  // namespace helve::knowledge
