package petrichor.testing.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.testing.simulation.Attempt.Append;
import petrichor.testing.simulation.Attempt.Operation;
import petrichor.testing.simulation.Attempt.Outcome;
import petrichor.testing.simulation.Attempt.Read;
import petrichor.testing.simulation.Attempt.Scan;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionOptions;

/**
 * A client that runs transactions and snapshots one after the other, one small step per turn, and
 * records its observations. It receives no more information than a real client.
 */
final class SimulatedClient {
    private static final double SNAPSHOTS = 0.15;
    private static final double PAST = 0.1;
    private static final double WITH_LOCKS = 0.4;

    /** Probability that a client with locks never ends its transaction. */
    private static final double STALLS = 0.1;

    private static final double STALL_ENDS = 0.05;

    private static final String[] EVERYTHING = {"b/", "d/", "i/", "j/", "l/"};

    private final SeededRandom chance;
    private final Journal journal;
    private final TimeSource clock;

    private @Nullable Session session;
    private int withoutCapacity;

    SimulatedClient(SeededRandom chance, Journal journal, TimeSource clock) {
        this.chance = chance;
        this.journal = journal;
        this.clock = clock;
    }

    /** A running attempt. */
    private static final class Session {
        private final int id;
        private final SimulatedProcess process;
        private final long invoked;
        private final RowReader reader;
        private final boolean past;
        private final Deque<Runnable> steps = new ArrayDeque<>();
        private final List<Operation> operations = new ArrayList<>();
        private final List<Observation> observations = new ArrayList<>();
        private final Map<String, Row> seen = new TreeMap<>();
        private List<RowWrite> writes = List.of();
        private @Nullable CompletableFuture<CommitResult> answer;

        /** Locks for which it waits before its next step. */
        private @Nullable CompletableFuture<Void> locks;

        private boolean withLocks;
        private Draft draft = Draft.EMPTY;

        Session(int id, SimulatedProcess process, long invoked, RowReader reader, boolean past) {
            this.id = id;
            this.process = process;
            this.invoked = invoked;
            this.reader = reader;
            this.past = past;
        }
    }

    /**
     * The planned writes of a transaction.
     *
     * @param lists one or two lists
     * @param flipped a switch; -1 for none
     * @param from source account
     * @param to target account; -1 for none
     */
    private record Draft(int[] lists, int flipped, int from, int to) {
        static final Draft EMPTY = new Draft(new int[0], -1, -1, -1);

        List<byte[]> keys() {
            List<byte[]> keys = new ArrayList<>();
            for (int list : lists) {
                keys.add(Dataset.key(Dataset.list(list)));
            }
            if (flipped >= 0) {
                keys.add(Dataset.key(Dataset.switchRow(flipped)));
            }
            if (from >= 0) {
                keys.add(Dataset.key(Dataset.account(from)));
                keys.add(Dataset.key(Dataset.account(to)));
            }
            return keys;
        }
    }

    /** Number of commits refused by back-pressure from the apply queue. */
    int withoutCapacity() {
        return withoutCapacity;
    }

    boolean idle() {
        return session == null;
    }

    boolean uses(SimulatedProcess process) {
        return session != null && session.process == process;
    }

    /** Starts a transaction or a snapshot; does nothing if the process refuses. */
    void begin(SimulatedProcess process) {
        long invoked = journal.tick();
        try {
            if (chance.in(SNAPSHOTS)) {
                readEverything(
                        new Session(
                                journal.nextId(),
                                process,
                                invoked,
                                process.database().snapshot(),
                                false));
            } else if (chance.in(PAST) && journal.newestVersion() > 0) {
                long version = pastVersion(process);
                readEverything(
                        new Session(
                                journal.nextId(),
                                process,
                                invoked,
                                process.database().snapshotAt(version),
                                true));
            } else {
                boolean withLocks = chance.in(WITH_LOCKS);
                Transaction transaction =
                        process.database()
                                .begin(
                                        withLocks
                                                ? new TransactionOptions.Pessimistic(null)
                                                : new TransactionOptions.Optimistic(null));
                Session now = new Session(journal.nextId(), process, invoked, transaction, false);
                now.withLocks = withLocks;
                readAndWrite(now);
            }
        } catch (PetrichorException refused) {
            session = null;
        }
    }

