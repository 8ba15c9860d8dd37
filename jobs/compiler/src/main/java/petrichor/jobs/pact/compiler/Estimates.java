package petrichor.jobs.pact.compiler;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.jobgraph.SourceEstimate;
import petrichor.jobs.pact.Contract;
import petrichor.jobs.pact.PactNode;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.RecordType;

/**
 * Estimates the number and length of the records that each contract of a plan emits: from hints
 * where there are some, from sources that know their size, otherwise by rules of thumb. Wrong
 * estimates cost time, but never change a result.
 */
final class Estimates {
    /** For a source of unknown size: large enough to be partitioned. */
    static final double RECORDS_UNKNOWN = 1_000_000;

    private static final double FILTER_KEEPS = 0.5;
    private static final double RECORDS_PER_KEY = 10;
    private static final double TEXT_BYTES = 16;

    private final Uniqueness uniqueness;
    private final Map<PactNode, Size> sizes = new LinkedHashMap<>();
    private final Map<PactNode, SourceEstimate> estimates = new HashMap<>();

    Estimates(Uniqueness uniqueness) {
        this.uniqueness = uniqueness;
    }

    Size of(PactNode node) {
        var known = sizes.get(node);
        if (known == null) {
            known = estimate(node);
            sizes.put(node, known);
        }
        return known;
    }

    /** The number of distinct values of these fields. */
    double distinct(PactNode node, Set<Integer> fields) {
        double records = of(node).records();
        var hinted = node.hints().distinct().get(fields);
        if (hinted != null) {
            return Math.min(hinted, records);
        }
        if (fields.isEmpty()) {
            return Math.min(1, records);
        }
        if (uniqueness.isUnique(node, fields)) {
            return records;
        }
        for (int input = 0; input < node.inputs().size(); input++) {
            var origins = new HashSet<Integer>();
            for (int field : fields) {
                var origin = node.promises().originOf(input, field);
                if (origin.isPresent()) {
                    origins.add(origin.getAsInt());
                }
            }
            if (origins.size() == fields.size()) {
                return Math.min(distinct(node.inputs().get(input), origins), records);
            }
        }
        return Math.max(Math.min(1, records), records / RECORDS_PER_KEY);
    }

    private Size estimate(PactNode node) {
        double bytes = bytesPerRecord(node);
        var hinted = node.hints().records();
        if (hinted != null) {
            return new Size(hinted, bytes);
        }
        return new Size(records(node, bytes), bytes);
    }

    private double records(PactNode node, double bytesPerRecord) {
        var perCall = node.hints().recordsPerCall();
        double emitted = perCall == null ? 1 : perCall;
        return switch (node.contract()) {
            case Contract.Input(var source) -> ofSource(estimates(node, source), bytesPerRecord);
            case Contract.Kept _ -> RECORDS_UNKNOWN;
            case Contract.Map(var _, var filter) ->
                    input(node, 0).records() * (filter && perCall == null ? FILTER_KEEPS : emitted);
            case Contract.Reduce(var key, var _, var _, var _) -> groups(node, 0, key) * emitted;
            case Contract.Aggregated(var aggregation) ->
                    distinct(node.inputs().getFirst(), Set.copyOf(aggregation.keys()));
            case Contract.Match(var first, var second, var _) ->
                    input(node, 0).records()
                            * input(node, 1).records()
                            / Math.max(1, Math.max(groups(node, 0, first), groups(node, 1, second)))
                            * emitted;
            case Contract.Cross _ -> input(node, 0).records() * input(node, 1).records() * emitted;
            case Contract.CoGroup(var first, var second, var _) ->
                    Math.max(groups(node, 0, first), groups(node, 1, second)) * emitted;
            case Contract.Union _ ->
                    node.inputs().stream().mapToDouble(in -> of(in).records()).sum();
            case Contract.First(var number, var _) ->
                    Math.min((double) number, input(node, 0).records());
            case Contract.Ordered _, Contract.Output _ -> input(node, 0).records();
        };
    }

    /** Cached: a source may have to read a sample. */
    private SourceEstimate estimates(PactNode node, Source source) {
        return estimates.computeIfAbsent(node, _ -> source.estimate());
    }

    private static double ofSource(SourceEstimate estimates, double bytesPerRecord) {
        if (estimates.records() != SourceEstimate.NOT_KNOWN) {
            return estimates.records();
        }
        return estimates.bytes() == SourceEstimate.NOT_KNOWN
                ? RECORDS_UNKNOWN
                : estimates.bytes() / bytesPerRecord;
    }

    private double groups(PactNode node, int input, Key key) {
        return distinct(node.inputs().get(input), KeyFields.set(key));
    }

    private Size input(PactNode node, int input) {
        return of(node.inputs().get(input));
    }

    private double bytesPerRecord(PactNode node) {
        var hinted = node.hints().bytesPerRecord();
        if (hinted != null) {
            return hinted;
        }
        if (node.contract() instanceof Contract.Input(var source)) {
            var estimates = estimates(node, source);
            if (estimates.records() > 0 && estimates.bytes() > 0) {
                return (double) estimates.bytes() / estimates.records();
            }
        }
        boolean sameType =
                !node.inputs().isEmpty() && node.inputs().getFirst().type().equals(node.type());
        return sameType ? of(node.inputs().getFirst()).bytesPerRecord() : bytesOf(node.type());
    }

    static double bytesOf(RecordType type) {
        double bytes = type.fixedBytes();
        for (var field : type.fields()) {
            bytes +=
                    switch (field.type()) {
                        case TEXT, BYTES -> TEXT_BYTES;
                        case BOOLEAN, INT32, INT64, FLOAT64 -> 0;
                    };
        }
        return bytes;
    }
}
