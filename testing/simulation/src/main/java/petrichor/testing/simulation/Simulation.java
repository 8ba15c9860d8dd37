package petrichor.testing.simulation;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.memory.MemoryStore;
import petrichor.testing.simulation.Attempt.Outcome;

/**
 * Runs several hundred transactions with the real transaction code. One seed decides everything
 * that time, chance, network, disk and the operating system may do: which process runs next, the
 * outcome of every durable step, when processes die or are replaced while they still write, how the
 * clocks drift. The same seed gives the same run, step by step.
 *
 * <p>One thread runs everything: the threads of the simulated processes are virtual threads on it
 * ({@link SimulatedThreads}). A replaced process opens no further snapshots, as if it checked its
 * lease first; its commits continue and must fail.
 */
final class Simulation {
    private static final int CLIENTS = 5;
    private static final int TURNS = 700;
    private static final long TURN_MICROS_MAX = 3_000;
    private static final long JUMP_MICROS_MAX = 2 * 3_600_000_000L;
    private static final long PAUSE_MICROS = 1_100_000;

    private static final double CLOCK_JUMPS = 0.004;
    private static final double CLOCK_FREEZES = 0.004;
    private static final double LONG_PAUSE = 0.02;
    private static final double STEP_DECIDED = 0.25;
    private static final double LATE_ARRIVES = 0.05;
    private static final double PROCESS_DIES = 0.005;
    private static final double PROCESS_REPLACED = 0.005;
    private static final double RIVAL = 0.5;
    private static final double BACKGROUND = 0.2;

    /** Each task applies all pending rows; a few may follow. */
    private static final int TASKS_MAX = 1_000;

    private static final double INTERRUPTED = 0.3;
    private static final double FEED_READ = 0.1;

    /** Of databases that move. */
    private static final double MIGRATION_STEP = 0.1;

    /** Tasks per turn of a database that moves: a migration has many small ones. */
    private static final int MIGRATION_TASKS = 6;

    /** Less than the size of many log records, more than that of any row. */
    private static final int VALUE_BYTES_SMALL = 4_000;

    /**
     * The result.
     *
     * @param findings violations; empty if there are none
     * @param fates how often durable steps met each fate
     */
    record Report(
            long seed,
            List<String> findings,
            int attempts,
            int committed,
            int aborted,
            int unknown,
            int withoutCapacity,
            int lateFenced,
            int deaths,
            int replacements,
            int followed,
            int switches,
            long fingerprint,
            Map<StepFate, Integer> fates) {}

    private final long seed;
    private final SimulatedThreads threads;
    private final SeededRandom chance;
    private final SimulatedClock clock = new SimulatedClock();
    private final SharedStore shared;
    private final Journal journal = new Journal();
    private final boolean moves;
    private final boolean views;
    private final boolean smallWindow;
    private final boolean littleMemory;
    private final int valueBytesMax;
    private final FollowedFeed feed = new FollowedFeed(journal);
    private final List<SimulatedClient> clients = new ArrayList<>();
    private final List<SimulatedProcess> replaced = new ArrayList<>();
    private @Nullable SimulatedProcess current;
    private int deaths;
    private int switches;
    private int replacements;

    private Simulation(long seed, SimulatedStores stores, SimulatedThreads threads) {
        this.seed = seed;
        this.threads = threads;
        this.moves = stores.moves();
        this.chance = new SeededRandom(seed);
        this.views = chance.in(0.5) && stores.mayHaveViews();
        this.valueBytesMax = chance.in(0.5) ? VALUE_BYTES_SMALL : MemoryStore.VALUE_BYTES_MAX;
        this.shared = new SharedStore(stores.open(views), chance);
        this.smallWindow = chance.in(0.3);
        this.littleMemory = chance.in(0.3);
    }

    /**
     * @param stores the database's stores
     */
    static Report run(long seed, SimulatedStores stores) {
        try {
            return SimulatedThreads.simulate(
                    threads -> new Simulation(seed, stores, threads).run());
        } catch (RuntimeException failed) {
            throw new IllegalStateException("seed " + seed + " failed", failed);
        }
    }

    private Report run() {
        for (int client = 0; client < CLIENTS; client++) {
            clients.add(new SimulatedClient(chance, journal, clock));
        }
        try {
            for (int turn = 0; turn < TURNS; turn++) {
                turn();
            }
            calmDown();
        } finally {
            replaced.forEach(SimulatedProcess::close);
            if (current != null) {
                current.close();
            }
        }
        List<String> verdict = journal.verdict();
        return new Report(
                seed,
                verdict,
                journal.attempts(),
                journal.count(Outcome.COMMITTED),
                journal.count(Outcome.ABORTED),
                journal.count(Outcome.UNKNOWN),
                clients.stream().mapToInt(SimulatedClient::withoutCapacity).sum(),
                shared.lateFenced(),
                deaths,
                replacements,
                feed.commits(),
                switches,
                journal.tick() * 31 + journal.newestVersion(),
                new EnumMap<>(shared.fates()));
    }

