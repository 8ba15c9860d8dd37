package petrichor.testing.simulation;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Capabilities;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.StoreView;
import petrichor.kv.WriteBatch;

/**
 * A store as one process sees it: the rows are those that all processes share, and everything fails
 * in every way that {@link KeyValueStore} and {@link DurableStep} allow. Durable steps of the
 * committer's thread wait in the {@link Gate}; those of the scheduler's own thread are decided at
 * once.
 */
final class FaultyStore implements KeyValueStore {
    private final SharedStore shared;
    private final Gate gate;
    private final Thread scheduler = Thread.currentThread();
    private volatile boolean dead;
    private volatile boolean replaced;

    FaultyStore(SharedStore shared, Gate gate) {
        this.shared = shared;
        this.gate = gate;
    }

    /** The process behind this store is gone: whatever it still tries has no effect. */
    void die() {
        dead = true;
    }

    /**
     * Another process has the lease: this one may finish what it began, but not take the database
     * back. See {@link Guard#EPOCH_ORDER}; the embedded store's lock file does the same.
     */
    void replace() {
        replaced = true;
    }

    boolean dead() {
        return dead;
    }

    @Override
    public Capabilities capabilities() {
        return shared.rows().capabilities();
    }

    @Override
    public Set<String> tables() {
        return reachable().tables();
    }

    @Override
    public void createTable(String table) {
        reachable().createTable(table);
    }

    @Override
    public void dropTable(String table) {
        reachable().dropTable(table);
    }

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        return reachable().get(table, key);
    }

    @Override
    public List<byte @Nullable []> get(String table, List<byte[]> keys) {
        return reachable().get(table, keys);
    }

    @Override
    public Scan scan(String table, KeyRange range, Direction direction, int limit) {
        return reachable().scan(table, range, direction, limit);
    }

    @Override
    public void write(WriteBatch batch) {
        reachable().write(batch);
    }

    @Override
    public StoreView view() {
        return reachable().view();
    }

    @Override
    public DurableStep durableStep() {
        return new Step();
    }

    @Override
    public void close() {}

    private KeyValueStore reachable() {
        if (dead || shared.chance().readFails()) {
            throw unavailable();
        }
        return shared.rows();
    }

    private static PetrichorException unavailable() {
        return new PetrichorException(
                ErrorCode.UNAVAILABLE, "The simulated store cannot be reached.");
    }

    private final class Step implements DurableStep.AtomicBatch {
        @Override
        public long takeFence(byte[] domain) {
            if (dead || replaced || shared.chance().fenceFails()) {
                throw unavailable();
            }
            return shared.step().takeFence(domain);
        }

        @Override
        public Outcome commit(byte[] domain, long fence, WriteBatch batch) {
            if (dead) {
                throw unavailable();
            }
            Gate.Fate fate =
                    Thread.currentThread().equals(scheduler)
                            ? shared.chance().fateOfLiving()
                            : gate.pass();
            shared.count(fate);
            SharedStore.Late write = new SharedStore.Late(domain, fence, batch);
            return switch (fate) {
                case LANDS -> shared.land(write);
                case FAILS -> throw unavailable();
                case UNKNOWN_LANDED -> {
                    shared.land(write);
                    yield Outcome.UNKNOWN;
                }
                case UNKNOWN_LOST -> Outcome.UNKNOWN;
                case UNKNOWN_LATE -> {
                    shared.delay(write);
                    yield Outcome.UNKNOWN;
                }
                case BREAKS_LANDED -> {
                    shared.land(write);
                    throw unavailable();
                }
                case DIES_LANDED -> {
                    shared.land(write);
                    dead = true;
                    throw unavailable();
                }
                case DIES_LOST -> {
                    dead = true;
                    throw unavailable();
                }
                case DIES_LATE -> {
                    shared.delay(write);
                    dead = true;
                    throw unavailable();
                }
            };
        }
    }
}
