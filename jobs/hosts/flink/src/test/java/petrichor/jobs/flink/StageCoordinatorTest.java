package petrichor.jobs.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import petrichor.jobs.engine.hosted.StageWork;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskState;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.testkit.Rows;

/** A stage's coordinator with reports in any order. */
final class StageCoordinatorTest {
    private final StageWork work = work();
    private final StageWork.Carried edge =
            work.edges().stream().filter(each -> !each.forward()).findFirst().orElseThrow();
    private final StageCoordinator coordinator = new StageCoordinator(work);
    private final SubtaskId sender = new SubtaskId(edge.from(), 0);
    private final SubtaskId receiver = new SubtaskId(edge.to(), 0);

    @Test
    void reportsOfAnAbandonedAttemptAreIgnored() throws Exception {
        tell(receiver, 0, "here", null);
        tell(receiver, 1, "here", null);
        news();
        tell(receiver, 0, "here", TaskState.FAILED);
        assertThat(news().moves()).isEmpty();
        tell(receiver, 1, "here", TaskState.FINISHED);
        assertThat(news().moves()).hasSize(1);
    }

    @Test
    void aNewAttemptForgetsReportsOfThePreviousOne() throws Exception {
        tell(receiver, 0, "here", TaskState.RUNNING);
        tell(sender, 1, "here", null);
        assertThat(news().moves()).isEmpty();
        assertThat(tell(sender, 1, "here", null).receptions()).isEmpty();
    }

    @Test
    void aSenderLearnsWhichReceiversAreOnAnotherMachine() throws Exception {
        assertThat(tell(sender, 0, "here", null).receptions()).isEmpty();
        tell(receiver, 0, "there", null);
        tell(new SubtaskId(edge.to(), 1), 0, "here", null);
        assertThat(tell(sender, 0, "here", null).receptions())
                .containsEntry(
                        new StageMessage.Route(edge.edge(), 0), new StageMessage.Reception(true, 0))
                .containsEntry(
                        new StageMessage.Route(edge.edge(), 1),
                        new StageMessage.Reception(false, 0));
    }

    private StageMessage.Known tell(
            SubtaskId task, int attempt, String machine, @Nullable TaskState to)
            throws InterruptedException, ExecutionException {
        ArrayList<StageMessage.Move> moves = new ArrayList<>();
        if (to != null) {
            moves.add(new StageMessage.Move(task, to, null));
        }
        return (StageMessage.Known)
                coordinator
                        .handleCoordinationRequest(
                                new StageMessage.Report(
                                        task,
                                        attempt,
                                        machine,
                                        moves,
                                        new TreeMap<>(),
                                        new HashMap<>(),
                                        new HashSet<>(),
                                        new HashMap<>()))
                        .get();
    }

    private StageMessage.News news() throws InterruptedException, ExecutionException {
        return (StageMessage.News)
                coordinator.handleCoordinationRequest(new StageMessage.Ask()).get();
    }

    private static StageWork work() {
        RecordType word = RecordType.of(Field.text("word"));
        Plan plan = Plan.named("words").parallelism(2);
        plan.read(
                        new Rows.ListSource(
                                "words",
                                word,
                                new ArrayList<>(
                                        Rows.of(word, 10, (record, i) -> record.text(0, "a" + i)))))
                .groupBy("word")
                .aggregate(Aggregate.count())
                .write(new Rows.ListSink("counts"));
        var graph = Compiler.standard().compile(plan).parts().getFirst().graph();
        return new StageWork(graph, 0, "spill", Long.MAX_VALUE, true);
    }
}