    /**
     * A reported version, or the newest one: no later commit may have this version or a lower one.
     */
    private long pastVersion(SimulatedProcess process) {
        // Reading the newest version takes a durable step and its lock, for which this thread
        // cannot wait.
        return chance.in(0.3) && !process.busy()
                ? clock.epochMicros()
                : journal.pastVersion(chance);
    }

    /** Reads and audits all rows; for the end, without faults. */
    void readEverythingNow(SimulatedProcess process) {
        long invoked = journal.tick();
        readEverything(
                new Session(
                        journal.nextId(), process, invoked, process.database().snapshot(), false));
        while (!idle()) {
            step();
        }
    }

    private void readEverything(Session now) {
        session = now;
        for (String prefix : EVERYTHING) {
            now.steps.add(() -> scan(now, Dataset.under(prefix), false));
        }
        now.steps.add(() -> audit(now));
    }

    private void readAndWrite(Session now) {
        session = now;
        for (int count = chance.below(3); count > 0; count--) {
            String key = Dataset.list(chance.below(Dataset.LISTS));
            switch (chance.below(4)) {
                case 0 -> now.steps.add(() -> scan(now, Dataset.under("l/"), true));
                case 1 -> {
                    String bucket = "i/" + chance.below(Dataset.BUCKETS) + "/";
                    now.steps.add(() -> scan(now, Dataset.under(bucket), true));
                }
                case 2 -> now.steps.add(() -> scan(now, Dataset.under("j/0/"), true));
                default -> {
                    now.steps.add(() -> prepare(now, List.of(Dataset.key(key)), List.of()));
                    now.steps.add(() -> read(now, key));
                }
            }
        }
        now.steps.add(() -> draft(now));
        if (now.withLocks && chance.in(STALLS)) {
            // Stays stalled until it gives up or its process dies.
            return;
        }
        now.steps.add(() -> commit(now));
    }

    /** Requests locks between two steps, asynchronously, as a front end does. */
    private static void prepare(Session now, List<byte[]> read, List<byte[]> written) {
        CompletableFuture<Void> locks = ((Transaction) now.reader).prepare(read, written);
        now.locks = locks;
        now.process.settle();
    }

    /** Takes the next step of the attempt, or handles the response. */
    void step() {
        Session now = session;
        if (now == null) {
            return;
        }
        if (now.answer != null) {
            hear();
            return;
        }
        CompletableFuture<Void> locks = now.locks;
        if (locks != null && !locks.isDone()) {
            return;
        }
        if (locks != null && locks.isCompletedExceptionally()) {
            end(now, Outcome.ABORTED, 0);
            return;
        }
        if (now.steps.isEmpty()) {
            if (chance.in(STALL_ENDS)) {
                end(now, Outcome.ABORTED, 0);
            }
            return;
        }
        try {
            now.steps.remove().run();
        } catch (PetrichorException failed) {
            // In any case, no commit was requested.
            end(now, Outcome.ABORTED, 0);
        }
    }

    /** Handles the response to a commit, if it has arrived. */
    void hear() {
        Session now = session;
        if (now != null && now.answer != null && now.answer.isDone()) {
            told(now, now.answer.join());
        }
    }

    /** Sends no more requests to its process; only waits for an outstanding response. */
    void leave() {
        Session now = session;
        if (now != null && now.answer == null) {
            disconnected();
        } else {
            hear();
        }
    }

    /** Its process has died or must no longer be used. */
    void disconnected() {
        Session now = session;
        if (now != null) {
            end(now, now.answer == null ? Outcome.ABORTED : Outcome.UNKNOWN, 0);
        }
    }

