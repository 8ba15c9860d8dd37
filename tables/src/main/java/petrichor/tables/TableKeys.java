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

    /** Read by every transaction, written by every schema change. */
    static byte[] version() {
        return VERSION_KEY;
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
