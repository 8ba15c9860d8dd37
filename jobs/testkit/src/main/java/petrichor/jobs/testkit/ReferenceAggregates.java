package petrichor.jobs.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import petrichor.jobs.records.Accumulator;
import petrichor.jobs.records.Aggregation;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.KeyOrder;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/** Straightforward implementation of grouping and built-in aggregates. */
final class ReferenceAggregates {
    private ReferenceAggregates() {}

    static List<RecordView> aggregate(
            Aggregation aggregation,
            Aggregation.Step step,
            RecordType type,
            List<RecordView> input) {
        var accumulator = Accumulator.of(aggregation, step, type);
        var partials = new LinkedHashMap<List<String>, RecordView>();
        for (var record : input) {
            var key = new ArrayList<String>();
            for (int field : accumulator.inputKeys()) {
                key.add(shown(record, field));
            }
            var partial = partials.get(key);
            if (partial == null) {
                var builder = new RecordBuilder(accumulator.partialType());
                accumulator.begin(record, builder.start());
                partials.put(key, builder.finish().copy());
            } else if (!accumulator.add(record, partial)) {
                var builder = new RecordBuilder(accumulator.partialType());
                accumulator.grow(record, partial, builder);
                partials.put(key, builder.finish().copy());
            }
        }
        var results = new ArrayList<RecordView>();
        for (var partial : partials.values()) {
            var builder = new RecordBuilder(accumulator.outputType());
            accumulator.finish(partial, builder.start());
            results.add(builder.finish().copy());
        }
        return results;
    }

    /** Groups by a key, in key order. */
    static List<List<RecordView>> groups(Key key, List<RecordView> input) {
        if (input.isEmpty()) {
            return List.of();
        }
        var order = KeyOrder.of(key, input.getFirst().type());
        var groups = new TreeMap<RecordView, List<RecordView>>(order::compare);
        input.forEach(record -> groups.computeIfAbsent(record, _ -> new ArrayList<>()).add(record));
        return List.copyOf(groups.values());
    }

    /** Groups adjacent records, as the engine does without a sort. */
    static List<List<RecordView>> adjacent(Key key, List<RecordView> input) {
        var groups = new ArrayList<List<RecordView>>();
        for (var record : input) {
            boolean same =
                    !groups.isEmpty()
                            && KeyOrder.of(key, record.type())
                                    .equal(groups.getLast().getFirst(), record);
            if (!same) {
                groups.add(new ArrayList<>());
            }
            groups.getLast().add(record);
        }
        return groups;
    }

    static Map<String, Integer> counted(List<String> rows) {
        var counts = new TreeMap<String, Integer>();
        rows.forEach(row -> counts.merge(row, 1, Integer::sum));
        return counts;
    }

    private static String shown(RecordView record, int field) {
        var type = record.type();
        if (record.isNull(field)) {
            return "null";
        }
        return switch (type.type(field)) {
            case BOOLEAN -> "b" + record.bool(field);
            case INT32, INT64 -> "i" + record.int64(field);
            case FLOAT64 -> "f" + record.float64(field);
            case TEXT -> "t" + record.text(field);
            case BYTES -> "y" + java.util.Arrays.toString(record.bytes(field));
        };
    }
}
