package petrichor.jobs.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.Side;
import petrichor.jobs.pact.DataSet;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.pact.compiler.IntermediateStore;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/** Errors of a plan are reported when it is written or compiled, with advice. */
final class PlanErrorsTest {
    private static final RecordType WORD = RecordType.of(Field.text("word"), Field.int64("times"));

    private final Plan plan = Plan.named("errors");
    private final DataSet words =
            plan.read(new Rows.ListSource("words", WORD, new ArrayList<RecordView>()));

    @Test
    void aPlanThatWritesNothing() {
        refused(() -> Compiler.standard().compile(plan), "it writes nothing: end it with write(…)");
    }

    @Test
    void anEndWithoutASink() {
        words.write(new Rows.ListSink("out"));
        words.filter("long", record -> record.int64(1) > 3);
        refused(
                () -> Compiler.standard().compile(plan),
                "Filter \"long\" is not used: write(…) it, or remove it");
    }

    @Test
    void aGroupingWithoutAKey() {
        refused(words::groupBy, "groupBy on \"words\" has no key", "(word TEXT, times INT64)");
    }

    @Test
    void anUnknownKeyField() {
        refused(
                () -> words.groupBy("wrod"),
                "\"words\" has no field \"wrod\"; its fields are word, times");
        refused(() -> words.sortBy(Key.of(2)), "key field 2");
    }

    @Test
    void keysThatCannotBeEqual() {
        refused(
                () -> words.match(words, "word", "times"),
                "\"word TEXT\" of \"words\" cannot be compared with \"times INT64\"");
        refused(
                () -> words.match(words, Key.of(0), Key.of(0, 1)),
                "a key of 1 fields",
                "one of 2 fields");
    }

    @Test
    void aUnionOfDifferentTypes() {
        refused(
                () -> words.union(words.project("word")),
                "a union of",
                "map one to the type of the other");
    }

    @Test
    void aPromiseThatCannotHold() {
        refused(
                () ->
                        words.map("swap", RecordType.of(Field.int64("times")), (in, out) -> {})
                                .constant("word"),
                "cannot be field 0",
                "\"swap\"");
        refused(
                () -> words.map("same", WORD, (in, out) -> {}).sameKey(),
                "has no key there: name the constant fields with constant(…)");
        refused(
                () -> words.map("same", WORD, (in, out) -> {}).constant(Side.SECOND, "word"),
                "has no second input");
    }

    @Test
    void anotherPlansDataSet() {
        var other =
                Plan.named("other")
                        .read(new Rows.ListSource("else", WORD, new ArrayList<RecordView>()));
        refused(
                () -> words.union(other),
                "\"else\" belongs to the plan \"other\", not to \"errors\"");
    }

    @Test
    void anIterationThatIsNotClosed() {
        plan.iterate(words, 3);
        words.write(new Rows.ListSink("out"));
        refused(() -> Compiler.standard().compile(plan), "has no end: call close(…)");
    }

    @Test
    void aSinkInsideAnIteration() {
        var loop = plan.iterate(words, 3);
        var next = loop.current().filter("few", record -> record.int64(1) > 0);
        next.write(new Rows.ListSink("inside"));
        loop.close(next).write(new Rows.ListSink("out"));
        refused(
                () -> Compiler.standard().compile(plan),
                "writes from inside the iteration over \"words\"");
    }

    @Test
    void anIterationInsideAnIteration() {
        var outer = plan.iterate(words, 3);
        var inner = plan.iterate(outer.current(), 2);
        var result = inner.close(inner.current().filter("few", record -> record.int64(1) > 0));
        outer.close(result).write(new Rows.ListSink("out"));
        refused(() -> Compiler.standard().compile(plan, IntermediateStore.none()), "are nested");
    }

    @Test
    void aRoundThatEndsInAnotherType() {
        var loop = plan.iterate(words, 3);
        refused(
                () -> loop.close(loop.current().project("word")),
                "must return the type it receives, (word TEXT, times INT64), but");
    }

    @Test
    void invalidNumbers() {
        refused(() -> plan.parallelism(0), "parallelism is 0");
        refused(() -> words.records(-1), "the hint for records is -1");
        refused(() -> plan.iterate(words, 0), "an iteration has 0 rounds");
        refused(() -> words.first(-1), "the first -1 records");
    }

    private static void refused(ThrowingCallable call, String... texts) {
        assertThatThrownBy(call)
                .isInstanceOf(PetrichorException.class)
                .hasMessageContainingAll(texts);
    }
}
