package petrichor.workflows;

import com.google.cloud.Timestamp;
import com.google.cloud.datastore.Entity;
import com.google.cloud.datastore.Key;
import com.google.cloud.datastore.LongValue;
import com.google.cloud.datastore.TimestampValue;
import com.google.cloud.datastore.Value;
import java.util.Optional;

/**
 * A started pipeline with all its descendants, as stored. The transactions of all steps read it, and only those that
 * start, end, abort or resume the workflow write it, so that steps do not conflict through it. Immutable.
 */
record WorkflowEntity(Entity entity) {
    static final String KIND = "PetrichorWorkflow";
    static final String RUNNING = "running";
    static final String FINISHED = "finished";
    static final String ABORTED = "aborted";
    private static final String STATE = "state";
    private static final String QUEUE = "queue";
    private static final String ERROR = "error";
    private static final String RESUMED = "resumed";
    private static final String STARTED = "started";
    private static final String CHANGED = "changed";
    private static final int ERROR_CHARACTERS_MAX = 10_000;

    static WorkflowEntity start(Key key, String queue, Timestamp now) {
        return new WorkflowEntity(
                Entity.newBuilder(key)
                        .set(STATE, RUNNING)
                        .set(QUEUE, StepEntity.text(queue))
                        .set(RESUMED, LongValue.newBuilder(0).setExcludeFromIndexes(true).build())
                        .set(STARTED, TimestampValue.of(now))
                        .set(CHANGED, TimestampValue.of(now))
                        .build());
    }

    String id() {
        return entity.getKey().getName();
    }

    String state() {
        return entity.getString(STATE);
    }

    boolean runs() {
        return state().equals(RUNNING);
    }

    String queue() {
        return entity.getString(QUEUE);
    }

    Optional<String> error() {
        return entity.contains(ERROR) && !entity.isNull(ERROR)
                ? Optional.of(entity.getString(ERROR))
                : Optional.empty();
    }

    /** How many times. */
    long resumed() {
        return entity.getLong(RESUMED);
    }

    /** Distinguishes workflows of the same id, one after the other. */
    String token() {
        Timestamp started = entity.getTimestamp(STARTED);
        return Long.toString(started.getSeconds() * 1_000_000 + started.getNanos() / 1_000, Character.MAX_RADIX);
    }

    private WorkflowEntity with(String name, Value<?> value) {
        return new WorkflowEntity(
                Entity.newBuilder(entity).set(name, value).set(CHANGED, TimestampValue.of(Timestamp.now())).build());
    }

    private WorkflowEntity state(String state) {
        return with(STATE, com.google.cloud.datastore.StringValue.of(state));
    }

    WorkflowEntity finished() {
        return state(FINISHED);
    }

    WorkflowEntity aborted(String reason) {
        String text = reason.substring(0, Math.min(reason.length(), ERROR_CHARACTERS_MAX));
        return state(ABORTED).with(ERROR, StepEntity.text(text));
    }

    WorkflowEntity resumedAgain() {
        WorkflowEntity running =
                state(RUNNING)
                        .with(
                                RESUMED,
                                LongValue.newBuilder(resumed() + 1)
                                        .setExcludeFromIndexes(true)
                                        .build());
        return new WorkflowEntity(Entity.newBuilder(running.entity()).remove(ERROR).build());
    }
}
