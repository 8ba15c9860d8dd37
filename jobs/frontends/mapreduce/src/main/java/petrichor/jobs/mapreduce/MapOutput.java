package petrichor.jobs.mapreduce;

import org.apache.hadoop.mapreduce.Counters;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * The records between maps and reduces. One whose {@code order} is null is no pair of the
 * program's: it says to a reduce that it is to run though it may have no pair, or carries what a
 * map or combiner has counted. In an order it comes before the pairs.
 */
final class MapOutput {
    static final String SEAT_NAME = "seat";
    static final String ORDER_NAME = "order";

    /** Which reduce it is for, as a number that ships it there ({@link ReducerPartitioning}). */
    static final int SEAT = 0;

    /**
     * The key, as bytes that sort as it does ({@link KeyEncoding}); if only a comparator can sort
     * keys, what the key's class has written.
     */
    static final int ORDER = 1;

    static final int VALUE = 2;

    static final RecordType TYPE =
            RecordType.of(Field.int32(SEAT_NAME), Field.bytes(ORDER_NAME), Field.bytes("value"));

    private MapOutput() {}

    /** Tells a reduce that it is to run. */
    static void call(int seat, Out out) {
        out.record().int32(SEAT, seat).emit();
    }

    /** Hands on what was counted. */
    static void count(int seat, Counters counters, Out out) {
        out.record().int32(SEAT, seat).bytes(VALUE, CounterBytes.of(counters)).emit();
    }

    static boolean isPair(RecordView record) {
        return !record.isNull(ORDER);
    }

    /** What a record that is no pair has counted. */
    static @Nullable Counters counted(RecordView record) {
        return record.isNull(VALUE) ? null : CounterBytes.parse(record.bytes(VALUE));
    }
}
