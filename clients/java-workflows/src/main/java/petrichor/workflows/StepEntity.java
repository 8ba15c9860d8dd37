package petrichor.workflows;

import com.google.cloud.datastore.BooleanValue;
import com.google.cloud.datastore.Entity;
import com.google.cloud.datastore.Key;
import com.google.cloud.datastore.ListValue;
import com.google.cloud.datastore.LongValue;
import com.google.cloud.datastore.StringValue;
import com.google.cloud.datastore.Value;
import java.util.List;
import java.util.Optional;

/**
 * A pipeline within a workflow, as stored. The id of the first step is that of the workflow; a child adds its number.
 * Immutable.
 */
record StepEntity(Entity entity) {
    static final String KIND = "PetrichorWorkflowStep";
    static final String WORKFLOW = "workflow";
    private static final String STATE = "state";
    private static final String PIPELINE = "pipeline";
    private static final String ARGUMENTS = "arguments";
    private static final String PARENT = "parent";
    private static final String UNFILLED = "unfilled";
    private static final String WAITERS = "waiters";
    private static final String CHILDREN = "children";
    private static final String ALL_CHILDREN = "all";
    private static final String RESULT = "result";
    private static final String OUTPUT = "output";
    private static final String COUNTED = "counted";
    private static final String TURN = "turn";
    private static final String ATTEMPTS = "attempts";
    private static final String PROGRESS = "progress";
    private static final String DUE = "due";

    static final String WAITING = "waiting";
    static final String READY = "ready";
    static final String EXPANDED = "expanded";
    static final String ENDED = "ended";

    /** What is known of a step when it is created. */
    record Start(String workflow, Call call, Optional<String> parent, int unfilled, List<String> waiters) {}

    static StepEntity of(Key key, Start start) {
        StepEntity step =
                new StepEntity(Entity.newBuilder(key).set(WORKFLOW, start.workflow()).build())
                        .with(PIPELINE, text(start.call().pipeline().getName()))
                        .with(ARGUMENTS, text(Values.text(start.call().arguments())))
                        .with(UNFILLED, number(start.unfilled()))
                        .with(
                                WAITERS,
                                ListValue.newBuilder()
                                        .set(start.waiters().stream().map(StepEntity::text).toList())
                                        .setExcludeFromIndexes(true)
                                        .build())
                        .with(COUNTED, BooleanValue.newBuilder(false).setExcludeFromIndexes(true).build())
                        .state(start.unfilled() == 0 ? READY : WAITING);
        return start.parent().map(parent -> step.with(PARENT, text(parent))).orElse(step);
    }

    static StringValue text(String text) {
        return StringValue.newBuilder(text).setExcludeFromIndexes(true).build();
    }

    private static LongValue number(long number) {
        return LongValue.newBuilder(number).setExcludeFromIndexes(true).build();
    }

    private StepEntity with(String name, Value<?> value) {
        return new StepEntity(Entity.newBuilder(entity).set(name, value).build());
    }

    private StepEntity without(String name) {
        return new StepEntity(Entity.newBuilder(entity).remove(name).build());
    }

    private Optional<String> optional(String name) {
        return entity.contains(name) && !entity.isNull(name) ? Optional.of(entity.getString(name)) : Optional.empty();
    }

    private long count(String name) {
        return entity.contains(name) ? entity.getLong(name) : 0;
    }

    String id() {
        return entity.getKey().getName();
    }

    String workflow() {
        return entity.getString(WORKFLOW);
    }

    String state() {
        return entity.getString(STATE);
    }

    String pipeline() {
        return entity.getString(PIPELINE);
    }

    String arguments() {
        return entity.getString(ARGUMENTS);
    }

    Optional<String> parent() {
        return optional(PARENT);
    }

    List<String> waiters() {
        return entity.<StringValue>getList(WAITERS).stream().map(StringValue::get).toList();
    }

    /** Of a step with children: those that have not ended, and all. */
    long childrenLeft() {
        return count(CHILDREN);
    }

    long childrenAtFirst() {
        return count(ALL_CHILDREN);
    }

    String result() {
        return entity.getString(RESULT);
    }

    Optional<String> output() {
        return optional(OUTPUT);
    }

    /** Whether parent and waiters have counted its end. */
    boolean counted() {
        return entity.getBoolean(COUNTED);
    }

    /** Tasks of other turns are outdated. */
    long turn() {
        return count(TURN);
    }

    /** Failed attempts since the last progress. */
    long attempts() {
        return count(ATTEMPTS);
    }

    Optional<String> progress() {
        return optional(PROGRESS);
    }

    /** Milliseconds since 1970 before which the turn does not start. */
    long dueMillis() {
        return count(DUE);
    }

    StepEntity state(String state) {
        return with(STATE, StringValue.of(state));
    }

    StepEntity nextTurn(String progress, long dueMillis) {
        return with(PROGRESS, text(progress)).turn(0, dueMillis);
    }

    /** Another turn from the same progress. */
    StepEntity turn(long attempts, long dueMillis) {
        return with(ATTEMPTS, number(attempts)).with(TURN, number(turn() + 1)).with(DUE, number(dueMillis));
    }

    StepEntity failed(long attempts) {
        return with(ATTEMPTS, number(attempts));
    }

    StepEntity expanded(int children, String result) {
        return with(RESULT, text(result))
                .with(CHILDREN, number(children))
                .with(ALL_CHILDREN, number(children))
                .state(EXPANDED);
    }

    StepEntity childEnded() {
        return with(CHILDREN, number(childrenLeft() - 1));
    }

    StepEntity ended(String output) {
        return with(OUTPUT, text(output)).without(PROGRESS).state(ENDED);
    }

    StepEntity endCounted() {
        return with(COUNTED, BooleanValue.newBuilder(true).setExcludeFromIndexes(true).build());
    }

    /** One of the outputs that it waits for is known. */
    StepEntity filled() {
        long left = count(UNFILLED) - 1;
        StepEntity step = with(UNFILLED, number(left));
        return left == 0 ? step.state(READY) : step;
    }
}
