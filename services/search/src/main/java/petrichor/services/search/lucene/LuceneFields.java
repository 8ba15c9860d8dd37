package petrichor.services.search.lucene;

import petrichor.services.search.model.SearchFieldType;

/**
 * Names of Lucene fields. A field of a document becomes a Lucene field per type, and its value is
 * also part of a Lucene field over all fields, for searches that name none.
 */
final class LuceneFields {
    static final String ID = "_id";
    static final String RANK = "_rank";
    static final String DOCUMENT = "_document";
    static final String FACETS = "_facets";

    /** Over all fields of a document. */
    static final String ALL_WORDS = "*t";

    static final String ALL_STEMS = "*s";
    static final String ALL_ATOMS = "*a";
    static final String ALL_NUMBERS = "*n";
    static final String ALL_DAYS = "*d";

    private LuceneFields() {}

    static String words(String name) {
        return "t." + name;
    }

    static String stems(String name) {
        return "s." + name;
    }

    static String atom(String name) {
        return "a." + name;
    }

    /** Each prefix of each word, at the position of the word. */
    static String wordPrefixes(String name) {
        return "p." + name;
    }

    static String prefix(String name) {
        return "u." + name;
    }

    /** Indexed numbers, and the number by which documents are sorted. */
    static String number(String name) {
        return "n." + name;
    }

    /** Indexed days, and the milliseconds by which documents are sorted. */
    static String date(String name) {
        return "d." + name;
    }

    static String points(String name) {
        return "g." + name;
    }

    /** The first point, by whose distance documents are sorted. */
    static String firstPoint(String name) {
        return "o.g." + name;
    }

    /** The text by which documents are sorted. */
    static String sortText(String name) {
        return "o.t." + name;
    }

    static String facetLabel(String name) {
        return "fl." + name;
    }

    static String facetAmount(String name) {
        return "fn." + name;
    }

    /** Whether documents with a value of this type have a text to sort by. */
    static boolean sortsAsText(SearchFieldType type) {
        return switch (type) {
            case HTML, ATOM, TEXT -> true;
            case DATE, NUMBER, GEO, UNTOKENIZED_PREFIX, TOKENIZED_PREFIX, VECTOR -> false;
        };
    }
}
