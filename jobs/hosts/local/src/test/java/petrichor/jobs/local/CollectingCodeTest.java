package petrichor.jobs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petrichor.jobs.pact.DataSet;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.CoGroupCode;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Group;
import petrichor.jobs.records.JoinCode;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;
import petrichor.jobs.records.ReduceCode;
import petrichor.jobs.testkit.Rows;

/**
 * User code that emits its buffered records in {@code finish}: in every contract, and closed each
 * time.
 */
final class CollectingCodeTest {
    private static final RecordType NUMBER = RecordType.of(Field.int64("n"));
    private static final AtomicInteger OPENED = new AtomicInteger();
    private static final AtomicInteger CLOSED = new AtomicInteger();
    private static final long FAILS = -1;

    @BeforeEach
    void countAnew() {
        OPENED.set(0);
        CLOSED.set(0);
    }

    /** Buffers numbers until the end. */
    private static final class IntermediateStore
            implements MapCode, ReduceCode, JoinCode, CoGroupCode {
        private static final long serialVersionUID = 1L;
        private transient @Nullable List<Long> kept;

        private void keep(long number) {
            var all = kept;
            if (all == null) {
                all = new ArrayList<>();
                kept = all;
                OPENED.incrementAndGet();
            }
            if (number == FAILS) {
                throw new IllegalStateException("no such number");
            }
            all.add(number);
        }

        @Override
        public void map(RecordView in, Out out) {
            keep(in.int64(0));
        }

        @Override
        public void reduce(Group group, Out out) {
            long sum = 0;
            for (RecordView record : group) {
                sum += record.int64(0);
            }
            keep(sum);
        }

        @Override
        public void join(RecordView left, RecordView right, Out out) {
            keep(left.int64(0) * 100 + right.int64(0));
        }

        @Override
        public void coGroup(Group left, Group right, Out out) {
            long sum = 0;
            for (RecordView record : left) {
                sum += record.int64(0);
            }
            for (RecordView record : right) {
                sum += record.int64(0);
            }
            keep(sum);
        }

        @Override
        public void finish(Out out) {
            if (kept != null) {
                kept.forEach(number -> out.record().int64(0, number).emit());
            }
        }

        @Override
        public void close() {
            if (kept != null) {
                CLOSED.incrementAndGet();
                kept = null;
            }
        }
    }

    private static DataSet numbers(Plan plan, long... numbers) {
        var builder = new RecordBuilder(NUMBER);
        var rows =
                Arrays.stream(numbers)
                        .mapToObj(number -> builder.start().int64(0, number).finish().copy())
                        .toList();
        return plan.read(new Rows.ListSource("numbers " + numbers.length, NUMBER, rows));
    }

    private static List<String> result(Plan plan, DataSet set) {
        var sink = new Rows.ListSink("result");
        set.write(sink);
        Jobs.local().run(plan);
        assertThat(CLOSED.get()).isPositive().isEqualTo(OPENED.get());
        return sink.sortedRows();
    }

    @Test
    void aMapEmitsAtItsEnd() {
        var plan = Plan.named("map").parallelism(2);
        assertThat(
                        result(
                                plan,
                                numbers(plan, 1, 2, 3)
                                        .map("keep", NUMBER, new IntermediateStore())))
                .containsExactly("(1)", "(2)", "(3)");
    }

    @Test
    void aFilterMayDecideLater() {
        var plan = Plan.named("filter").parallelism(1);
        assertThat(result(plan, numbers(plan, 1, 2).passing("keep", new IntermediateStore(), "n")))
                .containsExactly("(1)", "(2)");
    }

    @Test
    void aReduceAndItsCombinerEmitAtTheirEnds() {
        var plan = Plan.named("reduce").parallelism(2);
        var set =
                numbers(plan, 1, 1, 2, 3, 3, 3)
                        .groupBy("n")
                        .reduce("sum", NUMBER, new IntermediateStore());
        assertThat(result(plan, set)).containsExactly("(2)", "(2)", "(9)");
        OPENED.set(0);
        CLOSED.set(0);
        var combined = Plan.named("combined").parallelism(2);
        var zeros =
                numbers(combined, 0, 0, 0)
                        .groupBy("n")
                        .combinedBy(new IntermediateStore())
                        .reduce("sum", NUMBER, new IntermediateStore());
        assertThat(result(combined, zeros)).containsExactly("(0)");
    }

    @Test
    void aMatchEmitsAtItsEndWithEveryStrategy() {
        for (double records : new double[] {1, 1e9}) {
            countAnew();
            var plan = Plan.named("match").parallelism(2);
            var left = numbers(plan, 1, 2, 3).records(records);
            var right = numbers(plan, 2, 3, 4, 5);
            var set = left.match(right, "n", "n").with("pair", NUMBER, new IntermediateStore());
            assertThat(result(plan, set)).containsExactly("(202)", "(303)");
        }
        countAnew();
        var plan = Plan.named("merge").parallelism(2);
        var left = numbers(plan, 1, 2, 3).sortBy(Key.of(0));
        var right = numbers(plan, 2, 3, 4, 5).sortBy(Key.of(0));
        var set = left.match(right, "n", "n").with("pair", NUMBER, new IntermediateStore());
        assertThat(result(plan, set)).containsExactly("(202)", "(303)");
    }

    @Test
    void aCrossAndACoGroupEmitAtTheirEnds() {
        var plan = Plan.named("cross").parallelism(2);
        var set =
                numbers(plan, 1, 2)
                        .cross(numbers(plan, 3, 4, 5), "all", NUMBER, new IntermediateStore());
        assertThat(result(plan, set)).hasSize(6).contains("(103)", "(205)");
        countAnew();
        var grouped = Plan.named("co-group").parallelism(2);
        var groups =
                numbers(grouped, 1, 2, 2)
                        .match(numbers(grouped, 2, 3, 3, 3), "n", "n")
                        .groups("sum", NUMBER, new IntermediateStore());
        assertThat(result(grouped, groups)).containsExactly("(1)", "(6)", "(9)");
    }

    @Test
    void codeIsClosedWhenTheJobFails() {
        var plan = Plan.named("fails").parallelism(2);
        var many = LongStream.rangeClosed(FAILS, 1000).toArray();
        numbers(plan, many)
                .map("keep", NUMBER, new IntermediateStore())
                .sortBy(Key.of(0))
                .write(new Rows.ListSink("result"));
        assertThatThrownBy(() -> Jobs.local().run(plan)).hasMessageContaining("no such number");
        assertThat(CLOSED.get()).isPositive().isEqualTo(OPENED.get());
    }
}
