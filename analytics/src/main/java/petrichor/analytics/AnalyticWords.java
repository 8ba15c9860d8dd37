package petrichor.analytics;

import java.util.Set;

/** Words of queries that read many rows to compute few. */
final class AnalyticWords {
    static final Set<String> ALL =
            Set.of(
                    "JOIN",
                    "GROUP",
                    "DISTINCT",
                    "OVER",
                    "COUNT",
                    "SUM",
                    "AVG",
                    "MIN",
                    "MAX",
                    "STDDEV",
                    "VARIANCE",
                    "PERCENTILE_CONT",
                    "MEDIAN",
                    "UNION",
                    "EXISTS");

    private AnalyticWords() {}
}
