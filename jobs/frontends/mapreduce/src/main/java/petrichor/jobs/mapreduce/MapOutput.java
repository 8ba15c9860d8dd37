package petrichor.jobs.mapreduce;

import org.apache.hadoop.mapreduce.Counters;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * The records between maps and reduces. One whose {@code order} is null is not a pair of the
 * program's: it makes a reduce run even if it has no pair, or carries the counters of a map or
 * combiner. It sorts before the pairs.
 */
final class MapOutput {
    static final String SEAT_NAME = "seat";
    static final String ORDER_NAME = "order";

    /** The target reduce, as a number whose hash partitions to it ({@link ReducerPartitioning}). */
    static final int SEAT = 0;

    /**
     * The key, in an order-preserving encoding ({@link KeyEncoding}); if the order is opaque, as
     * the key's class serializes it.
     */
    static final int ORDER = 1;

    static final int VALUE = 2;

    static final RecordType TYPE =
            RecordType.of(Field.int32(SEAT_NAME), Field.bytes(ORDER_NAME), Field.bytes("value"));

    private MapOutput() {}

    /** Makes a reduce run. */
    static void call(int seat, Out out) {
        out.record().int32(SEAT, seat).emit();
    }

    /** Sends counters. */
    static void count(int seat, Counters counters, Out out) {
        out.record().int32(SEAT, seat).bytes(VALUE, CounterBytes.of(counters)).emit();
    }

    static boolean isPair(RecordView record) {
        return !record.isNull(ORDER);
    }

    /** The counters in a record that is not a pair. */
    static @Nullable Counters counted(RecordView record) {
        return record.isNull(VALUE) ? null : CounterBytes.parse(record.bytes(VALUE));
    }
}
