package petrichor.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import petrichor.jobs.formats.CsvSink;
import petrichor.jobs.formats.CsvSource;
import petrichor.jobs.formats.Target;
import petrichor.jobs.formats.TextSource;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.RecordType;

/** Contracts are known from run to run, whatever is done with their parallelism. */
final class LearnedParallelismTest {
    private static final RecordType NUMBER = RecordType.of(Field.int64("number"));

    private static Plan plan(String input, int parallelism) {
        Plan plan = Plan.named("count").parallelism(parallelism);
        plan.read(new TextSource(input))
                .map(
                        "number",
                        NUMBER,
                        (in, out) -> out.record().int64(0, Long.parseLong(in.text(0))).emit())
                .groupBy("number")
                .aggregate(Aggregate.count())
                .write(new CsvSink(Target.file("counts"), CsvSource.Dialect.COMMA));
        return plan;
    }

    private static Map<String, Integer> byContract(JobGraph graph) {
        Map<String, Integer> all = new HashMap<>();
        for (JobVertex vertex : graph.vertices()) {
            vertex.annotations()
                    .contracts()
                    .forEach(contract -> all.put(contract, vertex.parallelism()));
        }
        return all;
    }

    private static JobGraph compiled(Plan plan, Map<String, Integer> learned) {
        return Compiler.standard().with(learned).compile(plan).parts().getFirst().graph();
    }

    @Test
    void learnedParallelismOverridesThePlan() {
        Map<String, Integer> alone = byContract(compiled(plan("today", 1), Map.of()));
        // Source, map, aggregate, sink.
        assertThat(alone).hasSize(4).allSatisfy((_, subtasks) -> assertThat(subtasks).isOne());
        Map<String, Integer> learned = new HashMap<>(alone);
        learned.replaceAll((_, _) -> 3);
        JobGraph again = compiled(plan("tomorrow", 1), learned);
        assertThat(byContract(again)).isEqualTo(learned);
        assertThat(again.vertices()).extracting(JobVertex::parallelism).containsOnly(3);
    }

    @Test
    void contractsAreRecognizedAtAnyParallelism() {
        assertThat(byContract(compiled(plan("in", 1), Map.of())).keySet())
                .isEqualTo(byContract(compiled(plan("in", 4), Map.of())).keySet());
    }

    @Test
    void lessonsOfOtherProgramsAreIgnored() {
        assertThat(byContract(compiled(plan("in", 2), Map.of("0123456789abcdef", 9))))
                .isEqualTo(byContract(compiled(plan("in", 2), Map.of())));
    }
}