    // ---- reads

    private @Nullable Row read(Session now, String key) {
        Row row = now.reader.get(Dataset.key(key));
        now.observations.add(
                new Observation(
                        KeyRange.ofKey(Dataset.key(key)), row == null ? List.of() : List.of(row)));
        if (key.startsWith("l/")) {
            now.operations.add(new Read(key, Dataset.elements(row)));
            journal.saw(key, row);
        }
        return row;
    }

    /** Reads a range, possibly only a part of it. */
    private List<Row> scan(Session now, KeyRange range, boolean mayStop) {
        Direction direction = mayStop && chance.in(0.3) ? Direction.REVERSE : Direction.FORWARD;
        int limit = mayStop && chance.in(0.5) ? 1 + chance.below(3) : Integer.MAX_VALUE;
        List<Row> rows = new ArrayList<>();
        KeyRange seen = range;
        try (RowCursor cursor = now.reader.scan(range, direction)) {
            while (true) {
                if (rows.size() == limit) {
                    byte[] last = rows.getLast().key();
                    seen =
                            direction == Direction.FORWARD
                                    ? new KeyRange(range.from(), Bytes.successor(last))
                                    : new KeyRange(last, range.to());
                    break;
                }
                if (!cursor.next()) {
                    break;
                }
                rows.add(new Row(cursor.key(), cursor.version(), cursor.value()));
            }
        }
        rows.sort((one, other) -> Bytes.compare(one.key(), other.key()));
        now.observations.add(new Observation(seen, rows));
        TreeMap<String, List<Long>> lists = new TreeMap<>();
        for (Row row : rows) {
            String key = Dataset.text(row.key());
            now.seen.put(key, row);
            if (key.startsWith("l/")) {
                lists.put(key, Dataset.elements(row));
                journal.saw(key, row);
            }
        }
        byte[] to = seen.to();
        if (to != null) {
            // Keys are plain text; a key's successor ends with a zero byte.
            now.operations.add(new Scan(Dataset.text(seen.from()), Dataset.text(to), lists));
        }
        return rows;
    }

    private void audit(Session now) {
        Dataset.audit(now.seen).forEach(what -> journal.finding(now.id, what));
        end(now, Outcome.COMMITTED, now.reader.version());
    }

    // ---- writes

    private void draft(Session now) {
        int first = chance.below(Dataset.LISTS);
        int second = chance.in(0.3) ? chance.below(Dataset.LISTS) : first;
        int flipped = chance.in(0.3) ? chance.below(Dataset.SWITCHES) : -1;
        int from = chance.in(0.3) ? chance.below(Dataset.ACCOUNTS) : -1;
        int to = from < 0 ? -1 : (from + 1 + chance.below(Dataset.ACCOUNTS - 1)) % Dataset.ACCOUNTS;
        now.draft =
                new Draft(
                        first == second ? new int[] {first} : new int[] {first, second},
                        flipped,
                        from,
                        to);
        prepare(now, List.of(), now.draft.keys());
    }

    private void commit(Session now) {
        List<byte[]> conflictKeys = new ArrayList<>();
        List<RowWrite> writes = new ArrayList<>();
        append(now, conflictKeys, writes);
        if (now.draft.flipped() >= 0) {
            flip(now, conflictKeys, writes);
        }
        if (now.draft.from() >= 0) {
            transfer(now, conflictKeys, writes);
        }
        now.writes = writes;
        CompletableFuture<CommitResult> answer =
                ((Transaction) now.reader).commit(conflictKeys, writes);
        now.answer = answer;
        now.process.settle();
    }

