package petrichor.workflows;

import com.google.cloud.Timestamp;
import com.google.cloud.datastore.Datastore;
import com.google.cloud.datastore.Entity;
import com.google.cloud.datastore.Key;
import com.google.cloud.datastore.Query;
import com.google.cloud.datastore.QueryResults;
import com.google.cloud.datastore.StructuredQuery.PropertyFilter;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * What programs ask of workflows, and the tasks of an app. Thread-safe; an app has one.
 *
 * <p>The entities are in the namespace of the datastore client.
 */
public final class Workflows {
    /** The app passes requests below this path to {@link WorkflowTasks}. */
    public static final String PATH = "/_ah/workflows/";

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_]{1,100}");
    private static final int STEPS_AT_ONCE = 200;

    private final Engine engine;

    public Workflows(Datastore datastore, TaskQueues queues) {
        engine = new Engine(datastore, queues, PATH);
    }

    /** {@code running}, {@code finished} or {@code aborted}. */
    public record Status(String state, Optional<JsonElement> output, Optional<String> error) {
        public boolean runs() {
            return state.equals(WorkflowEntity.RUNNING);
        }

        /** The output of a finished workflow. */
        public <T> T output(Type type) {
            return Values.decode(
                    output.orElseThrow(
                            () ->
                                    new IllegalStateException(
                                            "the workflow is " + state + ": " + error.orElse(""))),
                    type);
        }
    }

    /** Starts a workflow and returns its id. */
    public String start(Call first, String queue) {
        return start(first, queue, UUID.randomUUID().toString().replace("-", ""));
    }

    /** Starts the workflow of this id, once: if it exists, nothing changes. Repeat a call that was interrupted. */
    public String start(Call first, String queue, String id) {
        if (!ID.matcher(id).matches()) {
            throw new IllegalArgumentException(
                    "the id of a workflow has up to 100 letters, digits and underscores");
        }
        if (!Values.references(Values.encode(first.arguments())).isEmpty() || !first.after().isEmpty()) {
            throw new IllegalArgumentException(
                    "the first pipeline of a workflow cannot wait for futures");
        }
        StepEntity step =
                StepEntity.of(engine.stepKey(id), new StepEntity.Start(id, first, Optional.empty(), 0, List.of()));
        engine.transactions.run(
                transaction -> {
                    if (transaction.get(engine.workflowKey(id)) == null) {
                        transaction.put(WorkflowEntity.start(engine.workflowKey(id), queue, Timestamp.now()).entity());
                        transaction.put(step.entity());
                    }
                });
        engine.followUp(id);
        return id;
    }

    /** Empty if the workflow does not exist. */
    public Optional<Status> status(String id) {
        return engine.workflow(id).map(this::status);
    }

    private Status status(WorkflowEntity workflow) {
        boolean finished = workflow.state().equals(WorkflowEntity.FINISHED);
        Optional<JsonElement> output =
                finished ? engine.step(workflow.id()).flatMap(StepEntity::output).map(Values::parse) : Optional.empty();
        return new Status(workflow.state(), output, workflow.error());
    }

    /** Ends a running workflow: no further step runs, and results of steps that are running are ignored. */
    public void abort(String id, String reason) {
        engine.transactions.run(
                transaction -> {
                    Entity entity = transaction.get(engine.workflowKey(id));
                    if (entity != null && new WorkflowEntity(entity).runs()) {
                        transaction.put(new WorkflowEntity(entity).aborted(reason).entity());
                    }
                });
    }

    /**
     * Continues an aborted workflow: steps that have ended keep their outputs, and the others have all their attempts
     * again. Repeat a call that was interrupted.
     */
    public void resume(String id) {
        engine.transactions.run(
                transaction -> {
                    Entity entity = transaction.get(engine.workflowKey(id));
                    if (entity != null && new WorkflowEntity(entity).state().equals(WorkflowEntity.ABORTED)) {
                        transaction.put(new WorkflowEntity(entity).resumedAgain().entity());
                    }
                });
        engine.workflow(id)
                .filter(workflow -> workflow.runs() && workflow.resumed() > 0)
                .ifPresent(
                        workflow -> engine.addTask(workflow, "resume", id, workflow.resumed(), 0));
    }

    /** The task of a resumed workflow: makes tasks of steps outdated and replaces them. */
    private void resumeSteps(String id) {
        if (engine.workflow(id).filter(WorkflowEntity::runs).isEmpty()) {
            return;
        }
        for (Key key : steps(id)) {
            engine.transactions.run(
                    transaction -> {
                        Entity entity = transaction.get(key);
                        if (entity != null && new StepEntity(entity).state().equals(StepEntity.READY)) {
                            transaction.put(new StepEntity(entity).turn(0, 0).entity());
                        }
                    });
            engine.followUp(key.getName());
        }
    }

    private List<Key> steps(String workflow) {
        QueryResults<Key> found =
                engine.datastore.run(
                        Query.newKeyQueryBuilder()
                                .setKind(StepEntity.KIND)
                                .setFilter(PropertyFilter.eq(StepEntity.WORKFLOW, workflow))
                                .build());
        List<Key> keys = new ArrayList<>();
        found.forEachRemaining(keys::add);
        return keys;
    }

    /** Deletes the state and the output of a workflow that has ended. Repeat a call that was interrupted. */
    public void delete(String id) {
        WorkflowEntity workflow = engine.workflow(id).orElse(null);
        if (workflow == null) {
            return;
        }
        if (workflow.runs()) {
            throw new IllegalStateException("the workflow " + id + " is running: abort it first");
        }
        List<Key> keys = steps(id);
        for (int from = 0; from < keys.size(); from += STEPS_AT_ONCE) {
            engine.datastore.delete(
                    keys.subList(from, Math.min(keys.size(), from + STEPS_AT_ONCE)).toArray(Key[]::new));
        }
        while (Blocks.deleteSome(engine.datastore, id)) {
            // of a MapReduce that was aborted
        }
        engine.datastore.delete(workflow.entity().getKey());
    }

    /** Handles a task: the name of its action, and its body. */
    void handle(String action, String body) {
        JsonObject fields = Values.parse(body).getAsJsonObject();
        String step = fields.get("step").getAsString();
        switch (action) {
            case "run" -> engine.run(step, fields.get("turn").getAsLong());
            case "ended" -> engine.ended(step);
            case "resume" -> resumeSteps(step);
            default -> throw new IllegalArgumentException("there is no task " + action);
        }
    }
}
