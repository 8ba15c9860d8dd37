package petrichor.jobs.engine.memory;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.Accumulator;
import petrichor.jobs.records.Aggregation;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * Hash aggregation with spilling. When the table is full, its partial aggregates are spilled,
 * partitioned by hash, and the table is cleared; at the end each partition is aggregated by itself,
 * and partitioned recursively if it is still too large. Belongs to one thread.
 */
public final class HashAggregation implements AutoCloseable {
    private final Aggregation aggregation;
    private final Accumulator accumulator;
    private final RecordType result;
    private final MemoryShare memory;
    private final Workspace space;
    private final int level;
    private final AggregateTable table;
    private final RecordBatch batch;
    private final @Nullable ShortKeyCounts shortKeys;
    private final long[] codes = new long[RecordBatch.RECORDS];
    private @Nullable SpillPartitions spilled;

    public HashAggregation(
            Aggregation aggregation,
            Aggregation.Step step,
            RecordType input,
            RecordType result,
            MemoryShare memory,
            Workspace space) {
        this(aggregation, step, input, result, memory, space, 0);
    }

    private HashAggregation(
            Aggregation aggregation,
            Aggregation.Step step,
            RecordType input,
            RecordType result,
            MemoryShare memory,
            Workspace space,
            int level) {
        this.aggregation = aggregation;
        this.accumulator = Accumulator.of(aggregation, step, input);
        this.result = result;
        this.memory = memory;
        this.space = space;
        this.level = level;
        this.batch = new RecordBatch(input);
        this.table = new AggregateTable(accumulator, input, memory, space.pool());
        this.shortKeys = ShortKeyCounts.of(aggregation, step, input, memory);
    }

    /** Adds a record; spills when memory is full. */
    public void add(RecordView record) {
        add(record, null);
    }

    /** Adds a record; when memory is full, emits the partial aggregates: for a combiner. */
    public void addOrEmit(RecordView record, RecordBuilder.RecordConsumer whenFull) {
        add(record, whenFull);
    }

    private void add(RecordView record, RecordBuilder.@Nullable RecordConsumer whenFull) {
        if (shortKeys != null && shortKeys.add(record)) {
            return;
        }
        if (!batch.offer(record)) {
            drain(whenFull);
            if (!batch.offer(record)) {
                put(record, table.code(record), whenFull);
            }
        }
    }

    private void drain(RecordBuilder.@Nullable RecordConsumer whenFull) {
        int count = batch.size();
        for (int i = 0; i < count; i++) {
            codes[i] = table.code(batch.at(i));
        }
        table.fetch(codes, count);
        for (int i = 0; i < count; i++) {
            put(batch.at(i), codes[i], whenFull);
        }
        batch.clear();
    }

    private void put(
            RecordView record, long code, RecordBuilder.@Nullable RecordConsumer whenFull) {
        if (table.add(record, code)) {
            return;
        }
        if (whenFull == null) {
            spill();
        } else {
            emitTable(whenFull, accumulator);
        }
        if (!table.add(record, code)) {
            throw new IllegalStateException("an empty table refused a record");
        }
    }

    private void spill() {
        SpillPartitions target = spilled;
        if (target == null) {
            target = new SpillPartitions(level, space);
            spilled = target;
        }
        SpillPartitions files = target;
        table.forEach((hash, _, partial) -> files.append(hash, partial));
        table.clear();
    }

    /**
     * Emits everything: results or, in a combiner, partial aggregates.
     *
     * @param combining whether it was filled by {@link #addOrEmit}
     */
    public void emit(RecordBuilder.RecordConsumer out, boolean combining) {
        drain(combining ? out : null);
        emitShortKeys(out);
        emit(out, accumulator);
    }

    /** Their keys are in no other table and in no file. */
    private void emitShortKeys(RecordBuilder.RecordConsumer out) {
        if (shortKeys != null) {
            shortKeys.emit(new RecordBuilder(result), out);
        }
    }

    private void emit(RecordBuilder.RecordConsumer out, Accumulator finisher) {
        SpillPartitions parts = spilled;
        if (parts == null) {
            emitTable(out, finisher);
            return;
        }
        spill();
        parts.flush();
        for (int i = 0; i < SpillPartitions.COUNT; i++) {
            mergePart(parts.file(i), out, finisher);
        }
    }

    private void emitTable(RecordBuilder.RecordConsumer out, Accumulator finisher) {
        RecordBuilder builder = new RecordBuilder(result);
        table.forEach(
                (_, _, partial) -> {
                    finisher.finish(partial, builder);
                    out.accept(builder.finish());
                });
        table.clear();
    }

    private void mergePart(SpillFile file, RecordBuilder.RecordConsumer out, Accumulator finisher) {
        RecordType partial = accumulator.partialType();
        try (HashAggregation part =
                        new HashAggregation(
                                aggregation,
                                Aggregation.Step.FINAL,
                                partial,
                                result,
                                memory,
                                space,
                                level + 1);
                SpilledStream stream =
                        new SpilledStream(file, 0, file.size(), partial, space.pool())) {
            int untilCheck = 0;
            for (RecordView record = stream.next(); record != null; record = stream.next()) {
                if (untilCheck-- == 0) {
                    space.control().check();
                    untilCheck = Workspace.RECORDS_BETWEEN_CHECKS;
                }
                part.add(record);
            }
            file.close();
            part.drain(null);
            part.emitShortKeys(out);
            part.emit(out, finisher);
        }
    }

    @Override
    public void close() {
        table.clear();
        if (shortKeys != null) {
            shortKeys.clear();
        }
        SpillPartitions parts = spilled;
        if (parts != null) {
            spilled = null;
            parts.close();
        }
    }
}
