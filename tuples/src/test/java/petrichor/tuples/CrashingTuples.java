package petrichor.tuples;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import petrichor.base.PetrichorException;
import petrichor.transactions.databases.RowDatabase;
import petrichor.transactions.ring.Ring;

/** The process that {@link KilledTuplesTest} kills. Reports each write after its commit. */
final class CrashingTuples {
    private static final int KEYS = 400;

    private CrashingTuples() {}

    public static void main(String[] arguments) {
        Random random = new Random(Long.parseLong(arguments[1]));
        RingFolders stores = new RingFolders(Path.of(arguments[0]));
        RowDatabase database = stores.databases.open("p");
        TupleStore tuples = new TupleStore(database, random);
        if (tuples.collections().isEmpty()) {
            var _ = tuples.create("c", new TuplePlacement.Ordered(), true);
        }
        Thread changes =
                Thread.ofPlatform().daemon().start(() -> change(tuples, random.nextInt(4)));
        if (arguments[2].equals("ring")) {
            var _ =
                    Thread.ofPlatform()
                            .daemon()
                            .start(() -> move(database.ring(), new Random(random.nextLong())));
        }
        while (changes.isAlive()) {
            write(tuples, random);
        }
    }

    /** Members join and leave as fast as ranges move. */
    private static void move(Ring ring, Random random) {
        if (ring.status().isEmpty()) {
            ring.create(List.of("a", "b"));
            ring.cover(TupleRanges.all());
        }
        while (true) {
            long moved = ring.status().orElseThrow().moved().ranges();
            String store = RingFolders.STORES.get(random.nextInt(RingFolders.STORES.size()));
            try {
                switch (random.nextInt(4)) {
                    case 0 -> ring.add(store);
                    case 1 -> ring.remove(store);
                    case 2 -> ring.rebalance(random.nextBoolean());
                    default -> ring.move(TupleRanges.all().get(random.nextInt(3)), store);
                }
            } catch (PetrichorException notNow) {
                // For instance a store that is a member already.
            }
            while (!ring.status().orElseThrow().settled()) {
                Thread.onSpinWait();
            }
            if (ring.status().orElseThrow().moved().ranges() > moved) {
                System.out.println("moved");
            }
        }
    }

    private static void write(TupleStore tuples, Random random) {
        String key = "k" + random.nextInt(KEYS);
        List<Tuple> found = tuples.get("c", List.of(key), 0).tuples();
        int number =
                found.isEmpty()
                        ? 1
                        : Integer.parseInt(new String(found.getFirst().value(), UTF_8)) + 1;
        TreeSet<Tag> tags = new TreeSet<>();
        tags.add(new Tag("a", "v" + random.nextInt(20)));
        tags.add(new Tag("b", "v" + random.nextInt(20)));
        tags.add(new Tag("many", "v" + random.nextInt(3)));
        tags.add(new Tag("many", "w" + random.nextInt(3)));
        var _ =
                tuples.write(
                        List.of(
                                new TupleWrite.Put(
                                        "c",
                                        key,
                                        String.valueOf(number).getBytes(UTF_8),
                                        tags,
                                        TupleWrite.Condition.NONE)),
                        true);
        System.out.println("put " + key + " " + number + ";");
    }

    private static void change(TupleStore tuples, int first) {
        List<TuplePlacement> placements =
                List.of(
                        new TuplePlacement.Tagged(List.of("a", "b"), 3),
                        new TuplePlacement.Affinity("/", 9),
                        new TuplePlacement.Hashed(7),
                        new TuplePlacement.Ordered());
        for (int i = first; ; i++) {
            while (tuples.work()) {
                System.out.println("step");
            }
            System.out.println("changed");
            var _ = tuples.changePlacement("c", placements.get(i % placements.size()));
        }
    }
}
