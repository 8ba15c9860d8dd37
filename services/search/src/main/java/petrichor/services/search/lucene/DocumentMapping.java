package petrichor.services.search.lucene;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.lucene.document.BinaryDocValuesField;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.DoublePoint;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.LatLonPoint;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.SortedDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.geo.GeoEncodingUtils;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.util.BytesRef;
import petrichor.services.search.model.DocumentCodec;
import petrichor.services.search.model.FieldValue;
import petrichor.services.search.model.SearchDocument;
import petrichor.services.search.model.SearchFacet;
import petrichor.services.search.model.SearchField;
import petrichor.services.search.model.SearchFieldType;
import petrichor.services.search.text.Folding;
import petrichor.services.search.text.HtmlText;
import petrichor.services.search.text.Stemmers;
import petrichor.services.search.text.Words;

/** A document as a Lucene document. Confined to one thread. */
final class DocumentMapping {
    /** Longer prefixes of a word are not indexed by themselves. */
    static final int PREFIX_CHARS_MAX = 32;

    /** Documents are sorted by the start of a text. */
    static final int SORT_CHARS_MAX = 200;

    private static final FieldType WORDS = type(IndexOptions.DOCS_AND_FREQS_AND_POSITIONS, false);
    private static final FieldType PREFIXES = type(IndexOptions.DOCS_AND_FREQS_AND_POSITIONS, true);
    private static final FieldType TERMS = type(IndexOptions.DOCS, true);

    private final Stemmers stemmers = new Stemmers();

    private static FieldType type(IndexOptions options, boolean omitNorms) {
        FieldType type = new FieldType();
        type.setTokenized(true);
        type.setIndexOptions(options);
        type.setOmitNorms(omitNorms);
        type.freeze();
        return type;
    }

    Document map(SearchDocument document) {
        Document mapped = new Document();
        mapped.add(new StringField(LuceneFields.ID, document.id(), Field.Store.NO));
        mapped.add(new SortedDocValuesField(LuceneFields.ID, new BytesRef(document.id())));
        mapped.add(new NumericDocValuesField(LuceneFields.RANK, document.rank()));
        mapped.add(new StoredField(LuceneFields.DOCUMENT, DocumentCodec.encode(document)));
        for (SearchField field : document.fields()) {
            add(mapped, document, field);
        }
        addSortValues(mapped, document);
        addFacets(mapped, document.facets());
        return mapped;
    }

    private void add(Document mapped, SearchDocument document, SearchField field) {
        String name = field.name();
        switch (field.value()) {
            case FieldValue.Text text -> addText(mapped, name, text, document.language(field));
            case FieldValue.Numeric(double number) -> {
                mapped.add(new DoublePoint(LuceneFields.number(name), number));
                mapped.add(new DoublePoint(LuceneFields.ALL_NUMBERS, number));
                mapped.add(
                        new NumericDocValuesField(
                                LuceneFields.number(name), Double.doubleToRawLongBits(number)));
            }
            case FieldValue.Date date -> {
                mapped.add(new LongPoint(LuceneFields.date(name), date.epochDay()));
                mapped.add(new LongPoint(LuceneFields.ALL_DAYS, date.epochDay()));
                mapped.add(new NumericDocValuesField(LuceneFields.date(name), date.epochMillis()));
            }
            case FieldValue.GeoPoint point ->
                    mapped.add(
                            new LatLonPoint(
                                    LuceneFields.points(name),
                                    point.latitude(),
                                    point.longitude()));
            case FieldValue.Vector _ -> {}
        }
    }

    private void addText(Document mapped, String name, FieldValue.Text text, String language) {
        switch (text.type()) {
            case ATOM -> {
                String atom = Folding.lower(text.text());
                mapped.add(new StringField(LuceneFields.atom(name), atom, Field.Store.NO));
                mapped.add(new StringField(LuceneFields.ALL_ATOMS, atom, Field.Store.NO));
            }
            case TEXT -> addWords(mapped, name, text.text(), language);
            case HTML -> addWords(mapped, name, HtmlText.of(text.text()), language);
            case UNTOKENIZED_PREFIX ->
                    mapped.add(
                            new StringField(
                                    LuceneFields.prefix(name),
                                    Folding.fold(text.text()).strip(),
                                    Field.Store.NO));
            case TOKENIZED_PREFIX ->
                    mapped.add(
                            new Field(
                                    LuceneFields.wordPrefixes(name),
                                    new WordStream(prefixes(text.text())),
                                    PREFIXES));
            case DATE, NUMBER, GEO, VECTOR -> throw new IllegalStateException("not textual");
        }
    }

