package petrichor.testing.simulation;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
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
 * A store as seen by one process: rows are shared by all processes, and operations fail in every
 * way that {@link KeyValueStore} and {@link DurableStep} permit. Durable steps of an event loop
 * wait as a {@link ParkedStep}; those of other threads are decided immediately.
 */
final class FaultyStore implements KeyValueStore {
    /** Whether the process is alive, shared by all of its stores. */
    static final class Life {
        private volatile boolean dead;
        private volatile boolean replaced;

        /** The process has died: its further operations have no effect. */
        void die() {
            dead = true;
        }

        /** Another process has the lease; this one may still continue with any operation. */
        void replace() {
            replaced = true;
        }

        boolean replaced() {
            return replaced;
        }

        boolean dead() {
            return dead;
        }
    }

    /** The table of the transaction code's log, and the prefix of its seals. */
    private static final String LOG = "log";

    private static final byte SEAL = 2;

    /** Type of the end of an epoch in a plain log; followed by its writer, 0 if there is none. */
    private static final byte END = 4;

    private final SharedStore shared;
    private final KeyValueStore rows;
    private final ParkedStep parked;
    private final Life life;
    private final int valueBytesMax;

    /**
     * @param rows of this store, shared by all processes
     * @param valueBytesMax reported limit of values; larger log records are split
     */
    FaultyStore(
            SharedStore shared,
            KeyValueStore rows,
            ParkedStep parked,
            Life life,
            int valueBytesMax) {
        this.shared = shared;
        this.rows = rows;
        this.parked = parked;
        this.life = life;
        this.valueBytesMax = valueBytesMax;
    }

    @Override
    public Capabilities capabilities() {
        Capabilities all = rows.capabilities();
        return all.withLimits(all.limits().withValueBytesMax(valueBytesMax));
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
        if (SimulatedThreads.inDriver()) {
            shared.interrupt();
        }
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
        KeyValueStore store = reachable();
        writeRows(batch, store::write);
    }

    @Override
    public StoreView view() {
        return reachable().view();
    }

    @Override
    public DurableStep durableStep() {
        return switch (rows.durableStep()) {
            case DurableStep.AtomicBatch step -> new Batches(step);
            case DurableStep.PlainAppend step -> new PlainAppends(step);
            case DurableStep.ConditionalRow step -> new ConditionalRows(step);
            case DurableStep.PlainRow _ ->
                    throw new IllegalStateException("no transactions over such stores yet");
        };
    }

    @Override
    public void close() {}

    private KeyValueStore reachable() {
        if (life.dead || shared.chance().readFails()) {
            throw unavailable();
        }
        return rows;
    }

    private static PetrichorException unavailable() {
        return new PetrichorException(
                ErrorCode.UNAVAILABLE, "The simulated store cannot be reached.");
    }

    private StepFate fate() {
        StepFate fate = inLoop() ? parked.await() : shared.chance().fateOfLiving();
        shared.count(fate);
        return fate;
    }

    private static boolean inLoop() {
        return Thread.currentThread().getName().equals(SimulatedScheduler.LOOP);
    }

    private DurableStep.Outcome meet(StepFate fate, SharedStore.Late write) {
        return switch (fate) {
            case LANDS -> write.land();
            case FAILS -> throw unavailable();
            case UNKNOWN_LANDED -> {
                write.land();
                yield DurableStep.Outcome.UNKNOWN;
            }
            case UNKNOWN_LOST -> DurableStep.Outcome.UNKNOWN;
            case UNKNOWN_LATE -> {
                shared.delay(write);
                yield DurableStep.Outcome.UNKNOWN;
            }
            case BREAKS_LANDED -> {
                write.land();
                throw unavailable();
            }
            case DIES_LANDED -> {
                write.land();
                life.die();
                throw unavailable();
            }
            case DIES_LOST -> {
                life.die();
                throw unavailable();
            }
            case DIES_LATE -> {
                shared.delay(write);
                life.die();
                throw unavailable();
            }
        };
    }

