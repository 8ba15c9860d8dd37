package petrichor.sql.catalog;

import java.util.List;

/** Rows of pg_catalog that are the same in every database. */
final class ConstantRows {
    static final long PG_TYPE = 1_247;
    static final long PG_CONSTRAINT = 2_606;
    static final long PG_NAMESPACE = 2_615;
    static final long PG_PROC = 1_255;
    static final long DATABASE = 5;
    static final long DEFAULT_COLLATION = 100;

    /** Reserved words of PostgreSQL. */
    private static final String KEYWORDS =
            "all analyse analyze and any array as asc asymmetric authorization binary both case"
                + " cast check collate collation column concurrently constraint create cross"
                + " current_catalog current_date current_role current_schema current_time"
                + " current_timestamp current_user default deferrable desc distinct do else end"
                + " except false fetch for foreign freeze from full grant group having ilike in"
                + " initially inner intersect into is isnull join lateral leading left like limit"
                + " localtime localtimestamp natural not notnull null offset on only or order outer"
                + " overlaps placing primary references returning right select session_user similar"
                + " some symmetric table tablesample then to trailing true union unique user using"
                + " variadic verbose when where window with";

    private static final List<String> SETTINGS =
            List.of(
                    "max_index_keys=32",
                    "max_identifier_length=63",
                    "default_transaction_isolation=serializable",
                    "server_version_num=150000",
                    "standard_conforming_strings=on");

    private ConstantRows() {}

    static void constants(CatalogRows rows, String database, List<String> users) {
        rows.row("pg_am", "oid amname amhandler amtype", CatalogRows.HEAP, "heap", 3L, "t");
        rows.row("pg_am", "oid amname amhandler amtype", CatalogRows.BTREE, "btree", 330L, "i");
        rows.row(
                "pg_opclass",
                "oid opcname opcdefault",
                CatalogRows.OPERATOR_CLASS,
                "any_ops",
                true);
        rows.row(
                "pg_collation",
                "oid collname collnamespace collowner collprovider "
                        + "collisdeterministic collencoding",
                DEFAULT_COLLATION,
                "default",
                CatalogRows.PG_CATALOG,
                CatalogRows.OWNER,
                "d",
                true,
                -1L);
        rows.row("pg_tablespace", "oid spcname spcowner", 1_663L, "pg_default", CatalogRows.OWNER);
        rows.row("pg_language", "oid lanname lanowner", 14L, "sql", CatalogRows.OWNER);
        rows.row(
                "pg_database",
                "oid datname datdba encoding datlocprovider datallowconn "
                        + "datconnlimit dattablespace datcollate datctype",
                DATABASE,
                database,
                CatalogRows.OWNER,
                6L,
                "c",
                true,
                -1L,
                1_663L,
                "C.UTF-8",
                "C.UTF-8");
        for (String setting : SETTINGS) {
            int equals = setting.indexOf('=');
            rows.row(
                    "pg_settings",
                    "name setting",
                    setting.substring(0, equals),
                    setting.substring(equals + 1));
        }
        for (String word : KEYWORDS.split(" ", -1)) {
            rows.row("pg_keywords", "word catcode catdesc", word, "R", "reserved");
        }
        long oid = CatalogRows.OWNER;
        for (String user : users) {
            rows.row(
                    "pg_roles",
                    "oid rolname rolinherit rolcanlogin rolconnlimit",
                    oid,
                    user,
                    true,
                    true,
                    -1L);
            rows.row("pg_user", "usename usesysid", user, oid);
            oid++;
        }
    }

    static void types(CatalogRows rows, TypeNames types) {
        for (TypeNames.PgType type : types.types()) {
            rows.row(
                    "pg_type",
                    "oid typname typnamespace typowner typlen typbyval typtype "
                            + "typcategory typispreferred typisdefined typdelim typelem typarray "
                            + "typinput typalign typtypmod typcollation typsubscript",
                    type.oid(),
                    type.name(),
                    CatalogRows.PG_CATALOG,
                    CatalogRows.OWNER,
                    Long.parseLong(type.field(2)),
                    type.field(3).equals("t"),
                    type.field(4),
                    type.field(5),
                    type.field(6).equals("t"),
                    true,
                    type.field(7),
                    type.element(),
                    type.array(),
                    Long.parseLong(type.field(11)),
                    type.field(12),
                    -1L,
                    Long.parseLong(type.field(13)),
                    Long.parseLong(type.field(14)));
        }
    }
}
