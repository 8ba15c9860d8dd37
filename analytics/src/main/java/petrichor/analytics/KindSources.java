package petrichor.analytics;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import petrichor.sql.AnalyticsEngine;
import petrichor.sql.SqlException;
import petrichor.sql.SqlState;
import petrichor.sql.entities.EntityColumns;
import petrichor.sql.entities.Kinds;
import petrichor.sql.entities.PropertyType;
import petrichor.transactions.Database;
import petrichor.transactions.Snapshot;

/**
 * The kinds of entities that queries name, with columns that are at most as old as those of the
 * engine for transactions. Thread-safe.
 */
final class KindSources {
    /** How far the version at which columns were found may be from the one of a query. */
    private static final long AGE_MICROS_MAX = 2_000_000;

    private static final int KINDS_MAX = 1_000;

    private record Found(long version, SegmentSource source) {}

    /** What is known of one open database. */
    private static final class Known {
        private final Map<String, Map<String, PropertyType>> widened = new HashMap<>();

        private final Map<String, Found> found =
                new LinkedHashMap<>(16, 0.75f, true) {
                    private static final long serialVersionUID = 1L;

                    @Override
                    protected boolean removeEldestEntry(Map.Entry<String, Found> eldest) {
                        return size() > KINDS_MAX;
                    }
                };
    }

    private final Map<Database, Known> databases = new WeakHashMap<>();

    /** Whether a query may name kinds. */
    static boolean mentioned(Collection<String> lowerCaseNames) {
        return lowerCaseNames.stream().anyMatch(name -> name.startsWith(Kinds.SCHEMA));
    }

    /**
     * Kinds whose names, and those of their schemas, occur in a query.
     *
     * @param names lower-case and without quotes
     */
    List<SegmentSource> of(AnalyticsEngine.Query query, Set<String> names) {
        List<SegmentSource> sources = new ArrayList<>();
        try (Snapshot snapshot = query.database().snapshotAt(query.version())) {
            Kinds kinds = new Kinds(snapshot);
            List<String> namespaces =
                    kinds.namespaces().stream().filter(name -> named(name, names)).toList();
            for (String namespace : unambiguous(namespaces, query.words(), "namespaces")) {
                List<String> named =
                        kinds.kinds(namespace).stream()
                                .filter(kind -> names.contains(kind.toLowerCase(Locale.ROOT)))
                                .toList();
                for (String kind : unambiguous(named, query.words(), "kinds")) {
                    sources.add(source(query, kinds, namespace, kind));
                }
            }
        }
        return sources;
    }

    /** In a query the name of the schema is one word; in a view it may be two. */
    private static boolean named(String namespace, Set<String> names) {
        String schema = Kinds.schema(namespace).toLowerCase(Locale.ROOT);
        return names.contains(schema)
                || (names.contains(Kinds.SCHEMA)
                        && names.contains(namespace.toLowerCase(Locale.ROOT)));
    }

    /**
     * DuckDB's names are the same in any case; if several match, the query must have an exact one.
     */
    private static List<String> unambiguous(List<String> names, List<String> words, String what) {
        Map<String, List<String>> similar = new LinkedHashMap<>();
        for (String name : names) {
            similar.computeIfAbsent(name.toLowerCase(Locale.ROOT), _ -> new ArrayList<>())
                    .add(name);
        }
        List<String> chosen = new ArrayList<>();
        for (List<String> same : similar.values()) {
            List<String> exact =
                    same.size() == 1
                            ? same
                            : same.stream()
                                    .filter(
                                            name ->
                                                    words.stream()
                                                            .anyMatch(word -> exact(word, name)))
                                    .toList();
            if (exact.size() != 1) {
                throw new SqlException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "the analytics engine does not distinguish these "
                                + what
                                + " by case: "
                                + String.join(", ", same),
                        "Quote the exact name of one of them, or SET petrichor.engine ="
                                + " 'transactions'.",
                        0,
                        null);
            }
            chosen.addAll(exact);
        }
        return chosen;
    }

    private static boolean exact(String word, String name) {
        return word.equals('"' + name + '"') || word.equals('"' + Kinds.schema(name) + '"');
    }

    private SegmentSource source(
            AnalyticsEngine.Query query, Kinds kinds, String namespace, String kind) {
        String key = key(namespace, kind);
        Map<String, PropertyType> wider;
        synchronized (this) {
            Known known = known(query.database());
            Found last = known.found.get(key);
            if (last != null && Math.abs(last.version - query.version()) < AGE_MICROS_MAX) {
                return last.source;
            }
            wider = Map.copyOf(known.widened.getOrDefault(key, Map.of()));
        }
        SegmentSource source =
                SegmentSource.of(
                        new EntityColumns(
                                Kinds.home(query.database().name(), namespace),
                                kind,
                                kinds.columns(namespace, kind, wider)));
        synchronized (this) {
            known(query.database()).found.put(key, new Found(query.version(), source));
        }
        return source;
    }

    private synchronized Known known(Database database) {
        return databases.computeIfAbsent(database, _ -> new Known());
    }

    private static String key(String namespace, String kind) {
        return namespace + '\0' + kind;
    }

    /** From now on, the columns have types for these values, too. */
    synchronized void widen(
            Database database, EntityColumns kind, Map<String, PropertyType> types) {
        Known known = known(database);
        String key = key(kind.home().getNamespaceId(), kind.kind());
        known.widened.computeIfAbsent(key, _ -> new HashMap<>()).putAll(types);
        known.found.remove(key);
    }
}