    private void addWords(Document mapped, String name, String text, String language) {
        List<WordStream.Entry> entries = new ArrayList<>();
        Set<String> stems = new HashSet<>();
        for (Words.Word word : Words.of(text)) {
            entries.add(
                    new WordStream.Entry(
                            word.term(), entries.isEmpty() ? WordStream.VALUE_GAP : 1));
            stems.add(stemmers.stem(language, word.term()));
        }
        mapped.add(new Field(LuceneFields.words(name), new WordStream(entries), WORDS));
        mapped.add(new Field(LuceneFields.ALL_WORDS, new WordStream(entries), WORDS));
        List<WordStream.Entry> stemmed =
                stems.stream().map(stem -> new WordStream.Entry(stem, 1)).toList();
        mapped.add(new Field(LuceneFields.stems(name), new WordStream(stemmed), TERMS));
        mapped.add(new Field(LuceneFields.ALL_STEMS, new WordStream(stemmed), TERMS));
    }

    private static List<WordStream.Entry> prefixes(String text) {
        List<WordStream.Entry> entries = new ArrayList<>();
        for (Words.Word word : Words.of(text)) {
            String term = word.term();
            int increment = entries.isEmpty() ? WordStream.VALUE_GAP : 1;
            for (int end = 1; end <= Math.min(term.length(), PREFIX_CHARS_MAX); end++) {
                if (end == term.length() || !Character.isLowSurrogate(term.charAt(end))) {
                    entries.add(new WordStream.Entry(term.substring(0, end), increment));
                    increment = 0;
                }
            }
            if (term.length() > PREFIX_CHARS_MAX) {
                entries.add(new WordStream.Entry(term, 0));
            }
        }
        return entries;
    }

    /** The first HTML, atom or text of each name, and the first point. */
    private static void addSortValues(Document mapped, SearchDocument document) {
        Set<String> done = new HashSet<>();
        for (SearchField field : document.fields()) {
            String name = field.name();
            SearchFieldType type = field.value().type();
            if (LuceneFields.sortsAsText(type) && done.add("t" + name)) {
                String text = sortText(document, name);
                // Without a text, a document is sorted like one with an empty text.
                if (!text.isEmpty()) {
                    mapped.add(
                            new SortedDocValuesField(
                                    LuceneFields.sortText(name), new BytesRef(text)));
                }
            }
            if (field.value() instanceof FieldValue.GeoPoint point && done.add("g" + name)) {
                mapped.add(
                        new NumericDocValuesField(LuceneFields.firstPoint(name), encoded(point)));
            }
        }
    }

    private static String sortText(SearchDocument document, String name) {
        for (SearchFieldType type :
                List.of(SearchFieldType.HTML, SearchFieldType.ATOM, SearchFieldType.TEXT)) {
            SearchField field = document.first(name, type::equals);
            if (field != null && field.value() instanceof FieldValue.Text text) {
                return cut(text.text());
            }
        }
        return "";
    }

    /** Valid UTF-16 of at most the sortable length. */
    static String cut(String text) {
        if (text.length() <= SORT_CHARS_MAX) {
            return text;
        }
        boolean split = Character.isHighSurrogate(text.charAt(SORT_CHARS_MAX - 1));
        return text.substring(0, split ? SORT_CHARS_MAX - 1 : SORT_CHARS_MAX);
    }

    static long encoded(FieldValue.GeoPoint point) {
        long latitude = GeoEncodingUtils.encodeLatitude(point.latitude());
        long longitude = GeoEncodingUtils.encodeLongitude(point.longitude());
        return (latitude << Integer.SIZE) | (longitude & 0xFFFF_FFFFL);
    }

    static FieldValue.GeoPoint decoded(long encoded) {
        return new FieldValue.GeoPoint(
                GeoEncodingUtils.decodeLatitude((int) (encoded >> Integer.SIZE)),
                GeoEncodingUtils.decodeLongitude((int) encoded));
    }

    private static void addFacets(Document mapped, List<SearchFacet> facets) {
        if (facets.isEmpty()) {
            return;
        }
        mapped.add(
                new BinaryDocValuesField(
                        LuceneFields.FACETS, new BytesRef(DocumentCodec.encodeFacets(facets))));
        for (SearchFacet facet : facets) {
            switch (facet.value()) {
                case SearchFacet.Label(String text) ->
                        mapped.add(
                                new StringField(
                                        LuceneFields.facetLabel(facet.name()),
                                        text,
                                        Field.Store.NO));
                case SearchFacet.Amount(double number) ->
                        mapped.add(new DoublePoint(LuceneFields.facetAmount(facet.name()), number));
            }
        }
    }
}
