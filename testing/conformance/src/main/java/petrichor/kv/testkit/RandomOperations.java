package petrichor.kv.testkit;

import static petrichor.kv.testkit.StoreDriver.hex;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.testkit.StoreDriver.Operation;

/**
 * Random operations on three tables, of which one is missing most of the time, with keys from few
 * letters, so that operations affect each other; and on a table for versioned changes if the store
 * supports them. The same seed produces the same sequence.
 */
final class RandomOperations {
    private static final List<String> TABLES = List.of("one", "one", "one", "two", "two", "rare");
    private static final List<byte[]> DOMAINS = List.of(Rows.bytes("x"), new byte[0]);

    private final SplittableRandom random;
    private final Offer offer;
    private final RandomVersions versions;

    /** The first operations create the tables that the others need. */
    private final List<Supplier<Operation>> beginning =
            new ArrayList<>(List.of(() -> createTable("one"), () -> createTable("two")));

    RandomOperations(SplittableRandom random, Offer offer) {
        this.random = random;
        this.offer = offer;
        this.versions = new RandomVersions(random);
        if (offer.step() == Offer.Step.CONDITIONAL_ROW) {
            beginning.add(() -> createTable(RandomVersions.TABLE));
        }
    }

    Operation next() {
        if (!beginning.isEmpty()) {
            return beginning.removeFirst().get();
        }
        int dice = random.nextInt(100);
        if (dice < 28) {
            return offer.step() == Offer.Step.CONDITIONAL_ROW && Seeds.chance(random, 0.5)
                    ? versions.next()
                    : write();
        } else if (dice < 40) {
            return durableStep();
        } else if (dice < 52) {
            return get();
        } else if (dice < 58) {
            return getMany();
        } else if (dice < 80) {
            return scan();
        } else if (dice < 90) {
            return offer.views() ? openOrCloseView() : scan();
        } else if (dice < 93) {
            return offer.step() == Offer.Step.ATOMIC_BATCH ? takeFence() : durableStep();
        } else if (dice < 95) {
            return createTable(Seeds.pick(random, TABLES));
        } else if (dice < 96) {
            String table = Seeds.pick(random, TABLES);
            return new Operation("drop " + table, driver -> driver.dropTable(table));
        } else if (dice < 98) {
            return new Operation("reopen", StoreDriver::reopen);
        } else {
            return new Operation("tables", driver -> driver.store().tables());
        }
    }

    private static Operation createTable(String table) {
        return new Operation("create " + table, driver -> driver.createTable(table));
    }

    private Operation write() {
        RandomChanges changes = changes();
        return new Operation(
                "write " + changes.text(),
                driver -> {
                    driver.store().write(changes.batch());
                    return "written";
                });
    }

    private Operation openOrCloseView() {
        if (Seeds.chance(random, 0.6)) {
            return new Operation("open view", StoreDriver::openView);
        }
        int view = random.nextInt(8);
        return new Operation("close view " + view, driver -> driver.closeView(view));
    }

    private Operation takeFence() {
        byte[] domain = Seeds.pick(random, DOMAINS);
        return new Operation("take fence " + hex(domain), driver -> driver.takeFence(domain));
    }

    private Operation durableStep() {
        return switch (offer.step()) {
            case ATOMIC_BATCH -> commit();
            case CONDITIONAL_ROW -> conditionalRow();
            case PLAIN_ROW -> {
                String table = Seeds.pick(random, TABLES);
                byte[] key = Seeds.key(random);
                byte[] value = Seeds.bytes(random, RandomChanges.VALUE_BYTES_MAX);
                yield new Operation(
                        "put plain " + table + " " + hex(key) + "=" + hex(value),
                        driver -> driver.putPlain(table, key.clone(), value.clone()));
            }
        };
    }

    private Operation conditionalRow() {
        int dice = random.nextInt(10);
        if (dice < 6) {
            return versions.next();
        }
        String table = Seeds.pick(random, TABLES);
        byte[] key = Seeds.key(random);
        if (dice < 9) {
            byte[] value = Seeds.bytes(random, RandomChanges.VALUE_BYTES_MAX);
            return new Operation(
                    "put if absent " + table + " " + hex(key) + "=" + hex(value),
                    driver -> driver.putIfAbsent(table, key.clone(), value.clone()));
        }
        return new Operation("read " + table + " " + hex(key), driver -> driver.read(table, key));
    }

    private Operation commit() {
        RandomChanges changes = changes();
        byte[] domain = Seeds.pick(random, DOMAINS);
        int behind = Seeds.chance(random, 0.2) ? 1 : 0;
        return new Operation(
                "commit " + hex(domain) + " " + behind + " behind " + changes.text(),
                driver -> driver.commit(domain, behind, changes.batch()));
    }

    private Operation get() {
        String table = readTable();
        byte[] key = Seeds.key(random);
        int view = random.nextInt(8);
        boolean newest = random.nextBoolean();
        return new Operation(
                "get " + table + " " + hex(key),
                driver -> hex((newest ? driver.store() : driver.reads(view)).get(table, key)));
    }

    private Operation getMany() {
        String table = readTable();
        List<byte[]> keys = new ArrayList<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            keys.add(Seeds.key(random));
        }
        int view = random.nextInt(8);
        return new Operation(
                "get " + table + " " + keys.stream().map(StoreDriver::hex).toList(),
                driver ->
                        driver.reads(view).get(table, keys).stream()
                                .map(StoreDriver::hex)
                                .toList());
    }

    private Operation scan() {
        String table = readTable();
        KeyRange range = RandomChanges.range(random);
        Direction direction = random.nextBoolean() ? Direction.FORWARD : Direction.REVERSE;
        int limit = random.nextBoolean() ? Integer.MAX_VALUE : random.nextInt(5);
        int view = random.nextInt(8);
        boolean newest = random.nextBoolean();
        return new Operation(
                "scan " + table + " " + range + " " + direction + " limit " + limit,
                driver ->
                        StoreDriver.rows(
                                newest ? driver.store() : driver.reads(view),
                                table,
                                range,
                                direction,
                                limit));
    }

    /** Includes the table that only versioned changes write. */
    private String readTable() {
        boolean versioned = offer.step() == Offer.Step.CONDITIONAL_ROW && Seeds.chance(random, 0.5);
        return versioned ? RandomVersions.TABLE : Seeds.pick(random, TABLES);
    }

    private RandomChanges changes() {
        return RandomChanges.of(random, "one", TABLES);
    }
}
