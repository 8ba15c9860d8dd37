package petrichor.kv.testkit;

import static petrichor.kv.testkit.StoreDriver.hex;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;
import petrichor.kv.testkit.StoreDriver.Operation;

/**
 * Operations on three tables, of which one does not exist most of the time, with keys out of few
 * letters, so that operations meet. One random, one sequence.
 */
final class RandomOperations {
    private static final List<String> TABLES = List.of("one", "one", "one", "two", "two", "rare");
    private static final List<byte[]> DOMAINS = List.of(Rows.bytes("x"), new byte[0]);
    private static final int BATCH_CHANGES_MAX = 6;
    private static final int VALUE_BYTES_MAX = 12;

    private final SplittableRandom random;

    /** The first operations make the tables that the others need. */
    private final List<Supplier<Operation>> beginning =
            new ArrayList<>(List.of(() -> createTable("one"), () -> createTable("two")));

    RandomOperations(SplittableRandom random) {
        this.random = random;
    }

    Operation next() {
        if (!beginning.isEmpty()) {
            return beginning.removeFirst().get();
        }
        int dice = random.nextInt(100);
        if (dice < 28) {
            return write();
        } else if (dice < 40) {
            return commit();
        } else if (dice < 52) {
            return get();
        } else if (dice < 58) {
            return getMany();
        } else if (dice < 80) {
            return scan();
        } else if (dice < 86) {
            return new Operation("open view", StoreDriver::openView);
        } else if (dice < 90) {
            int view = random.nextInt(8);
            return new Operation("close view " + view, driver -> driver.closeView(view));
        } else if (dice < 93) {
            byte[] domain = Seeds.pick(random, DOMAINS);
            return new Operation("take fence " + hex(domain), driver -> driver.takeFence(domain));
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
        Changes changes = changes();
        return new Operation(
                "write " + changes.text,
                driver -> {
                    driver.store().write(changes.batch());
                    return "written";
                });
    }

    private Operation commit() {
        Changes changes = changes();
        byte[] domain = Seeds.pick(random, DOMAINS);
        int behind = Seeds.chance(random, 0.2) ? 1 : 0;
        return new Operation(
                "commit " + hex(domain) + " " + behind + " behind " + changes.text,
                driver -> driver.commit(domain, behind, changes.batch()));
    }

    private Operation get() {
        String table = Seeds.pick(random, TABLES);
        byte[] key = Seeds.key(random);
        int view = random.nextInt(8);
        boolean newest = random.nextBoolean();
        return new Operation(
                "get " + table + " " + hex(key),
                driver -> hex((newest ? driver.store() : driver.reads(view)).get(table, key)));
    }

    private Operation getMany() {
        String table = Seeds.pick(random, TABLES);
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
        String table = Seeds.pick(random, TABLES);
        KeyRange range = range();
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

    private KeyRange range() {
        byte[] one = Seeds.key(random);
        byte[] other = Seeds.key(random);
        int dice = random.nextInt(5);
        if (dice == 0) {
            return KeyRange.ALL;
        } else if (dice == 1) {
            return new KeyRange(one, null);
        } else if (dice == 2) {
            return KeyRange.ofPrefix(one);
        }
        return Bytes.compare(one, other) <= 0 ? new KeyRange(one, other) : new KeyRange(other, one);
    }

    /** Made anew for each store, since a batch belongs to whom it was given. */
    private record Changes(String text, List<WriteBatch.Op> ops) {
        WriteBatch batch() {
            WriteBatch batch = new WriteBatch();
            for (WriteBatch.Op op : ops) {
                switch (op) {
                    case WriteBatch.Put(String table, byte[] key, byte[] value) ->
                            batch.put(table, key.clone(), value.clone());
                    case WriteBatch.Delete(String table, byte[] key) ->
                            batch.delete(table, key.clone());
                    case WriteBatch.DeleteRange(String table, KeyRange range) ->
                            batch.deleteRange(table, range);
                }
            }
            return batch;
        }
    }

    private Changes changes() {
        WriteBatch batch = new WriteBatch();
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(BATCH_CHANGES_MAX + 1); i > 0; i--) {
            String table = Seeds.chance(random, 0.9) ? "one" : Seeds.pick(random, TABLES);
            int dice = random.nextInt(10);
            if (dice < 7) {
                byte[] key = Seeds.key(random);
                byte[] value = Seeds.bytes(random, VALUE_BYTES_MAX);
                batch.put(table, key, value);
                text.append("put ").append(table).append(' ').append(hex(key)).append('=');
                text.append(hex(value)).append(", ");
            } else if (dice < 9) {
                byte[] key = Seeds.key(random);
                batch.delete(table, key);
                text.append("delete ").append(table).append(' ').append(hex(key)).append(", ");
            } else {
                KeyRange range = range();
                batch.deleteRange(table, range);
                text.append("delete ").append(table).append(' ').append(range).append(", ");
            }
        }
        return new Changes(text.toString(), batch.ops());
    }
}
