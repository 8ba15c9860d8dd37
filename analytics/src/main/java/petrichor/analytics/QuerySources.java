package petrichor.analytics;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.sql.AnalyticsEngine;
import petrichor.tables.CatalogObject;
import petrichor.tables.StoredTable;

/**
 * Tables, kinds of entities and views whose names occur in a query, or in a view that it reads. A
 * column with the name of a table adds the table, which does no harm.
 *
 * @param views statements that define them, in the order in which they were defined
 */
record QuerySources(List<SegmentSource> sources, List<String> views) {
    private static final Pattern VIEW =
            Pattern.compile("CREATE (?:OR REPLACE )?(?:FORCE )?VIEW (\\S+?)[(\\s]");

    private static final Pattern NAME = Pattern.compile("[\\p{L}_][\\p{L}\\p{N}_$]*");

    QuerySources {
        sources = List.copyOf(sources);
        views = List.copyOf(views);
    }

    static QuerySources of(AnalyticsEngine.Query query, KindSources kinds) {
        Set<String> names = new HashSet<>();
        for (String word : query.words()) {
            names.add(word.replace("\"", "").toLowerCase(Locale.ROOT));
        }
        List<CatalogObject> objects = List.copyOf(query.catalog().objects().values());
        Set<CatalogObject> views = new HashSet<>();
        boolean added = true;
        while (added) {
            added = false;
            for (CatalogObject object : objects) {
                String name = viewName(object);
                if (name != null && names.contains(name) && views.add(object)) {
                    addNames(object.definition(), names);
                    added = true;
                }
            }
        }
        List<SegmentSource> sources = new ArrayList<>();
        for (StoredTable table : query.catalog().tables()) {
            if (names.contains(table.name().toLowerCase(Locale.ROOT))) {
                sources.add(SegmentSource.of(table));
            }
        }
        names.addAll(query.settings().searchPath());
        if (KindSources.mentioned(names)) {
            sources.addAll(kinds.of(query, names));
        }
        return new QuerySources(
                sources,
                objects.stream()
                        .filter(views::contains)
                        .map(
                                view ->
                                        view.definition()
                                                .replaceFirst(
                                                        "CREATE (OR REPLACE )?(FORCE )?",
                                                        "CREATE "))
                        .toList());
    }

    private static void addNames(String definition, Set<String> names) {
        Matcher found = NAME.matcher(definition);
        while (found.find()) {
            names.add(found.group().toLowerCase(Locale.ROOT));
        }
    }

    /** Lower-case and without its schema; null if the object is no view. */
    private static @Nullable String viewName(CatalogObject object) {
        Matcher view = VIEW.matcher(object.definition());
        if (object.table() != null || !view.lookingAt()) {
            return null;
        }
        String name = view.group(1).replace("\"", "");
        return name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    }
}
