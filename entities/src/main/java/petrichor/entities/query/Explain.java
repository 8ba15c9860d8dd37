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

/** Tells users which indexes a query walks and what it cost. Stateless. */
final class Explain {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private Explain() {}

    static ExplainMetrics plan(List<ScanPlan> plans) {
        Set<String> names = new LinkedHashSet<>();
        for (ScanPlan plan : plans) {
            plan.scans().forEach(scan -> names.add(scan.name()));
        }
        PlanSummary.Builder summary = PlanSummary.newBuilder();
        for (String name : names) {
            summary.addIndexesUsed(
                    Struct.newBuilder()
                            .putFields("query_scope", text("Collection group"))
                            .putFields("properties", text(name)));
        }
        return ExplainMetrics.newBuilder().setPlanSummary(summary).build();
    }

    static ExplainMetrics analyzed(
            List<ScanPlan> plans, Work work, long resultsReturned, long nanos) {
        // What Datastore would bill: an entity is one read, so are up to 1000 index entries.
        long indexReads = Math.ceilDiv(work.indexEntriesScanned, 1000);
        Struct billing =
                Struct.newBuilder()
                        .putFields("documents_billable", text(work.documentsScanned))
                        .putFields("index_entries_billable", text(work.indexEntriesScanned))
                        .putFields("small_ops", text(0))
                        .putFields("min_query_cost", text(0))
                        .build();
        return plan(plans).toBuilder()
                .setExecutionStats(
                        ExecutionStats.newBuilder()
                                .setResultsReturned(resultsReturned)
                                .setExecutionDuration(
                                        Duration.newBuilder()
                                                .setSeconds(nanos / NANOS_PER_SECOND)
                                                .setNanos((int) (nanos % NANOS_PER_SECOND)))
                                .setReadOperations(
                                        Math.max(
                                                1,
                                                work.documentsScanned > 0
                                                        ? work.documentsScanned
                                                        : indexReads))
                                .setDebugStats(
                                        Struct.newBuilder()
                                                .putFields(
                                                        "documents_scanned",
                                                        text(work.documentsScanned))
                                                .putFields(
                                                        "index_entries_scanned",
                                                        text(work.indexEntriesScanned))
                                                .putFields("index_seeks", text(work.seeks))
                                                .putFields(
                                                        "billing_details",
                                                        Value.newBuilder()
                                                                .setStructValue(billing)
                                                                .build())))
                .build();
    }

    private static Value text(Object text) {
        return Value.newBuilder().setStringValue(text.toString()).build();
    }
}
