package petrichor.bench.services;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import petrichor.services.search.model.FieldValue;
import petrichor.services.search.model.SearchDocument;
import petrichor.services.search.model.SearchFacet;
import petrichor.services.search.model.SearchField;
import petrichor.services.search.model.SearchFieldType;

/**
 * Generated products: a title, a description of 40 words, numbers, a place, facets. The frequency
 * of a word falls with its rank, as in natural text. Confined to one thread.
 */
final class SearchDocuments {
    private static final int VOCABULARY = 20_000;
    private static final int FREQUENT = 20;
    private static final int TITLE_WORDS = 5;
    private static final int DESCRIPTION_WORDS = 40;
    private static final String[] SYLLABLES = {
        "ba", "do", "fe", "gu", "ka", "li", "mo", "nu", "pe", "ra", "so", "ti", "va", "we", "xi"
    };

    private final Random random;
    private final String[] vocabulary = new String[VOCABULARY];

    SearchDocuments(Random random) {
        this.random = random;
        for (int i = 0; i < VOCABULARY; i++) {
            StringBuilder word = new StringBuilder();
            for (int rest = i + SYLLABLES.length; rest > 0; rest /= SYLLABLES.length) {
                word.append(SYLLABLES[rest % SYLLABLES.length]);
            }
            vocabulary[i] = word.toString();
        }
    }

    /** Zipf's law. */
    String word() {
        return vocabulary[(int) Math.pow(VOCABULARY, random.nextDouble()) - 1];
    }

    String frequentWord() {
        return vocabulary[random.nextInt(FREQUENT)];
    }

    String phrase() {
        return frequentWord() + " " + frequentWord();
    }

    private String words(int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(i == 0 ? "" : " ").append(word());
        }
        return text.toString();
    }

    List<SearchDocument> documents(int from, int count) {
        List<SearchDocument> documents = new ArrayList<>();
        for (int i = from; i < from + count; i++) {
            documents.add(document(i));
        }
        return documents;
    }

    private SearchDocument document(int number) {
        String title = words(TITLE_WORDS);
        String brand = "b" + random.nextInt(50);
        List<SearchField> fields =
                List.of(
                        text("title", SearchFieldType.TEXT, title),
                        text("description", SearchFieldType.HTML, words(DESCRIPTION_WORDS)),
                        text("brand", SearchFieldType.ATOM, brand),
                        text("name", SearchFieldType.TOKENIZED_PREFIX, title),
                        new SearchField(
                                "price", new FieldValue.Numeric(random.nextInt(100_000) / 100.0)),
                        new SearchField("stock", new FieldValue.Numeric(random.nextInt(100))),
                        new SearchField(
                                "place",
                                new FieldValue.GeoPoint(
                                        48 + 6 * random.nextDouble(),
                                        8 + 6 * random.nextDouble())));
        List<SearchFacet> facets =
                List.of(
                        new SearchFacet("brand", new SearchFacet.Label(brand)),
                        new SearchFacet("stock", new SearchFacet.Amount(random.nextInt(100))));
        return new SearchDocument("d" + number, "en", number, fields, facets);
    }

    private static SearchField text(String name, SearchFieldType type, String text) {
        return new SearchField(name, new FieldValue.Text(type, text));
    }
}
