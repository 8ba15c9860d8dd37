package petrichor.transactions.log;

import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Reads;
import petrichor.kv.WriteBatch;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.rows.LogPosition;
import petrichor.transactions.rows.RecentHistory;
import petrichor.transactions.rows.RecentRows;
import petrichor.transactions.rows.RowSource;
import petrichor.transactions.rows.TableLayout;
import petrichor.transactions.scheduling.Scheduler;

/**
 * Write-ahead log as commit point: writes the batch as one row of a log, only if that row does not
 * exist; the batch is applied to its rows later. A commit waits only for that one row. For stores
 * without atomic batches (tier B), and for databases with rows in several stores.
 *
 * <p>Commits that are not applied yet are in memory, which all reads of this process consult first;
 * see {@link ApplyQueue}. For changes of the owner see {@link LogTakeover}.
 */
public final class LogCommitPoint implements CommitPoint {
    private final CommitLog log;
    private final LogCheckpoints checkpoints;
    private final LogApplication application;
    private final ApplyQueue queue;
    private final RecentHistory recentHistory;
    private final RandomGenerator chance;
    private final Reads rows;
    private LogPosition next = LogPosition.START;

    /**
     * @param store has the log
     * @param application of the log to the rows
     * @param stored the rows as applied
     * @param unapplied memory shared with the other databases of the process
     * @param history memory of recent history, shared in the same way
     * @param alone true if no other process can have committed until now
     * @param chance generates the nonces by which an owner recognizes its own records
     */
    LogCommitPoint(
            KeyValueStore store,
            LogApplication application,
            Reads stored,
            TableLayout layout,
            Scheduler scheduler,
            TransactionLimits limits,
            UnappliedMemory unapplied,
            MemoryBudget history,
            TimeSource time,
            RandomGenerator chance,
            BooleanSupplier alone) {
        this.chance = chance;
        LogStore home = LogStore.of(store, layout);
        this.log = new CommitLog(store, LogSlots.of(store, home, layout), layout);
        this.checkpoints = new LogCheckpoints(store, home, layout);
        this.application = application;
        this.recentHistory = new RecentHistory(alone, history);
        RecentRows recentRows = new RecentRows();
        this.rows = recentRows.over(stored);
        this.queue =
                new ApplyQueue(
                        new AppliedLog(log, checkpoints),
                        application,
                        recentRows,
                        recentHistory,
                        scheduler,
                        limits,
                        unapplied,
                        time);
    }

    @Override
    public Taken take() {
        // The takeover applies rows that memory may not have.
        recentHistory.invalidate();
        application.restart();
        LogTakeover.Taken taken =
                new LogTakeover(log, checkpoints, application, chance.nextLong()).take();
        queue.startAt(taken);
        next = taken.checkpoint().next();
        return new Taken(next.epoch(), taken.checkpoint().last());
    }

    @Override
    public void awaitCapacity(StepMemory step) {
        queue.awaitCapacity(step);
    }

    @Override
    public boolean fillsBatch(long rows, long bytes) {
        return queue.fillsPiece(rows, bytes);
    }

    @Override
    public DurableStep.Outcome commit(WriteBatch batch, long version, StepMemory memory) {
        LogRecord.Batch record =
                new LogRecord.Batch(next.epoch(), version, chance.nextLong(), batch);
        byte[] encoded = LogCodec.encode(record);
        CommitLog.Slot slot = log.slot(next, record.nonce(), encoded);
        DurableStep.Outcome outcome = log.append(slot, encoded, version);
        if (outcome == DurableStep.Outcome.DONE) {
            queue.add(slot, record, memory);
            next = next.next();
        }
        return outcome;
    }

    @Override
    public RowSource live() {
        return RowSource.live(rows, recentHistory);
    }

    /** A view of the store would lack commits that are only in memory. */
    @Override
    public RowSource frozen() {
        return live();
    }

    @Override
    public void awaitApplied(long version) {
        queue.awaitApplied(version);
    }

    /** {@link ApplyQueue#betweenPieces}. */
    public <T> T betweenPieces(LongFunction<T> work) {
        return queue.betweenPieces(work);
    }

    @Override
    public void close() {
        queue.close();
        recentHistory.close();
    }
}
