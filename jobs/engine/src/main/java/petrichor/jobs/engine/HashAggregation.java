package petrichor.jobs.engine;

import org.jspecify.annotations.Nullable;

import petrichor.jobs.records.Accumulator;
import petrichor.jobs.records.Aggregation;
import petrichor.jobs.records.Record;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;

/**
 * Groups any number of records by hash. When the table is full, its partial records go to disk,
 * spread by their hash, and the table begins anew; in the end each part is merged by itself, spread
 * further where it is still too large. Belongs to one thread.
 */
final class HashAggregation implements AutoCloseable {
    private final Aggregation aggregation;
    private final Accumulator accumulator;
    private final RecordType result;
    private final MemoryShare memory;
    private final TaskTools tools;
    private final int level;
    private final AggregateTable table;
    private @Nullable SpillPartitions spilled;

    HashAggregation(
            Aggregation aggregation,
            Aggregation.Step step,
            RecordType input,
            RecordType result,
            MemoryShare memory,
            TaskTools tools) {
        this(aggregation, step, input, result, memory, tools, 0);
    }

    private HashAggregation(
            Aggregation aggregation,
            Aggregation.Step step,
            RecordType input,
            RecordType result,
            MemoryShare memory,
            TaskTools tools,
            int level) {
        this.aggregation = aggregation;
        this.accumulator = Accumulator.of(aggregation, step, input);
        this.result = result;
        this.memory = memory;
        this.tools = tools;
        this.level = level;
        this.table = new AggregateTable(accumulator, input, memory, tools.pool());
    }

    void add(Record record) {
        if (!table.add(record)) {
            spill();
            if (!table.add(record)) {
                throw new IllegalStateException("an empty table refused a record");
            }
        }
    }

    private void spill() {
        SpillPartitions target = spilled;
        if (target == null) {
            target = new SpillPartitions(level, tools);
            spilled = target;
        }
        SpillPartitions files = target;
        table.forEach((hash, _, partial) -> files.append(hash, partial));
        table.clear();
    }

    /** Emits everything: results or, in the step that makes them, partial records. */
    void emit(Stage out) {
        emit(out, accumulator);
    }

    private void emit(Stage out, Accumulator finisher) {
        SpillPartitions parts = spilled;
        if (parts == null) {
            RecordBuilder builder = new RecordBuilder(result);
            table.forEach(
                    (_, _, partial) -> {
                        finisher.finish(partial, builder);
                        out.accept(builder.finish());
                    });
            table.clear();
            return;
        }
        spill();
        parts.flush();
        for (int i = 0; i < SpillPartitions.COUNT; i++) {
            mergePart(parts.file(i), out, finisher);
        }
    }

    private void mergePart(SpillFile file, Stage out, Accumulator finisher) {
        RecordType partial = accumulator.partialType();
        try (HashAggregation part =
                        new HashAggregation(
                                aggregation,
                                Aggregation.Step.FINAL,
                                partial,
                                result,
                                memory,
                                tools,
                                level + 1);
                SpilledStream stream =
                        new SpilledStream(file, 0, file.size(), partial, tools.pool())) {
            int untilCheck = 0;
            for (Record record = stream.next(); record != null; record = stream.next()) {
                if (untilCheck-- == 0) {
                    tools.control().check();
                    untilCheck = TaskTools.RECORDS_BETWEEN_CHECKS;
                }
                part.add(record);
            }
            file.close();
            part.emit(out, finisher);
        }
    }

    /** Emits what is in memory when it is full, instead of spilling: for a combiner. */
    void addOrEmit(Record record, Stage out) {
        if (!table.add(record)) {
            emit(out);
            add(record);
        }
    }

    @Override
    public void close() {
        table.clear();
        SpillPartitions parts = spilled;
        if (parts != null) {
            spilled = null;
            parts.close();
        }
    }
}