    private void turn() {
        clock.advance(1L + chance.below((int) TURN_MICROS_MAX));
        turnClocks();
        if (shared.hasLate() && chance.in(LATE_ARRIVES)) {
            shared.landOneLate();
        }
        SimulatedProcess process = current;
        if (process == null) {
            current = start();
            return;
        }
        if (process.dead()) {
            bury(process);
            return;
        }
        if (chance.in(PROCESS_DIES)) {
            process.kill(chance.in(0.5) ? StepFate.DIES_LATE : StepFate.DIES_LANDED);
            bury(process);
            return;
        }
        if (chance.in(PROCESS_REPLACED)) {
            replace(process);
            return;
        }
        if (moves && chance.in(MIGRATION_STEP)) {
            process.migrate(chance);
        }
        for (int task = 0; moves && task < MIGRATION_TASKS && !process.dead(); task++) {
            process.workBeside(chance);
        }
        process.requireEqualStores();
        decideOne(process);
        workBeside(process);
        for (SimulatedProcess old : replaced) {
            decideOne(old);
            workBeside(old);
        }
        if (chance.in(FEED_READ)) {
            feed.read(process.database(), chance);
        }
        SimulatedClient client = clients.get(chance.below(CLIENTS));
        if (client.idle()) {
            client.begin(process);
        } else if (client.uses(process) || views) {
            client.step();
        } else {
            client.leave();
        }
    }

    private void turnClocks() {
        if (chance.in(CLOCK_JUMPS)) {
            clock.jump(
                    chance.below((int) (JUMP_MICROS_MAX / 1_000))
                            * 1_000L
                            * (chance.in(0.5) ? 1 : -1));
        }
        if (chance.in(CLOCK_FREEZES)) {
            clock.freeze(chance.in(0.5));
        }
        if (chance.in(LONG_PAUSE)) {
            clock.advance(PAUSE_MICROS);
        }
    }

    private void decideOne(SimulatedProcess process) {
        if (process.stepWaits() && chance.in(STEP_DECIDED)) {
            process.decide(chance.fate());
        }
    }

    private void workBeside(SimulatedProcess process) {
        if (chance.in(BACKGROUND)) {
            process.workBeside(chance);
        }
    }

    private @Nullable SimulatedProcess start() {
        try {
            return new SimulatedProcess(
                    threads,
                    shared,
                    SimulatedProcess.limits(smallWindow, littleMemory),
                    clock,
                    chance.seed(),
                    valueBytesMax,
                    moves);
        } catch (PetrichorException failed) {
            return null;
        }
    }

    private void bury(SimulatedProcess process) {
        deaths++;
        switches += process.switches();
        disconnectFrom(process);
        process.close();
        current = null;
    }

    /**
     * Replaces a process, which does not notice: it still has running commits, and receives more.
     * It loses its lease before the next process opens the database. A rival without the lease may
     * have opened it before, and never serves.
     */
    private void replace(SimulatedProcess old) {
        if (chance.in(RIVAL)) {
            SimulatedProcess rival = startBeside(old);
            if (rival != null) {
                rival.replace();
                replaced.add(rival);
            }
        }
        old.replace();
        replaced.add(old);
        switches += old.switches();
        replacements++;
        current = startBeside(old);
    }

    private @Nullable SimulatedProcess startBeside(SimulatedProcess old) {
        shared.interruptWith(() -> goOn(old));
        try {
            return start();
        } finally {
            shared.interruptWith(() -> {});
        }
    }

    /** Commits, applies and cleans up while the next owner takes over. */
    private void goOn(SimulatedProcess old) {
        while (!old.dead() && chance.in(INTERRUPTED)) {
            if (old.stepWaits()) {
                old.decide(chance.fate());
            }
            old.workBeside(chance);
        }
    }

    private void disconnectFrom(SimulatedProcess process) {
        for (SimulatedClient client : clients) {
            if (client.uses(process)) {
                client.disconnected();
            }
        }
    }

    /** Disables faults, lets all writes in transit arrive, then reads everything once more. */
    private void calmDown() {
        chance.heal();
        for (SimulatedProcess old : replaced) {
            while (old.stepWaits()) {
                old.decide(StepFate.LANDS);
            }
        }
        SimulatedProcess process = current;
        if (process == null || process.dead()) {
            if (process != null) {
                bury(process);
            }
            process = start();
            current = process;
        }
        if (process == null) {
            throw new IllegalStateException("a store without faults could not be opened");
        }
        while (process.stepWaits()) {
            process.decide(StepFate.LANDS);
        }
        for (SimulatedProcess old : replaced) {
            finish(old);
        }
        finish(process);
        while (shared.hasLate()) {
            shared.landOneLate();
        }
        for (SimulatedClient client : clients) {
            client.hear();
            client.disconnected();
        }
        readEverything(process);
        // Checks the content of the store itself, without the memory of its writer.
        SimulatedProcess fresh = start();
        if (fresh == null) {
            throw new IllegalStateException("a store without faults could not be reopened");
        }
        replaced.add(process);
        current = fresh;
        clients.getFirst().readEverythingNow(fresh);
        feed.finish(fresh.database());
    }

    /** Unless a late seal of a dead process arrived and fenced off the owner. */
    private void readEverything(SimulatedProcess process) {
        try {
            clients.getFirst().readEverythingNow(process);
        } catch (PetrichorException shutOut) {
            if (shutOut.code() != ErrorCode.UNAVAILABLE) {
                throw shutOut;
            }
        }
    }

    private void finish(SimulatedProcess process) {
        for (int tasks = 0;
                !process.dead() && (process.hasWorkBeside() || process.busy());
                tasks++) {
            if (tasks > TASKS_MAX) {
                throw new IllegalStateException("background work does not end");
            }
            while (process.stepWaits()) {
                process.decide(StepFate.LANDS);
            }
            process.workBeside(chance);
        }
    }
}
