package petrichor.kv.testkit;

import static petrichor.kv.testkit.StoreDriver.hex;

import java.util.List;
import java.util.SplittableRandom;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;

/** The changes of one batch. Created for each store, since a batch belongs to its receiver. */
record RandomChanges(String text, List<WriteBatch.Op> ops) {
    private static final int CHANGES_MAX = 6;
    static final int VALUE_BYTES_MAX = 12;

    /**
     * @param usual the table of most changes; the others are in one of {@code tables}
     */
    static RandomChanges of(SplittableRandom random, String usual, List<String> tables) {
        WriteBatch batch = new WriteBatch();
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(CHANGES_MAX + 1); i > 0; i--) {
            String table = Seeds.chance(random, 0.9) ? usual : Seeds.pick(random, tables);
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
                KeyRange range = range(random);
                batch.deleteRange(table, range);
                text.append("delete ").append(table).append(' ').append(range).append(", ");
            }
        }
        return new RandomChanges(text.toString(), batch.ops());
    }

    static KeyRange range(SplittableRandom random) {
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
