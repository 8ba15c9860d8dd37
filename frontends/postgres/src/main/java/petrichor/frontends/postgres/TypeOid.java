package petrichor.frontends.postgres;

import java.util.HashMap;
import java.util.Map;
import petrichor.sql.SqlException;
import petrichor.tables.ColumnType;
import petrichor.tables.DataType;

/**
 * PostgreSQL's number of a type, and that of arrays of it.
 *
 * @param bytes of a value in the binary format; -1 if they vary
 */
record TypeOid(DataType type, int oid, int arrayOid, int bytes) {
    private static final Map<DataType, TypeOid> BY_TYPE = new HashMap<>();
    private static final Map<Integer, ColumnType> BY_OID = new HashMap<>();

    /** What a modifier adds to the length of a text or to precision and scale. */
    private static final int MODIFIER_HEADER = 4;

    static {
        add(DataType.BOOLEAN, 16, 1000, 1);
        add(DataType.SMALLINT, 21, 1005, 2);
        add(DataType.INTEGER, 23, 1007, 4);
        add(DataType.BIGINT, 20, 1016, 8);
        add(DataType.NUMERIC, 1700, 1231, -1);
        add(DataType.REAL, 700, 1021, 4);
        add(DataType.DOUBLE, 701, 1022, 8);
        add(DataType.CHAR, 1042, 1014, -1);
        add(DataType.VARCHAR, 1043, 1015, -1);
        add(DataType.TEXT, 25, 1009, -1);
        add(DataType.BYTEA, 17, 1001, -1);
        add(DataType.DATE, 1082, 1182, 4);
        add(DataType.TIME, 1083, 1183, 8);
        add(DataType.TIMETZ, 1266, 1270, 12);
        add(DataType.TIMESTAMP, 1114, 1115, 8);
        add(DataType.TIMESTAMPTZ, 1184, 1185, 8);
        add(DataType.INTERVAL, 1186, 1187, 16);
        add(DataType.UUID, 2950, 2951, 16);
        add(DataType.JSON, 3802, 3807, -1);
        alias(114, ColumnType.of(DataType.JSON));
        alias(199, ColumnType.arrayOf(ColumnType.of(DataType.JSON)));
        alias(19, ColumnType.of(DataType.TEXT)); // name
        alias(18, ColumnType.of(DataType.TEXT)); // "char"
        alias(26, ColumnType.of(DataType.BIGINT)); // oid
        alias(705, ColumnType.UNKNOWN);
        alias(0, ColumnType.UNKNOWN);
    }

    private static void add(DataType type, int oid, int arrayOid, int bytes) {
        BY_TYPE.put(type, new TypeOid(type, oid, arrayOid, bytes));
        BY_OID.put(oid, ColumnType.of(type));
        BY_OID.put(arrayOid, ColumnType.arrayOf(ColumnType.of(type)));
    }

    private static void alias(int oid, ColumnType type) {
        BY_OID.put(oid, type);
    }

    /** Values of unknown type, such as NULL, are sent as text. */
    static TypeOid of(ColumnType type) {
        ColumnType element = type.element();
        if (element != null) {
            int array = of(element).arrayOid();
            return new TypeOid(DataType.ARRAY, array, 0, -1);
        }
        TypeOid found = BY_TYPE.get(type.type());
        return found == null ? new TypeOid(type.type(), 25, 1009, -1) : found;
    }

    static ColumnType typeOf(int oid) {
        ColumnType type = BY_OID.get(oid);
        if (type == null) {
            throw new SqlException(
                    "0A000",
                    "parameters of the type with OID "
                            + oid
                            + " are not supported; send the value as text");
        }
        return type;
    }

    static int modifier(ColumnType type) {
        if (type.length() < 0) {
            return -1;
        }
        return switch (type.type()) {
            case CHAR, VARCHAR -> type.length() + MODIFIER_HEADER;
            case NUMERIC -> ((type.length() << 16) | type.scale()) + MODIFIER_HEADER;
            case TIME, TIMETZ, TIMESTAMP, TIMESTAMPTZ -> type.length();
            case BOOLEAN,
                    SMALLINT,
                    INTEGER,
                    BIGINT,
                    REAL,
                    DOUBLE,
                    TEXT,
                    BYTEA,
                    DATE,
                    INTERVAL,
                    UUID,
                    JSON,
                    ARRAY,
                    UNKNOWN ->
                    -1;
        };
    }
}
