package petrichor.testing.cluster;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Value;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import petrichor.base.PetrichorException;
import petrichor.testing.simulation.Attempt;
import petrichor.testing.simulation.Attempt.Operation;
import petrichor.testing.simulation.HistoryChecker;

/**
 * Transactions read lists, single ones and index ranges, and append to them; {@link HistoryChecker}
 * decides whether their observations are strictly serializable. Lists would grow indefinitely, so
 * they are grouped in generations: at the end of a generation its history is checked and discarded.
 */
final class ListAppends implements Workload {
    private static final String LIST = "List";
    private static final String ELEMENTS = "elements";
    private static final String RANK = "rank";
    private static final int LISTS = 8;
    private static final int APPENDS_PER_GENERATION = 400;
    private static final long RANKS_PER_GENERATION = 1_000;
    private static final Duration LAST_READ = Duration.ofSeconds(90);

    private final Findings findings;
    private final AtomicLong now = new AtomicLong();
    private final AtomicLong elements = new AtomicLong();
    private final List<Generation> over = new ArrayList<>();
    private Generation current = new Generation(0);
    private long judged;

    ListAppends(Findings findings) {
        this.findings = findings;
    }

    /** A set of lists and the history of their clients. */
    private static final class Generation {
        final long number;
        final List<Attempt> history = new ArrayList<>();
        int running;
        int appends;

        Generation(long number) {
            this.number = number;
        }

        /** Names sort in the order of indexes. */
        String list(int index) {
            return "g%06d-%02d".formatted(number, index);
        }

        long rank(int index) {
            return number * RANKS_PER_GENERATION + index;
        }
    }

    @Override
    public String name() {
        return "lists";
    }

    @Override
    public void prepare(LabClient client) {}

    private synchronized Generation enter() {
        if (current.appends >= APPENDS_PER_GENERATION) {
            over.add(current);
            current = new Generation(current.number + 1);
        }
        current.running++;
        return current;
    }

    private synchronized void leave(
            Generation generation, long invoked, Attempt.Outcome outcome, List<Operation> done) {
        generation.running--;
        generation.appends += (int) done.stream().filter(Attempt.Append.class::isInstance).count();
        generation.history.add(
                new Attempt(
                        generation.history.size(), invoked, now.incrementAndGet(), outcome, done));
    }

    @Override
    public boolean step(LabClient client, SplittableRandom chance) {
        Generation generation = enter();
        List<Operation> done = new ArrayList<>();
        Attempt.Outcome outcome = Attempt.Outcome.ABORTED;
        long invoked = now.incrementAndGet();
        try {
            if (chance.nextInt(4) == 0) {
                done.add(
                        chance.nextBoolean()
                                ? scan(generation, client::query, chance)
                                : read(generation, client, chance));
                outcome = Attempt.Outcome.COMMITTED;
                return false;
            }
            LabClient.Work work = client.begin();
            readAndAppend(generation, client, work, chance, done);
            outcome = Attempt.Outcome.UNKNOWN;
            outcome = Attempt.Outcome.valueOf(work.commit().name());
            return outcome == Attempt.Outcome.COMMITTED;
        } catch (PetrichorException failed) {
            if (!LabClient.explainedByFaults(failed)) {
                findings.add(name(), failed.toString());
            }
            return false;
        } finally {
            leave(generation, invoked, outcome, done);
        }
    }

    private void readAndAppend(
            Generation generation,
            LabClient client,
            LabClient.Work work,
            SplittableRandom chance,
            List<Operation> done) {
        int appended = chance.nextInt(LISTS);
        int looked = (appended + 1 + chance.nextInt(LISTS - 1)) % LISTS;
        boolean both = chance.nextInt(3) == 0;
        List<String> names = List.of(generation.list(appended), generation.list(looked));
        Map<String, Entity> found = work.lookup(client.keys(LIST, names));
        if (chance.nextInt(3) == 0) {
            done.add(scan(generation, work::query, chance));
        }
        for (int index : new int[] {appended, looked}) {
            String list = generation.list(index);
            List<Long> before = elements(found.get(list));
            done.add(new Attempt.Read(list, before));
            if (index == appended || both) {
                long element = elements.incrementAndGet();
                done.add(new Attempt.Append(list, element));
                work.upsert(
                        client.key(LIST, list),
                        Map.of(
                                ELEMENTS,
                                value(before, element),
                                RANK,
                                LabClient.number(generation.rank(index))));
            }
        }
    }

    private static Attempt.Read read(
            Generation generation, LabClient client, SplittableRandom chance) {
        String list = generation.list(chance.nextInt(LISTS));
        Map<String, Entity> found = client.lookup(client.keys(LIST, List.of(list)));
        return new Attempt.Read(list, elements(found.get(list)));
    }

    private interface Queries {
        Map<String, Entity> run(com.google.datastore.v1.Query query);
    }

    private static Attempt.Scan scan(
            Generation generation, Queries queries, SplittableRandom chance) {
        int from = chance.nextInt(LISTS);
        int to = from + 1 + chance.nextInt(LISTS - from);
        return scan(generation, queries, from, to);
    }

    private static Attempt.Scan scan(Generation generation, Queries queries, int from, int to) {
        TreeMap<String, List<Long>> lists = new TreeMap<>();
        queries.run(LabClient.between(LIST, RANK, generation.rank(from), generation.rank(to)))
                .forEach((name, list) -> lists.put(name, elements(list)));
        return new Attempt.Scan(generation.list(from), generation.list(to), lists);
    }

    private static Value value(List<Long> before, long element) {
        Value.Builder value = Value.newBuilder();
        before.forEach(one -> value.getArrayValueBuilder().addValues(unindexed(one)));
        value.getArrayValueBuilder().addValues(unindexed(element));
        return value.build();
    }

    private static Value unindexed(long element) {
        return Value.newBuilder().setIntegerValue(element).setExcludeFromIndexes(true).build();
    }

    private static List<Long> elements(@org.jspecify.annotations.Nullable Entity list) {
        return list == null
                ? List.of()
                : list.getPropertiesOrThrow(ELEMENTS).getArrayValue().getValuesList().stream()
                        .map(Value::getIntegerValue)
                        .toList();
    }

    // ---- the judge

    @Override
    public void judge(LabClient client, boolean last) {
        for (Generation generation : ripe(last)) {
            long invoked = now.incrementAndGet();
            List<Operation> everything = new ArrayList<>();
            boolean read =
                    client.insist(
                            LAST_READ,
                            () -> everything.add(scan(generation, client::query, 0, LISTS)));
            if (read) {
                synchronized (this) {
                    generation.running++;
                }
                leave(generation, invoked, Attempt.Outcome.COMMITTED, everything);
            } else if (last) {
                findings.add(name(), "could not be read at the end");
            }
            // Without the final read the history is still checked, but with fewer observations.
            HistoryChecker.check(generation.history)
                    .forEach(
                            anomaly ->
                                    findings.add(
                                            name(),
                                            "generation " + generation.number + ", " + anomaly));
            judged += generation.history.size();
        }
    }

    /** Number of transactions checked so far. */
    synchronized long judged() {
        return judged;
    }

    private synchronized List<Generation> ripe(boolean last) {
        List<Generation> ripe = new ArrayList<>();
        if (last && !current.history.isEmpty()) {
            over.add(current);
            current = new Generation(current.number + 1);
        }
        over.removeIf(generation -> generation.running == 0 && ripe.add(generation));
        return ripe;
    }
}
