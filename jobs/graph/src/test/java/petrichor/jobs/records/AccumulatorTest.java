package petrichor.jobs.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

class AccumulatorTest {
    private static final RecordType SALE =
            RecordType.of(Field.text("shop"), Field.int32("count"), Field.float64("price"));
    private static final Aggregation FIGURES =
            Aggregation.by(
                    List.of(0),
                    Aggregate.count(),
                    Aggregate.sum(1),
                    Aggregate.min(2),
                    Aggregate.max(1),
                    Aggregate.average(1),
                    Aggregate.average(2));

    @Test
    void onePhaseGivesTheAggregates() {
        Accumulator whole = Accumulator.of(FIGURES, Aggregation.Step.WHOLE, SALE);
        RecordBuilder partial = new RecordBuilder(whole.partialType());
        whole.begin(sale(null, 2.5), partial);
        RecordView state = partial.finish();
        whole.add(sale(4, null), state);
        whole.add(sale(6, 0.5), state);
        RecordBuilder out = new RecordBuilder(whole.outputType());
        whole.finish(state, out);
        assertThat(out.finish()).hasToString("(north, 3, 10, 0.5, 6, 5.0, 1.5)");
        assertThat(whole.outputType().name(2)).isEqualTo("sum count");
    }

    @Test
    void twoPhasesGiveTheSameAggregates() {
        Accumulator first = Accumulator.of(FIGURES, Aggregation.Step.PARTIAL, SALE);
        Accumulator last =
                Accumulator.of(FIGURES, Aggregation.Step.FINAL, FIGURES.partialType(SALE));
        RecordBuilder a = new RecordBuilder(first.partialType());
        first.begin(sale(null, 2.5), a);
        RecordBuilder b = new RecordBuilder(first.partialType());
        first.begin(sale(4, null), b);
        first.add(sale(6, 0.5), b.finish());
        RecordBuilder merged = new RecordBuilder(last.partialType());
        last.begin(a.finish(), merged);
        last.add(b.finish(), merged.finish());
        RecordBuilder out = new RecordBuilder(last.outputType());
        last.finish(merged.finish(), out);
        assertThat(out.finish()).hasToString("(north, 3, 10, 0.5, 6, 5.0, 1.5)");
    }

    @Test
    void anAggregateOfOnlyNullsIsNull() {
        Accumulator whole = Accumulator.of(FIGURES, Aggregation.Step.WHOLE, SALE);
        RecordBuilder partial = new RecordBuilder(whole.partialType());
        whole.begin(sale(null, null), partial);
        RecordBuilder out = new RecordBuilder(whole.outputType());
        whole.finish(partial.finish(), out);
        assertThat(out.finish()).hasToString("(north, 1, null, null, null, null, null)");
    }

    @Test
    void anOverflowingSumFails() {
        RecordType type = RecordType.of(Field.int64("n"), Field.text("shop"));
        Accumulator sum =
                Accumulator.of(
                        Aggregation.by(List.of(1), Aggregate.sum(0)), Aggregation.Step.WHOLE, type);
        RecordBuilder partial = new RecordBuilder(sum.partialType());
        RecordView most =
                new RecordBuilder(type).int64(0, Long.MAX_VALUE).text(1, "north").finish();
        sum.begin(most, partial);
        assertThatThrownBy(() -> sum.add(most, partial.finish()))
                .isInstanceOf(PetrichorException.class)
                .hasMessage(
                        "\"sum n\" of the key (north) does not fit into 64 bits: sum FLOAT64 fields"
                                + " instead");
    }

    @Test
    void minimumAndMaximumOfTextsAndBooleansAreFound() {
        RecordType type = RecordType.of(Field.text("word"), Field.bool("good"));
        Accumulator ends =
                Accumulator.of(
                        Aggregation.by(
                                List.of(),
                                Aggregate.min(0),
                                Aggregate.max(0),
                                Aggregate.count(),
                                Aggregate.min(1),
                                Aggregate.max(1)),
                        Aggregation.Step.WHOLE,
                        type);
        RecordBuilder in = new RecordBuilder(type);
        RecordBuilder partial = new RecordBuilder(ends.partialType());
        ends.begin(in.start().finish(), partial);
        RecordView state = partial.finish();
        RecordView first = in.start().text(0, "beech").bool(1, true).finish();
        assertThat(ends.add(first, state)).isFalse();
        assertThat(state).hasToString("(null, null, 1, null, null)");
        RecordBuilder grown = new RecordBuilder(ends.partialType());
        ends.grow(first, state, grown);
        assertThat(grown.finish()).hasToString("(beech, beech, 2, true, true)");
        state = grown.finish();
        // Both are shorter than the values they replace.
        assertThat(ends.add(in.start().text(0, "ash").bool(1, false).finish(), state)).isTrue();
        assertThat(ends.add(in.start().text(0, "elm").finish(), state)).isTrue();
        assertThat(state).hasToString("(ash, elm, 4, false, true)");
        // One fits, the other does not: nothing is changed.
        RecordView longer = in.start().text(0, "willow").finish();
        assertThat(ends.add(longer, state)).isFalse();
        assertThat(state).hasToString("(ash, elm, 4, false, true)");
        ends.grow(longer, state, partial);
        assertThat(partial.finish()).hasToString("(ash, willow, 5, false, true)");
    }

    @Test
    void textsAreNotSummedUp() {
        assertThatThrownBy(() -> Aggregation.by(List.of(), Aggregate.sum(0)).resultType(SALE))
                .hasMessageContaining("shop holds TEXT");
    }

    private static RecordView sale(@Nullable Integer count, @Nullable Double price) {
        RecordBuilder builder = new RecordBuilder(SALE).text(0, "north");
        if (count != null) {
            builder.int32(1, count);
        }
        if (price != null) {
            builder.float64(2, price);
        }
        return builder.finish().copy();
    }
}