    private void append(Session now, List<byte[]> conflictKeys, List<RowWrite> writes) {
        int[] lists = now.draft.lists();
        for (int number : lists) {
            String key = Dataset.list(number);
            long element = journal.nextElement();
            while (element % Dataset.BUCKETS == 0 && (lists.length > 1 || quotaReached(now))) {
                element = journal.nextElement();
            }
            Row prior = read(now, key);
            List<Long> elements = Dataset.elements(prior);
            if (prior != null) {
                long last = elements.getLast();
                String former = Dataset.listIndex(last, key);
                if (!former.equals(Dataset.listIndex(element, key))) {
                    writes.add(delete(former, index(former, prior.version(), last)));
                }
            }
            Row formerIndex = null;
            String index = Dataset.listIndex(element, key);
            if (prior != null && index.equals(Dataset.listIndex(elements.getLast(), key))) {
                formerIndex = index(index, prior.version(), elements.getLast());
            }
            writes.add(new RowWrite(Dataset.key(index), Dataset.value(element), formerIndex));
            elements.add(element);
            writes.add(new RowWrite(Dataset.key(key), Dataset.value(elements), prior));
            conflictKeys.add(Dataset.key(key));
            now.operations.add(new Append(key, element));
            journal.appends(now.id, element);
        }
    }

    private boolean quotaReached(Session now) {
        return scan(now, Dataset.under("i/0/"), false).size() >= Dataset.QUOTA;
    }

    private void flip(Session now, List<byte[]> conflictKeys, List<RowWrite> writes) {
        int number = now.draft.flipped();
        String key = Dataset.switchRow(number);
        String index = Dataset.switchIndex(number);
        Row prior = read(now, key);
        if (prior == null) {
            writes.add(new RowWrite(Dataset.key(key), Dataset.value(number), null));
            writes.add(new RowWrite(Dataset.key(index), Dataset.value(number), null));
        } else {
            writes.add(delete(key, prior));
            writes.add(delete(index, index(index, prior.version(), number)));
        }
        conflictKeys.add(Dataset.key(key));
    }

    private void transfer(Session now, List<byte[]> conflictKeys, List<RowWrite> writes) {
        int from = now.draft.from();
        int to = now.draft.to();
        long amount = 1L + chance.below(10);
        for (int number : new int[] {from, to}) {
            String key = Dataset.account(number);
            Row prior = read(now, key);
            long balance = Dataset.balance(prior) + (number == from ? -amount : amount);
            writes.add(new RowWrite(Dataset.key(key), Dataset.value(balance), prior));
            conflictKeys.add(Dataset.key(key));
        }
    }

    private static RowWrite delete(String key, Row prior) {
        return new RowWrite(Dataset.key(key), null, prior);
    }

    /** An index row is derived from its row: it is replaced without being read. */
    private static Row index(String key, long version, long value) {
        return new Row(Dataset.key(key), version, Dataset.value(value));
    }

    // ---- ends

    private void told(Session now, CommitResult result) {
        switch (result) {
            case CommitResult.Committed(long version) -> end(now, Outcome.COMMITTED, version);
            case CommitResult.Conflict _ -> end(now, Outcome.ABORTED, 0);
            case CommitResult.Refused(PetrichorException reason) -> {
                if (String.valueOf(reason.getMessage()).contains("not applied yet")) {
                    withoutCapacity++;
                }
                end(now, Outcome.ABORTED, 0);
            }
            case CommitResult.Unknown _ -> end(now, Outcome.UNKNOWN, 0);
        }
    }

    private void end(Session now, Outcome outcome, long version) {
        session = null;
        switch (now.reader) {
            case Snapshot snapshot -> snapshot.close();
            case Transaction transaction -> {
                if (now.answer == null) {
                    rollback(transaction);
                }
            }
            default -> throw new IllegalStateException("read by " + now.reader);
        }
        journal.ended(
                new Attempt(now.id, now.invoked, journal.tick(), outcome, now.operations),
                version,
                now.past,
                now.observations,
                now.writes);
    }

    private static void rollback(Transaction transaction) {
        try {
            transaction.rollback();
        } catch (PetrichorException gone) {
            // The process has died.
        }
    }
}
