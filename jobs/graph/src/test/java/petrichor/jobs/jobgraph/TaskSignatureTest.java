package petrichor.jobs.jobgraph;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.jobs.jobgraph.Graphs.WORDS;
import static petrichor.jobs.jobgraph.Graphs.edge;
import static petrichor.jobs.jobgraph.Graphs.sink;
import static petrichor.jobs.jobgraph.Graphs.source;

import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.MapCode;

final class TaskSignatureTest {
    private static final MapCode SAME = (in, out) -> out.emit(in);
    private static final MapCode NONE = (in, out) -> {};

    @Test
    void theSameProgramHasTheSameSignatures() {
        assertThat(TaskSignature.of(job(SAME, 2))).isEqualTo(TaskSignature.of(job(SAME, 2)));
    }

    @Test
    void parallelismIsNotPartOfTheSignature() {
        assertThat(TaskSignature.of(job(SAME, 2))).isEqualTo(TaskSignature.of(job(SAME, 8)));
    }

    @Test
    void otherUserCodeChangesTheSignatureAndThoseAfterIt() {
        var same = TaskSignature.of(job(SAME, 2));
        var none = TaskSignature.of(job(NONE, 2));
        assertThat(none.get(1)).isEqualTo(same.get(1));
        assertThat(none.get(2)).isNotEqualTo(same.get(2));
        assertThat(none.get(3)).isNotEqualTo(same.get(3));
    }

    @Test
    void anotherInputOrderChangesTheSignature() {
        var plain = TaskSignature.of(job(SAME, 2));
        var sorted = TaskSignature.of(job(SAME, 2, new InputOrder.Sorted(Key.of(0))));
        assertThat(sorted.get(2)).isNotEqualTo(plain.get(2));
    }

    @Test
    void stateOfOneRunIsNotPartOfTheSignature() {
        assertThat(TaskSignature.of(job(reading(new InputOf("monday", "parse")), 2)))
                .isEqualTo(TaskSignature.of(job(reading(new InputOf("tuesday", "parse")), 2)))
                .isNotEqualTo(TaskSignature.of(job(reading(new InputOf("monday", "count")), 2)));
    }

    private record InputOf(String day, String program) implements RunSpecific {
        @Override
        public String lasting() {
            return program;
        }
    }

    private static MapCode reading(InputOf input) {
        return (in, out) -> {
            if (!input.day().isEmpty()) {
                out.emit(in);
            }
        };
    }

    @Test
    void codeThatCannotBeSerializedStillHasASignature() {
        var held = new Object();
        MapCode code =
                (in, out) -> {
                    if (held.hashCode() != 0) {
                        out.emit(in);
                    }
                };
        assertThat(TaskSignature.of(job(code, 1)).get(2)).isNotNull();
    }

    private static JobGraph job(MapCode code, int parallelism) {
        return job(code, parallelism, InputOrder.asTheyCome());
    }

    private static JobGraph job(MapCode code, int parallelism, InputOrder order) {
        var map =
                new JobVertex(
                        2,
                        "map",
                        new Operation.Relay(),
                        List.of(new TaskInput(WORDS, order)),
                        List.of(new Step.Map("map", code, WORDS)),
                        WORDS,
                        Annotations.parallel(parallelism));
        return new JobGraph(
                "job",
                List.of(source(1, parallelism), map, sink(3, parallelism)),
                List.of(edge(1, 2, ChannelType.NETWORK), edge(2, 3, ChannelType.NETWORK)));
    }
}
