package petrichor.services.search.lucene;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.FieldExistsQuery;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.jspecify.annotations.Nullable;
import petrichor.services.search.model.IndexSchema;
import petrichor.services.search.model.SearchFieldType;
import petrichor.services.search.query.Condition;
import petrichor.services.search.text.Folding;
import petrichor.services.search.text.Stemmers;
import petrichor.services.search.text.Words;

/** Values of a query as Lucene queries over words. Confined to one thread. */
final class WordQueries {
    /**
     * A value of several words, such as real-time, must occur in one field. In an index with more
     * fields than this, its words may occur in several fields.
     */
    private static final int FIELDS_MAX = 64;

    private final IndexSchema schema;
    private final boolean perField;
    private final Stemmers stemmers = new Stemmers();
    private final List<String> texts = new ArrayList<>();

    /** Conditions of the last query, beyond the first. */
    private int conditions;

    WordQueries(IndexSchema schema, boolean perField) {
        this.schema = schema;
        this.perField = perField;
        schema.fields()
                .forEach(
                        (name, types) -> {
                            if (types.contains(SearchFieldType.TEXT)
                                    || types.contains(SearchFieldType.HTML)) {
                                texts.add(name);
                            }
                        });
    }

    int conditions() {
        return conditions;
    }

    /** In any text; null if the value has no words that a text could contain. */
    @Nullable Query anywhere(Condition.Value value) {
        conditions = 0;
        List<List<String>> groups = groups(value);
        if (groups.isEmpty()) {
            return value.text().isEmpty() ? null : new FieldExistsQuery(LuceneFields.ALL_WORDS);
        }
        boolean separate = perField || groups.size() > 1;
        if (!separate || texts.isEmpty() || texts.size() > FIELDS_MAX) {
            return allOf(LuceneFields.ALL_WORDS, LuceneFields.ALL_STEMS, value, groups);
        }
        BooleanQuery.Builder any = new BooleanQuery.Builder();
        for (String name : texts) {
            any.add(
                    allOf(LuceneFields.words(name), LuceneFields.stems(name), value, groups),
                    Occur.SHOULD);
            conditions += groups.size();
        }
        return any.build();
    }

    /** In the texts of this field; null if the value has no words. */
    @Nullable Query inField(String name, Condition.Value value) {
        List<List<String>> groups = groups(value);
        if (groups.isEmpty()) {
            return value.text().isEmpty() ? null : new FieldExistsQuery(LuceneFields.words(name));
        }
        return allOf(LuceneFields.words(name), LuceneFields.stems(name), value, groups);
    }

    /** Words that start with those of the value; null if it has none. */
    @Nullable Query inPrefixes(String name, Condition.Value value) {
        List<List<String>> groups = groups(value);
        String field = LuceneFields.wordPrefixes(name);
        if (groups.size() == 1 && groups.getFirst().size() == 1) {
            return prefix(field, groups.getFirst().getFirst());
        }
        if (groups.isEmpty()) {
            return null;
        }
        BooleanQuery.Builder all = new BooleanQuery.Builder();
        for (List<String> group : groups) {
            List<String> cut =
                    group.stream()
                            .map(
                                    term ->
                                            term.length() > DocumentMapping.PREFIX_CHARS_MAX
                                                    ? term.substring(
                                                            0, DocumentMapping.PREFIX_CHARS_MAX)
                                                    : term)
                            .toList();
            all.add(phrase(field, cut), Occur.MUST);
        }
        return all.build();
    }

    private static Query prefix(String field, String term) {
        return term.length() > DocumentMapping.PREFIX_CHARS_MAX
                ? new PrefixQuery(new Term(field, term))
                : new TermQuery(new Term(field, term));
    }

    /** Values of the field that start with this one; null if it is empty. */
    @Nullable Query atStart(String name, Condition.Value value) {
        String start = Folding.fold(value.text()).strip();
        return start.isEmpty() ? null : new PrefixQuery(new Term(LuceneFields.prefix(name), start));
    }

    /** Words that must follow each other; each group must occur. */
    private static List<List<String>> groups(Condition.Value value) {
        List<List<String>> groups = new ArrayList<>();
        boolean phrase = value instanceof Condition.Phrase;
        for (Words.Word word : Words.of(value.text())) {
            if (groups.isEmpty() || !(phrase || word.joined())) {
                groups.add(new ArrayList<>());
            }
            groups.getLast().add(word.term());
        }
        return groups;
    }

    private Query allOf(
            String field, String stems, Condition.Value value, List<List<String>> groups) {
        if (groups.size() == 1) {
            return one(field, stems, value, groups.getFirst());
        }
        BooleanQuery.Builder all = new BooleanQuery.Builder();
        groups.forEach(group -> all.add(one(field, stems, value, group), Occur.MUST));
        return all.build();
    }

    private Query one(String field, String stems, Condition.Value value, List<String> group) {
        return switch (value) {
            case Condition.Term _, Condition.Phrase _ -> phrase(field, group);
            case Condition.Stem _ -> {
                BooleanQuery.Builder all = new BooleanQuery.Builder();
                group.forEach(term -> all.add(stem(field, stems, term), Occur.MUST));
                yield all.build();
            }
        };
    }

    private static Query phrase(String field, List<String> terms) {
        return terms.size() == 1
                ? new TermQuery(new Term(field, terms.getFirst()))
                : new PhraseQuery(field, terms.toArray(new String[0]));
    }

    /** The word itself, and words with its stem in any language of the index. */
    private Query stem(String field, String stems, String term) {
        Set<String> alternatives = new LinkedHashSet<>();
        schema.languages().forEach(language -> alternatives.add(stemmers.stem(language, term)));
        BooleanQuery.Builder any = new BooleanQuery.Builder();
        any.add(new TermQuery(new Term(field, term)), Occur.SHOULD);
        for (String alternative : alternatives) {
            any.add(new TermQuery(new Term(stems, alternative)), Occur.SHOULD);
        }
        conditions += alternatives.size();
        return any.build();
    }
}
