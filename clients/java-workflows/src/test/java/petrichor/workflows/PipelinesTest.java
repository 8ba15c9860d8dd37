package petrichor.workflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.gax.rpc.ApiException;
import com.google.cloud.datastore.Entity;
import com.google.cloud.datastore.Query;
import com.google.cloud.datastore.StructuredQuery.PropertyFilter;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PipelinesTest {
    private final Platform platform = Platform.shared();
    private final String name = UUID.randomUUID().toString();

    private List<Entity> entities(String kind, String property, String value) {
        List<Entity> found = new ArrayList<>();
        platform.datastore
                .run(Query.newEntityQueryBuilder().setKind(kind).setFilter(PropertyFilter.eq(property, value)).build())
                .forEachRemaining(found::add);
        return found;
    }

    private long ran(String counter) {
        Entity ran =
                platform.datastore.get(
                        platform.datastore.newKeyFactory().setKind("Ran").newKey(counter));
        return ran == null ? 0 : ran.getLong("times");
    }

    @Test
    void outputsOfChildrenAreArgumentsOfOthers() {
        JsonObject output = platform.output(Call.of(Flows.SumOfSquares.class, 20), JsonObject.class);
        assertThat(output.get("sum").getAsLong()).isEqualTo(2470);
        assertThat(output.get("parts").getAsLong()).isEqualTo(20);
        assertThat(platform.output(Call.of(Flows.Nested.class), Long.class)).isEqualTo(14 * 14);
    }

    @Test
    void stepsRunAfterOthers() {
        assertThat(platform.output(Call.of(Flows.InOrder.class, name), String.class))
                .isEqualTo("third");
        assertThat(
                        entities("Log", "log", name).stream()
                                .sorted(Comparator.comparing(e -> e.getLong("at"))))
                .extracting(entity -> entity.getString("name"))
                .containsExactly("first", "second", "third");
    }

    @Test
    void turnsContinueFromTheirProgress() {
        assertThat(platform.output(Call.of(Flows.Turns.class, name, 5), Integer.class)).isEqualTo(5);
        assertThat(entities("Turn", "of", name))
                .extracting(e -> e.getLong("turn"))
                .containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L);
    }

    @Test
    void aStepThatFailsIsRepeated() {
        assertThat(platform.output(Call.of(Flows.Flaky.class, name, 2), Long.class)).isEqualTo(3);
    }

    @Test
    void anAbortedWorkflowIsResumed() {
        String id = platform.start(Call.of(Flows.PartlyFlaky.class, name));
        Workflows.Status aborted = platform.ended(id);
        assertThat(aborted.state()).isEqualTo("aborted");
        assertThat(aborted.error().orElseThrow()).contains("Flaky").contains("attempt 3");
        assertThatThrownBy(() -> aborted.output(Long.class)).hasMessageContaining("aborted");
        platform.workflows.resume(id);
        assertThat(platform.ended(id).<Long>output(Long.class)).isEqualTo(1 + 5);
        assertThat(ran(name + "-good")).isEqualTo(1);
    }

    @Test
    void anAbortEndsTheWorkflowAtOnce() {
        Workflows.Status status = platform.ended(platform.start(Call.of(Flows.Aborts.class, name)));
        assertThat(status.error().orElseThrow()).contains("no way");
        assertThat(ran(name)).isEqualTo(1);
    }

    @Test
    void aWorkflowIsAbortedAndDeleted() {
        String id = platform.start(Call.of(Flows.Turns.class, name, 1_000_000));
        assertThatThrownBy(() -> platform.workflows.delete(id))
                .hasMessageContaining("abort it first");
        platform.workflows.abort(id, "enough");
        assertThat(platform.ended(id).error()).contains("enough");
        platform.workflows.delete(id);
        assertThat(platform.workflows.status(id)).isEmpty();
    }

    @Test
    void anIdStartsOneWorkflow() {
        String id = "w" + name.replace("-", "");
        for (int i = 0; i < 3; i++) {
            platform.workflows.start(Call.of(Flows.Flaky.class, name, 0), Platform.QUEUE, id);
        }
        assertThat(platform.ended(id).<Long>output(Long.class)).isEqualTo(1);
        platform.workflows.delete(id);
        platform.workflows.start(Call.of(Flows.Flaky.class, name, 0), Platform.QUEUE, id);
        assertThat(platform.ended(id).<Long>output(Long.class)).isEqualTo(2);
    }

    @Test
    void whatIsRefused() {
        assertThatThrownBy(
                        () ->
                                platform.start(
                                        Call.of(
                                                Flows.Square.class,
                                                new Future("other", List.of()))))
                .hasMessageContaining("cannot wait");
        assertThatThrownBy(
                        () ->
                                platform.workflows.start(
                                        Call.of(Flows.Square.class, 1), Platform.QUEUE, "a-b"))
                .hasMessageContaining("letters, digits");
        assertThatThrownBy(() -> platform.start(Call.of(Flows.Square.class, "x".repeat(500_000))))
                .isInstanceOf(Abort.class);
    }

    @Test
    void tasksThatWereNotAddedAreAddedWhenTheTaskIsDeliveredAgain() {
        String id = "w" + name.replace("-", "");
        Call call = Call.of(Flows.SumOfSquares.class, 3);
        byte[] body = ("{\"step\": \"" + id + "\", \"turn\": \"0\"}").getBytes();
        try (TaskQueues unreachable = TaskQueues.at("127.0.0.1:1", App.PROJECT)) {
            Workflows interrupted = new Workflows(platform.datastore, unreachable);
            assertThatThrownBy(() -> interrupted.start(call, Platform.QUEUE, id)).isInstanceOf(ApiException.class);
            assertThat(new WorkflowTasks(interrupted).status(Workflows.PATH + "run", "t", body))
                    .isEqualTo(503);
        }
        assertThat(platform.workflows.status(id).orElseThrow().runs()).isTrue();
        assertThat(new WorkflowTasks(platform.workflows).status(Workflows.PATH + "run", "t", body))
                .isEqualTo(200);
        assertThat(platform.ended(id).<JsonObject>output(JsonObject.class).get("sum").getAsLong())
                .isEqualTo(5);
    }

    @Test
    void machinesDivideAndJoin() {
        assertThat(platform.output(RunMachine.of(Flows.Collatz.class, List.of(1, 6, 7)), Long.class)).isEqualTo(8 + 16);
    }

    @Test
    void onlyTasksAreHandled() {
        WorkflowTasks tasks = new WorkflowTasks(platform.workflows);
        assertThat(tasks.status(Workflows.PATH + "run", null, "{}".getBytes())).isEqualTo(403);
    }
}
