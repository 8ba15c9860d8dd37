package petrichor.workflows;

import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.StatusCode;
import com.google.cloud.BaseServiceException;
import com.google.cloud.datastore.Datastore;
import com.google.cloud.datastore.DatastoreReader;
import com.google.cloud.datastore.Entity;
import com.google.cloud.datastore.FullEntity;
import com.google.cloud.datastore.Key;
import com.google.cloud.datastore.Transaction;
import com.google.gson.JsonElement;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * Runs steps. A task changes a step only if the step is in the state and turn for which the task was added, so a task
 * may be delivered several times, at the same time as well. Thread-safe.
 */
final class Engine {
    private static final System.Logger LOG = System.getLogger(Engine.class.getName());

    /**
     * Of google.rpc.Code: INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED,
     * FAILED_PRECONDITION, OUT_OF_RANGE.
     */
    private static final Set<Integer> PERMANENT = Set.of(3, 5, 6, 7, 9, 11);

    final Datastore datastore;
    final Transactions transactions;
    private final TaskQueues queues;
    private final String path;

    Engine(Datastore datastore, TaskQueues queues, String path) {
        this.datastore = datastore;
        this.transactions = new Transactions(datastore);
        this.queues = queues;
        this.path = path;
    }

    Key stepKey(String id) {
        return datastore.newKeyFactory().setKind(StepEntity.KIND).newKey(id);
    }

    Key workflowKey(String id) {
        return datastore.newKeyFactory().setKind(WorkflowEntity.KIND).newKey(id);
    }

    Optional<StepEntity> step(String id) {
        return Optional.ofNullable(datastore.get(stepKey(id))).map(StepEntity::new);
    }

    Optional<WorkflowEntity> workflow(String id) {
        return Optional.ofNullable(datastore.get(workflowKey(id))).map(WorkflowEntity::new);
    }

    // --- tasks

    void addTask(WorkflowEntity workflow, String action, String step, long number, long dueMillis) {
        String name = String.join("-", workflow.token(), step, action, Long.toString(number));
        Map<String, String> fields = Map.of("step", step, "turn", Long.toString(number));
        queues.add(workflow.queue(), name, path + action, fields, dueMillis);
    }

    /**
     * Adds the tasks that must follow the stored state of a step. Called after every transaction
     * and whenever its task is delivered again: see {@link petrichor.workflows}.
     */
    void followUp(String id) {
        StepEntity step = step(id).orElse(null);
        WorkflowEntity workflow = step == null ? null : workflow(step.workflow()).orElse(null);
        if (workflow == null || !workflow.runs()) {
            return;
        }
        switch (step.state()) {
            case StepEntity.READY -> addTask(workflow, "run", id, step.turn(), step.dueMillis());
            case StepEntity.EXPANDED -> followUpChildren(step, workflow);
            case StepEntity.ENDED -> followUpEnd(step, workflow);
            default -> {} // it waits for siblings, whose ends follow it up
        }
    }

    private void followUpChildren(StepEntity step, WorkflowEntity workflow) {
        List<String> ids =
                LongStream.range(0, step.childrenAtFirst()).mapToObj(n -> step.id() + "-" + n).toList();
        for (StepEntity child : steps(datastore, ids)) {
            if (child.state().equals(StepEntity.READY)) {
                addTask(workflow, "run", child.id(), child.turn(), child.dueMillis());
            }
        }
    }

    /**
     * The end of a step is counted by a task of its own: many siblings can end at once, and all of
     * them change the parent.
     */
    private void followUpEnd(StepEntity step, WorkflowEntity workflow) {
        if (step.parent().isPresent() && !step.counted()) {
            addTask(workflow, "ended", step.id(), workflow.resumed(), 0);
        }
    }

    // --- one step

    void run(String id, long turn) {
        StepEntity step = step(id).orElse(null);
        if (step != null && isCurrent(step, workflow(step.workflow()), turn)) {
            attempt(step);
        }
        followUp(id);
    }

