package petrichor.services.search.model;

import java.util.EnumSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import petrichor.services.search.text.Stemmers;

/**
 * The names and types of the fields that the documents of an index have or had, and the languages
 * of their texts for which there is a stemmer. Immutable.
 */
public final class IndexSchema {
    public static final IndexSchema EMPTY = new IndexSchema(new TreeMap<>(), new TreeSet<>());

    private final SortedMap<String, Set<SearchFieldType>> fields;
    private final SortedSet<String> languages;

    public IndexSchema(
            SortedMap<String, Set<SearchFieldType>> fields, SortedSet<String> languages) {
        this.fields = fields;
        this.languages = languages;
    }

    /** Sorted by name; not to be changed. */
    public SortedMap<String, Set<SearchFieldType>> fields() {
        return fields;
    }

    /** Sorted; not to be changed. */
    public SortedSet<String> languages() {
        return languages;
    }

    /** Empty if no document has such a field. */
    public Set<SearchFieldType> types(String name) {
        return fields.getOrDefault(name, Set.of());
    }

    /** This object if the document adds nothing. */
    public IndexSchema with(SearchDocument document) {
        TreeMap<String, Set<SearchFieldType>> moreFields = null;
        TreeSet<String> moreLanguages = null;
        for (SearchField field : document.fields()) {
            SearchFieldType type = field.value().type();
            Set<SearchFieldType> known =
                    (moreFields == null ? fields : moreFields).getOrDefault(field.name(), Set.of());
            if (!known.contains(type)) {
                moreFields = moreFields == null ? new TreeMap<>(fields) : moreFields;
                EnumSet<SearchFieldType> more = EnumSet.of(type);
                more.addAll(known);
                moreFields.put(field.name(), more);
            }
            String language = type.textual() ? Stemmers.supported(document.language(field)) : null;
            if (language != null
                    && !languages.contains(language)
                    && (moreLanguages == null || !moreLanguages.contains(language))) {
                moreLanguages = moreLanguages == null ? new TreeSet<>(languages) : moreLanguages;
                moreLanguages.add(language);
            }
        }
        return moreFields == null && moreLanguages == null
                ? this
                : new IndexSchema(
                        moreFields == null ? fields : moreFields,
                        moreLanguages == null ? languages : moreLanguages);
    }
}
