package petrichor.tables;

import petrichor.base.OrderedWriter;

/**
 * Layout of the rows of tables in a database's row space: the type {@code T}, the table, the index
 * (0 for the rows themselves), and the encoded columns. Table 0 is the catalog.
 */
final class TableKeys {
    static final int TYPE = 'T';

    /** Type, table and index. */
    static final int PREFIX_BYTES = 9;

    static final int ROWS = 0;

    private static final int CATALOG = 0;
    private static final int VERSION = 'V';
    private static final int OBJECT = 'O';
    private static final int SEQUENCE = 'S';
    private static final int DROPPED = 'D';
    private static final int BUILD = 'B';
    private static final int LIVE = 'L';

    private static final byte[] VERSION_KEY = catalog(VERSION).toBytes();

    private TableKeys() {}

    static OrderedWriter of(int table, int index) {
        return new OrderedWriter(48).put(TYPE).putInt(table).putInt(index);
    }

    /** Every row of a table and of its indexes. */
    static byte[] table(int table) {
        return new OrderedWriter(5).put(TYPE).putInt(table).toBytes();
    }

    /** Every row of the catalog. */
    static byte[] catalog() {
        return table(CATALOG);
    }

    private static OrderedWriter catalog(int kind) {
        return new OrderedWriter(16).put(TYPE).putInt(CATALOG).put(kind);
    }

    /** The version of the catalog; written by every schema change. */
    static byte[] version() {
        return VERSION_KEY;
    }

    /**
     * Every transaction under a version validates this row, one for even and one for odd versions.
     * The change to a version writes the row of that version, which ends transactions under the
     * version before the last; a change that ends those under the last one writes both rows.
     */
    static byte[] live(long version) {
        return catalog(LIVE).put((int) (version & 1)).toBytes();
    }

    static boolean isLive(byte[] key) {
        byte[] prefix = catalog(LIVE).toBytes();
        return key.length >= prefix.length
                && java.util.Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }

    static byte[] objects() {
        return catalog(OBJECT).toBytes();
    }

    static byte[] object(int id) {
        return catalog(OBJECT).putInt(id).toBytes();
    }

    static int objectId(byte[] key) {
        int from = objects().length;
        int id = 0;
        for (int i = from; i < from + Integer.BYTES; i++) {
            id = (id << 8) | (key[i] & 0xFF);
        }
        return id;
    }

    static byte[] sequences() {
        return catalog(SEQUENCE).toBytes();
    }

    static byte[] sequence(long id) {
        return catalog(SEQUENCE).putLong(id).toBytes();
    }

    static byte[] dropped() {
        return catalog(DROPPED).toBytes();
    }

    /** A table or index whose rows are to be removed. */
    static byte[] dropped(byte[] prefix) {
        return catalog(DROPPED).putEncoded(prefix).toBytes();
    }

    static byte[] builds() {
        return catalog(BUILD).toBytes();
    }

    /** The progress of an index build. */
    static byte[] build(int index) {
        return catalog(BUILD).putInt(index).toBytes();
    }
}
