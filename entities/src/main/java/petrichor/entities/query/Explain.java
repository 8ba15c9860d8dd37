package petrichor.entities.query;

import com.google.datastore.v1.ExecutionStats;
import com.google.datastore.v1.ExplainMetrics;
import com.google.datastore.v1.PlanSummary;
import com.google.protobuf.Duration;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Reports which indexes a query scans, and its cost. Stateless. */
final class Explain {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /** This many index entries are billed as one read. */
    private static final long INDEX_ENTRIES_PER_READ = 1_000;

    private Explain() {}

    static ExplainMetrics plan(List<ScanPlan> plans) {
        Set<Struct> indexes = new LinkedHashSet<>();
        for (ScanPlan plan : plans) {
            for (ScanPlan.IndexScan scan : plan.scans()) {
                String scope = scan.ancestors() ? "Includes ancestors" : "Collection group";
                indexes.add(
                        Struct.newBuilder()
                                .putFields("query_scope", text(scope))
                                .putFields("properties", text(scan.name()))
                                .build());
            }
        }
        PlanSummary summary = PlanSummary.newBuilder().addAllIndexesUsed(indexes).build();
        return ExplainMetrics.newBuilder().setPlanSummary(summary).build();
    }

    /** An entity read is billed, and its index entries are not. */
    static ExplainMetrics analyzed(
            List<ScanPlan> plans, Work work, long resultsReturned, long nanos) {
        long documents = work.documentsScanned();
        long entries = work.indexEntriesScanned();
        Struct billing =
                Struct.newBuilder()
                        .putFields("documents_billable", text(documents))
                        .putFields("index_entries_billable", text(documents > 0 ? 0 : entries))
                        .putFields("small_ops", text(0))
                        .putFields("min_query_cost", text(0))
                        .build();
        Struct debug =
                Struct.newBuilder()
                        .putFields("documents_scanned", text(documents))
                        .putFields("index_entries_scanned", text(entries))
                        .putFields(
                                "billing_details",
                                Value.newBuilder().setStructValue(billing).build())
                        .build();
        long reads = documents > 0 ? documents : Math.ceilDiv(entries, INDEX_ENTRIES_PER_READ);
        return plan(plans).toBuilder()
                .setExecutionStats(
                        ExecutionStats.newBuilder()
                                .setResultsReturned(resultsReturned)
                                .setExecutionDuration(duration(nanos))
                                .setReadOperations(Math.max(1, reads))
                                .setDebugStats(debug))
                .build();
    }

    private static Duration duration(long nanos) {
        return Duration.newBuilder()
                .setSeconds(nanos / NANOS_PER_SECOND)
                .setNanos((int) (nanos % NANOS_PER_SECOND))
                .build();
    }

    private static Value text(Object text) {
        return Value.newBuilder().setStringValue(text.toString()).build();
    }
}