    /**
     * Each row is written atomically, but not all together: some immediately, others later, twice
     * or never.
     */
    private void writeRows(WriteBatch batch, Consumer<WriteBatch> store) {
        SeededRandom chance = shared.chance();
        if (!chance.rowsGoWrong()) {
            store.accept(batch);
            return;
        }
        SharedStore.Late whole =
                () -> {
                    store.accept(batch);
                    return DurableStep.Outcome.DONE;
                };
        switch (chance.below(4)) {
            case 0 -> throw unavailable();
            case 1 -> {
                shared.delay(whole);
                throw unavailable();
            }
            case 2 -> {
                WriteBatch some = new WriteBatch();
                for (WriteBatch.Op change : batch.ops()) {
                    if (chance.in(0.5)) {
                        some.add(change);
                    }
                }
                store.accept(some);
                shared.delay(whole);
                throw unavailable();
            }
            default -> {
                store.accept(batch);
                shared.delay(whole);
            }
        }
    }

    private final class Batches implements DurableStep.AtomicBatch {
        /** Fence domains of the transaction code: its commits, and slots of its log. */
        private static final String COMMITS = "database";

        private static final String SLOTS = "log/";

        private final DurableStep.AtomicBatch step;

        Batches(DurableStep.AtomicBatch step) {
            this.step = step;
        }

        @Override
        public long takeFence(byte[] domain) {
            // The fence of single rows does not reveal the owner of the database.
            if (life.dead || shared.chance().fenceFails()) {
                throw unavailable();
            }
            return step.takeFence(domain);
        }

        @Override
        public Outcome commit(byte[] domain, long fence, WriteBatch batch) {
            boolean seal = isSeal(batch);
            if (life.dead) {
                throw unavailable();
            }
            SharedStore.Late write = () -> step.commit(domain, fence, batch);
            // Only commits wait: recovery happens within a step of the simulation.
            return is(domain, COMMITS) || (is(domain, SLOTS) && !seal)
                    ? meet(fate(), write)
                    : meet(shared.chance().fateOfLiving(), write);
        }

        private static boolean isSeal(WriteBatch batch) {
            return batch.ops().getFirst() instanceof WriteBatch.Put put
                    && put.table().equals(LOG)
                    && put.value()[0] == SEAL;
        }

        private static boolean is(byte[] domain, String what) {
            return new String(domain, StandardCharsets.ISO_8859_1).startsWith(what);
        }
    }

    /** Between the put and the read other processes may do anything. */
    private final class PlainAppends extends ConditionalRows implements DurableStep.PlainAppend {
        private final DurableStep.PlainAppend step;

        PlainAppends(DurableStep.PlainAppend step) {
            super(step);
            this.step = step;
        }

        @Override
        public byte @Nullable [] putThenRead(
                String table, byte[] key, byte[] value, long version, byte[] other) {
            SharedStore.Late write =
                    () -> {
                        step.putIfNewer(new WriteBatch().put(table, key, value), version);
                        return Outcome.DONE;
                    };
            if (life.dead || meet(fate(), write) != Outcome.DONE) {
                throw unavailable();
            }
            if (meet(fate(), () -> Outcome.DONE) != Outcome.DONE || life.dead) {
                throw unavailable();
            }
            return reachable().get(table, other);
        }
    }

    private class ConditionalRows implements DurableStep.ConditionalRow {
        private final DurableStep.ConditionalRow step;

        ConditionalRows(DurableStep.ConditionalRow step) {
            this.step = step;
        }

        @Override
        public Outcome putIfAbsent(String table, byte[] key, byte[] value) {
            boolean seal = table.equals(LOG) && (value[0] == SEAL || value[0] == END);
            boolean byNobody = seal && value[0] == END && ByteBuffer.wrap(value).getLong(1) == 0;
            if (life.dead) {
                throw unavailable();
            }
            SharedStore.Late write = () -> step.putIfAbsent(table, key, value);
            // Only commits wait: recovery happens within a step of the simulation.
            return table.equals(LOG) && (!seal || byNobody)
                    ? meet(fate(), write)
                    : meet(shared.chance().fateOfLiving(), write);
        }

        @Override
        public byte @Nullable [] read(String table, byte[] key) {
            reachable();
            if (SimulatedThreads.inDriver()) {
                shared.interrupt();
            }
            return step.read(table, key);
        }

        @Override
        public void putIfNewer(WriteBatch batch, long version) {
            reachable();
            writeRows(batch, rows -> step.putIfNewer(rows, version));
        }
    }
}