    private static boolean isCurrent(StepEntity step, Optional<WorkflowEntity> workflow, long turn) {
        return workflow.isPresent()
                && workflow.get().runs()
                && step.state().equals(StepEntity.READY)
                && step.turn() == turn;
    }

    private void attempt(StepEntity step) {
        Pipeline.Retries retries = Pipeline.Retries.DEFAULT;
        try {
            Pipeline pipeline = Instances.of(Instances.named(step.pipeline()), Pipeline.class);
            retries = pipeline.retries();
            commit(step, evaluated(step, pipeline));
        } catch (Abort reason) {
            change(step, (transaction, now, workflow) -> abort(transaction, workflow, step, reason.getMessage()));
        } catch (Exception failure) {
            if (failure instanceof RuntimeException platform && isTemporary(platform)) {
                throw platform; // the queue repeats the task, and no attempt is counted
            }
            LOG.log(
                    System.Logger.Level.WARNING,
                    "attempt of step " + step.id() + " failed",
                    failure);
            failed(step, retries, failure);
        }
    }

    /** Failures of the platform, and not of what the pipeline asked for. */
    private static boolean isTemporary(RuntimeException failure) {
        if (failure instanceof ApiException refused) {
            return refused.isRetryable() || refused.getStatusCode().getCode() == StatusCode.Code.UNAVAILABLE;
        }
        return failure instanceof BaseServiceException refused && !PERMANENT.contains(refused.getCode());
    }

    /** What a turn changes, with everything encoded, so that an invalid value is a failure of the pipeline. */
    private sealed interface Change {
        record Expand(Expansion expansion) implements Change {}

        record Store(String value, boolean ends, List<? extends FullEntity<?>> entities, Duration after)
                implements Change {}
    }

    private Change evaluated(StepEntity entity, Pipeline pipeline) throws Exception {
        JsonElement arguments = Values.parse(entity.arguments());
        JsonElement known = Values.resolved(arguments, outputs(datastore, Values.references(arguments)));
        Step step =
                new Step(
                        entity.id(),
                        known.getAsJsonArray().asList(),
                        entity.progress().map(Values::parse),
                        datastore);
        Outcome outcome = pipeline.run(step);
        if (!step.children().isEmpty()) {
            if (outcome instanceof Outcome.Continue || outcome != null && !outcome.entities().isEmpty()) {
                throw new Abort("a step with children returns an output only");
            }
            Object output = outcome instanceof Outcome.Finish finish ? finish.output() : null;
            return new Change.Expand(Expansion.of(entity, step.children(), output, this::stepKey));
        }
        if (outcome instanceof Outcome.Continue more) {
            return new Change.Store(Values.text(more.progress()), false, more.entities(), more.after());
        }
        Outcome.Finish finish = outcome == null ? new Outcome.Finish(null, List.of()) : (Outcome.Finish) outcome;
        return new Change.Store(Values.text(finish.output()), true, finish.entities(), Duration.ZERO);
    }

    /** What steps that have ended have returned. */
    private Map<String, JsonElement> outputs(DatastoreReader reader, Set<String> ids) {
        Map<String, JsonElement> outputs = new HashMap<>();
        for (StepEntity step : steps(reader, ids)) {
            outputs.put(step.id(), Values.parse(step.output().orElse("null")));
        }
        return outputs;
    }

    private List<StepEntity> steps(DatastoreReader reader, Collection<String> ids) {
        Key[] keys = ids.stream().map(this::stepKey).toArray(Key[]::new);
        return reader.fetch(keys).stream().filter(Objects::nonNull).map(StepEntity::new).toList();
    }

    // --- changes

    @FunctionalInterface
    private interface StepChange {
        void apply(Transaction transaction, StepEntity now, WorkflowEntity workflow);
    }

