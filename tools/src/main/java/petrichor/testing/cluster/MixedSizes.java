package petrichor.testing.cluster;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.testing.process.Pause;

/**
 * Writes entities of 1 byte to 1 MB, most of them small, in bursts of one order of magnitude, so
 * that the store splits partitions with rows of very different sizes. Each client writes separate
 * entities and records what was acknowledged. After every fault, such as a restart of a server or
 * of the store, and at the end, lookups and a query must return exactly that content.
 */
final class MixedSizes implements Workload {
    private static final String KIND = "Sized";
    private static final String CONTENT = "content";
    private static final String SEED = "seed";
    private static final String SIZE = "size";
    private static final int ENTITIES = 1_500;
    private static final int BYTES_MAX = 1_000_000;

    /** Maximum bytes of a commit; a burst of small entities has more of them. */
    private static final int COMMIT_BYTES = 1_500_000;

    private static final int COMMIT_ENTITIES_MAX = 200;

    /** Number of entities per lookup in a comparison. */
    private static final int COMPARED_AT_ONCE = 3;

    /** Number of entities per comparison while faults are injected. */
    private static final int COMPARED_MEANWHILE = 60;

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** The content of an entity; -1 means that it does not exist. */
    private record Content(long seed, int size) {
        static final Content NONE = new Content(0, -1);
    }

    /** The possible contents of an entity; guarded by itself. */
    private static final class Slot {
        /** Written by the last acknowledged commit. */
        Content committed = Content.NONE;

        /** Written by commits of unknown outcome. */
        final Set<Content> late = new HashSet<>();

        boolean inUse;

        boolean mayHold(Content content) {
            return committed.equals(content) || late.contains(content);
        }

        boolean mayExist(boolean exists) {
            return Stream.concat(Stream.of(committed), late.stream())
                    .anyMatch(content -> exists != content.equals(Content.NONE));
        }
    }

    private final Findings findings;
    private final ConcurrentHashMap<Integer, Slot> slots = new ConcurrentHashMap<>();

    MixedSizes(Findings findings) {
        this.findings = findings;
    }

    @Override
    public String name() {
        return "sizes";
    }

    @Override
    public void prepare(LabClient client) {}

    @Override
    public boolean step(LabClient client, SplittableRandom chance) {
        int size = size(chance);
        int count = Math.clamp(COMMIT_BYTES / size, 1, COMMIT_ENTITIES_MAX);
        List<Integer> numbers = reserve(chance, count);
        if (numbers.isEmpty()) { // all are being compared
            Pause.briefly();
            return false;
        }
        Map<Integer, Content> wanted = new TreeMap<>();
        LabClient.Work work = client.begin();
        for (int number : numbers) {
            Key key = key(client, number);
            if (chance.nextInt(20) == 0) {
                work.delete(key);
                wanted.put(number, Content.NONE);
            } else {
                Content content = new Content(chance.nextLong(), chance.nextInt(1, size + 1));
                work.upsert(key, properties(content));
                wanted.put(number, content);
            }
        }
        LabClient.Outcome outcome = LabClient.Outcome.UNKNOWN;
        try {
            // A transaction begins with a read.
            work.lookup(List.of(key(client, numbers.getFirst())));
            outcome = work.commit();
        } catch (PetrichorException failed) {
            outcome = LabClient.Outcome.ABORTED;
            if (!LabClient.explainedByFaults(failed)) {
                findings.add(name(), failed.toString());
            }
        } finally {
            settle(wanted, outcome);
        }
        return outcome == LabClient.Outcome.COMMITTED;
    }

    /** Reserves entities, so that no other client writes them meanwhile. */
    private List<Integer> reserve(SplittableRandom chance, int count) {
        List<Integer> reserved = new ArrayList<>();
        int from = chance.nextInt(ENTITIES);
        for (int at = 0; at < ENTITIES && reserved.size() < count; at++) {
            int number = (from + at) % ENTITIES;
            Slot slot = slot(number);
            synchronized (slot) {
                if (!slot.inUse) {
                    slot.inUse = true;
                    reserved.add(number);
                }
            }
        }
        return reserved;
    }

    private void settle(Map<Integer, Content> wanted, LabClient.Outcome outcome) {
        wanted.forEach(
                (number, content) -> {
                    Slot slot = slot(number);
                    synchronized (slot) {
                        slot.inUse = false;
                        slot.notifyAll();
                        switch (outcome) {
                            case COMMITTED -> slot.committed = content;
                            case ABORTED -> {}
                            case UNKNOWN -> {
                                // It may also take effect after the next one.
                                slot.late.add(content);
                            }
                        }
                    }
                });
    }

    /** Compares some of the entities while clients run, and all of them at the end. */
    @Override
    public void judge(LabClient client, boolean last) {
        if (last) {
            compareAll(client);
            return;
        }
        SplittableRandom chance = new SplittableRandom(System.nanoTime());
        List<Integer> numbers = new ArrayList<>(new TreeSet<>(slots.keySet()));
        if (numbers.size() > COMPARED_MEANWHILE) {
            int from = chance.nextInt(numbers.size() - COMPARED_MEANWHILE);
            numbers = numbers.subList(from, from + COMPARED_MEANWHILE);
        }
        for (List<Integer> some : groups(numbers)) {
            List<Integer> held = hold(some);
            try {
                // A fault may make them unreadable for longer.
                boolean _ = client.insist(TIMEOUT, () -> compare(client, held));
            } finally {
                release(held);
            }
        }
    }

