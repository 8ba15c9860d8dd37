package petrichor.transactions.log;

import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;
import petrichor.transactions.Placement;
import petrichor.transactions.rows.TableLayout;

/**
 * The rows of a database in a store that follows another one: first copied, then kept equal by
 * applying the steps of the database in order. Rows are copied before any step is applied.
 *
 * <p>Safe with several processes: late steps have no effect, as in {@link RowTarget}, and {@link
 * #takeCopiers} shuts out earlier copiers. Thread-safe. Propagates failures of the store; then some
 * of the rows may be written, and the same call can be repeated.
 */
public final class FollowerRows {
    /** Writes copied rows of one part of the database. */
    public interface Copier {
        /**
         * Writes rows that no applied step has written. UNAVAILABLE if another process copies now.
         *
         * @param version below those of all steps that will be applied
         */
        void write(WriteBatch rows, long version);
    }

    private final KeyValueStore store;
    private final TableLayout layout;
    private final RowApplication application;

    public FollowerRows(KeyValueStore store, TableLayout layout) {
        this.store = store;
        this.layout = layout;
        this.application =
                new RowApplication(
                        List.of(RowTarget.of(store, layout)), new StoredPlacement(Placement.NONE));
    }

    public KeyValueStore store() {
        return store;
    }

    /** Applies steps in order; those that were applied before have no effect. */
    public void apply(List<LogRecord.Batch> steps) {
        application.apply(steps);
    }

    /** Copiers that can write concurrently; those taken before can no longer write. */
    public List<Copier> takeCopiers(int count) {
        return java.util.stream.IntStream.range(0, count).mapToObj(this::copier).toList();
    }

    /**
     * Rows of a step that mark all steps up to a version as applied: then late ones have no effect
     * once {@link #shutOutSteps} was called. Empty for stores that keep versions.
     */
    public WriteBatch mark(long version) {
        return switch (store.durableStep()) {
            case DurableStep.AtomicBatch _ ->
                    new WriteBatch()
                            .put(
                                    TableLayout.META,
                                    layout.appliedKey(),
                                    FencedTarget.markOf(version));
            case DurableStep.ConditionalRow _, DurableStep.PlainRow _ -> new WriteBatch();
        };
    }

    /** Steps that another process is applying now must read the mark again. */
    public void shutOutSteps() {
        if (store.durableStep() instanceof DurableStep.AtomicBatch step) {
            var _ = step.takeFence(layout.fenceDomain(FencedTarget.DOMAIN));
        }
    }

    private Copier copier(int number) {
        return switch (store.durableStep()) {
            case DurableStep.AtomicBatch step -> {
                byte[] domain = layout.fenceDomain("copy/" + number + "/");
                long fence = step.takeFence(domain);
                yield (rows, version) -> write(step, domain, fence, rows);
            }
            case DurableStep.ConditionalRow step -> step::putIfNewer;
            case DurableStep.PlainRow _ -> throw CommitPoints.unsupported();
        };
    }

    private static void write(
            DurableStep.AtomicBatch step, byte[] domain, long fence, WriteBatch rows) {
        switch (step.commit(domain, fence, rows)) {
            case DONE -> {}
            case FENCED ->
                    throw PetrichorException.of(
                            ErrorCode.UNAVAILABLE, "Another server copies the database now.");
            case UNKNOWN ->
                    throw PetrichorException.of(
                            ErrorCode.UNAVAILABLE,
                            "The outcome of copying rows is unknown; retrying.");
        }
    }
}