    /** Changes a step in a transaction, unless it has changed. */
    private void change(StepEntity step, StepChange change) {
        transactions.run(
                transaction -> {
                    StepEntity now = read(transaction, step.id());
                    Entity workflow = transaction.get(workflowKey(step.workflow()));
                    Optional<WorkflowEntity> of = Optional.ofNullable(workflow).map(WorkflowEntity::new);
                    if (now != null && isCurrent(now, of, step.turn())) {
                        change.apply(transaction, now, of.get());
                    }
                });
    }

    private StepEntity read(Transaction transaction, String id) {
        Entity entity = transaction.get(stepKey(id));
        return entity == null ? null : new StepEntity(entity);
    }

    private void commit(StepEntity step, Change change) {
        change(
                step,
                (transaction, now, workflow) -> {
                    if (change instanceof Change.Expand expand) {
                        List<StepEntity> children = expand.expansion().children();
                        transaction.put(now.expanded(children.size(), expand.expansion().result()).entity());
                        children.forEach(child -> transaction.put(child.entity()));
                    } else if (change instanceof Change.Store store) {
                        store.entities().forEach(entity -> put(transaction, entity));
                        if (store.ends()) {
                            end(transaction, now.ended(store.value()), workflow);
                        } else {
                            transaction.put(now.nextTurn(store.value(), due(store.after())).entity());
                        }
                    }
                });
    }

    /** The id of an entity without one is allocated with the commit. */
    private static void put(Transaction transaction, FullEntity<?> entity) {
        if (entity.getKey() instanceof Key) {
            transaction.put(entity);
        } else {
            transaction.addWithDeferredIdAllocation(entity);
        }
    }

    private static long due(Duration after) {
        return after.isZero() ? 0 : System.currentTimeMillis() + after.toMillis();
    }

    private static void end(Transaction transaction, StepEntity ended, WorkflowEntity workflow) {
        transaction.put(ended.entity());
        if (ended.parent().isEmpty()) {
            transaction.put(workflow.finished().entity());
        }
    }

    private void failed(StepEntity step, Pipeline.Retries retries, Exception failure) {
        change(
                step,
                (transaction, now, workflow) -> {
                    long attempts = now.attempts() + 1;
                    if (attempts >= retries.max()) {
                        transaction.put(now.failed(attempts).entity());
                        abort(transaction, workflow, now, failure.toString());
                    } else {
                        transaction.put(now.turn(attempts, due(retries.pauseAfter(attempts))).entity());
                    }
                });
    }

    private static void abort(Transaction transaction, WorkflowEntity workflow, StepEntity step, String reason) {
        transaction.put(workflow.aborted(step.pipeline() + ": " + reason).entity());
    }

    // --- ends

    /**
     * The task of a step that has ended: starts siblings that waited for it, and ends the parent
     * after its last child.
     */
    void ended(String id) {
        StepEntity step = step(id).orElse(null);
        if (step == null || step.parent().isEmpty()) {
            return;
        }
        transactions.run(transaction -> countEnd(transaction, id));
        step.waiters().forEach(this::followUp);
        followUp(step.parent().get());
    }

    private void countEnd(Transaction transaction, String id) {
        StepEntity step = read(transaction, id);
        Entity entity = step == null ? null : transaction.get(workflowKey(step.workflow()));
        if (entity == null || !step.state().equals(StepEntity.ENDED) || step.counted()) {
            return;
        }
        WorkflowEntity workflow = new WorkflowEntity(entity);
        if (!workflow.runs()) {
            return; // counted when the workflow is resumed
        }
        transaction.put(step.endCounted().entity());
        steps(transaction, step.waiters()).forEach(waiter -> transaction.put(waiter.filled().entity()));
        StepEntity parent = read(transaction, step.parent().orElseThrow()).childEnded();
        if (parent.childrenLeft() > 0) {
            transaction.put(parent.entity());
            return;
        }
        JsonElement result = Values.parse(parent.result());
        Map<String, JsonElement> outputs = outputs(transaction, Values.references(result));
        end(transaction, parent.ended(Values.text(Values.resolved(result, outputs))), workflow);
    }
}