    /** Compares everything that can be read; clients wait meanwhile. */
    @Override
    public void judgeRecovered(LabClient client) {
        List<Integer> all = everyNumber();
        all.forEach(this::awaitAndHold);
        try {
            compareAll(client);
        } finally {
            release(all);
        }
    }

    /** The caller holds all entities, or clients have stopped. */
    private void compareAll(LabClient client) {
        for (List<Integer> some : groups(everyNumber())) {
            if (!client.insist(TIMEOUT, () -> compare(client, some))) {
                findings.add(name(), "entities " + some + " and later could not be read");
                return;
            }
        }
        if (!client.insist(TIMEOUT, () -> compareNames(client.names(KIND)))) {
            findings.add(name(), "the names of the entities could not be read");
        }
    }

    private boolean compareNames(Set<String> found) {
        Set<String> unknown = new TreeSet<>(found);
        for (int number : everyNumber()) {
            String name = name(number);
            unknown.remove(name);
            Slot slot = slot(number);
            synchronized (slot) {
                if (!slot.mayExist(found.contains(name))) {
                    findings.add(
                            name(),
                            "a query "
                                    + (found.contains(name) ? "returns " : "misses ")
                                    + name
                                    + ", which holds "
                                    + slot.committed);
                }
            }
        }
        if (!unknown.isEmpty()) {
            findings.add(name(), "a query returns " + unknown + ", which no client wrote");
        }
        return true;
    }

    private static List<Integer> everyNumber() {
        return IntStream.range(0, ENTITIES).boxed().toList();
    }

    private static List<List<Integer>> groups(List<Integer> numbers) {
        List<List<Integer>> groups = new ArrayList<>();
        for (int from = 0; from < numbers.size(); from += COMPARED_AT_ONCE) {
            groups.add(numbers.subList(from, Math.min(numbers.size(), from + COMPARED_AT_ONCE)));
        }
        return groups;
    }

    private Slot slot(int number) {
        return slots.computeIfAbsent(number, _ -> new Slot());
    }

    private void awaitAndHold(int number) {
        Slot slot = slot(number);
        synchronized (slot) {
            while (slot.inUse) {
                try {
                    slot.wait();
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException(interrupted);
                }
            }
            slot.inUse = true;
        }
    }

    private List<Integer> hold(List<Integer> numbers) {
        List<Integer> held = new ArrayList<>();
        for (int number : numbers) {
            Slot slot = slot(number);
            synchronized (slot) {
                if (!slot.inUse) {
                    slot.inUse = true;
                    held.add(number);
                }
            }
        }
        return held;
    }

    private void release(List<Integer> held) {
        for (int number : held) {
            Slot slot = slot(number);
            synchronized (slot) {
                slot.inUse = false;
                slot.notifyAll();
            }
        }
    }

    private boolean compare(LabClient client, List<Integer> numbers) {
        if (numbers.isEmpty()) {
            return true;
        }
        Map<String, Entity> found =
                client.lookup(numbers.stream().map(number -> key(client, number)).toList());
        for (int number : numbers) {
            Slot slot = slot(number);
            Content there = content(number, found.get(name(number)));
            synchronized (slot) {
                if (!slot.mayHold(there)) {
                    findings.add(
                            name(), name(number) + " holds " + there + ", not " + slot.committed);
                }
            }
        }
        return true;
    }

    private Content content(int number, @Nullable Entity entity) {
        if (entity == null) {
            return Content.NONE;
        }
        Content content =
                new Content(LabClient.number(entity, SEED), (int) LabClient.number(entity, SIZE));
        ByteString bytes = entity.getPropertiesOrThrow(CONTENT).getBlobValue();
        if (!bytes.equals(bytes(content))) {
            findings.add(name(), name(number) + " has other content than was written to it");
        }
        return content;
    }

    private static Map<String, Value> properties(Content content) {
        return Map.of(
                SEED,
                LabClient.number(content.seed),
                SIZE,
                LabClient.number(content.size),
                CONTENT,
                Value.newBuilder()
                        .setBlobValue(bytes(content))
                        .setExcludeFromIndexes(true)
                        .build());
    }

    private static ByteString bytes(Content content) {
        byte[] bytes = new byte[content.size];
        new SplittableRandom(content.seed).nextBytes(bytes);
        return ByteString.copyFrom(bytes);
    }

    /** 1 byte to 1 MB; all orders of magnitude are equally frequent. */
    private static int size(SplittableRandom chance) {
        return Math.clamp((int) Math.pow(10, chance.nextDouble(0, 6)), 1, BYTES_MAX);
    }

    private static String name(int number) {
        return "sized-" + number;
    }

    private static Key key(LabClient client, int number) {
        return client.key(KIND, name(number));
    }
}
