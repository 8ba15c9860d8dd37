package petrichor.sql.catalog;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import petrichor.sql.h2.Definitions;
import petrichor.sql.h2.Definitions.Attribute;
import petrichor.sql.h2.Definitions.Generation;
import petrichor.sql.h2.Definitions.KeyPart;
import petrichor.sql.h2.Definitions.NumberSource;
import petrichor.sql.h2.Definitions.Relation;
import petrichor.sql.h2.Definitions.Restriction;
import petrichor.sql.h2.Definitions.Rule;
import petrichor.sql.h2.Definitions.SecondaryKey;
import petrichor.sql.h2.Definitions.Target;

/** The rows of pg_catalog. Confined to one thread while it is filled. */
final class CatalogRows {
    static final long PG_CATALOG = 11;
    static final long INFORMATION_SCHEMA = 13_000;
    static final long PUBLIC = 2_200;
    static final long OWNER = 10;
    static final long PG_CLASS = 1_259;
    static final long BTREE = 403;
    static final long HEAP = 2;
    static final long OPERATOR_CLASS = 10_000;

    /** Numbers of objects start here, as in PostgreSQL. */
    private static final long FIRST_OID = 16_384;

    private static final int OID_BITS = 30;

    /** A relation by its number. */
    record Named(long oid, String schema, String name, String kind) {}

    /** Rows of one relation with the same columns. */
    record Inserted(String relation, Map<String, @Nullable Object> values) {}

    private final TypeNames types;
    private final List<Inserted> rows = new ArrayList<>();
    private final Map<Long, Named> relations = new LinkedHashMap<>();
    private final Map<Long, String> constraints = new HashMap<>();
    private final Map<Long, List<String>> indexes = new HashMap<>();
    private final Map<Long, String> views = new HashMap<>();
    private final Map<String, String> comments = new HashMap<>();
    private final Map<String, Long> schemas = new LinkedHashMap<>();
    private final Set<String> referring = new HashSet<>();
    private final Map<Long, Boolean> taken = new HashMap<>();
    private final Map<String, Long> uniqueIndexes = new HashMap<>();

    CatalogRows(TypeNames types) {
        this.types = types;
    }

    List<Inserted> rows() {
        return rows;
    }

    CatalogState.Objects objects() {
        return new CatalogState.Objects(
                types, relations, constraints, indexes, views, comments, schemas);
    }

    /** A number that depends on the name alone, so that every server computes the same. */
    private long oid(String kind, String... name) {
        long hash = Integer.toUnsignedLong((kind + "\0" + String.join("\0", name)).hashCode());
        hash = (hash * 0x9E3779B97F4A7C15L) >>> (64 - OID_BITS);
        long oid = FIRST_OID + hash;
        while (taken.putIfAbsent(oid, true) != null) {
            oid++;
        }
        return oid;
    }

    void row(String relation, String names, @Nullable Object... values) {
        String[] columns = names.split(" ", -1);
        if (columns.length != values.length) {
            throw new IllegalArgumentException("a row has a value per column");
        }
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        for (int i = 0; i < values.length; i++) {
            row.put(columns[i], values[i]);
        }
        rows.add(new Inserted(relation, row));
    }

    void fill(Definitions definitions) {
        schema("pg_catalog", PG_CATALOG);
        schema("public", PUBLIC);
        schema("information_schema", INFORMATION_SCHEMA);
        TreeSet<String> names = new TreeSet<>();
        definitions.relations().forEach(relation -> names.add(relation.schema()));
        definitions.sequences().forEach(sequence -> names.add(sequence.schema()));
        for (String name : definitions.schemas()) {
            if (!name.startsWith("entities")) {
                names.add(name);
            }
        }
        for (String name : names) {
            if (!schemas.containsKey(name)) {
                schema(name, oid("schema", name));
            }
        }
        for (Relation relation : definitions.relations()) {
            for (Restriction restriction : relation.restrictions()) {
                Target target = restriction.target();
                if (target != null) {
                    referring.add(relation.schema() + "\0" + relation.name());
                    referring.add(target.schema() + "\0" + target.table());
                }
            }
        }
        ConstantRows.types(this, types);
        for (NumberSource sequence : definitions.sequences()) {
            sequence(sequence);
        }
        Map<String, Relation> byName = new HashMap<>();
        for (Relation relation : definitions.relations()) {
            byName.put(relation.schema() + "\0" + relation.name(), relation);
            relation(relation);
        }
        definitions.sequences().forEach(this::owned);
        for (Relation relation : definitions.relations()) {
            references(relation, byName);
        }
    }

    private void schema(String name, long oid) {
        schemas.put(name, oid);
        row("pg_namespace", "oid nspname nspowner", oid, name, OWNER);
    }

    private long schemaOid(String name) {
        return schemas.getOrDefault(name, PUBLIC);
    }

    private void relationRow(
            long oid, String schema, String name, String kind, int attributes, int checks) {
        boolean rowsOfOwn = kind.equals("r");
        boolean index = kind.equals("i");
        relations.put(oid, new Named(oid, schema, name, kind));
        row(
                "pg_class",
                "oid relname relnamespace relowner relam relfilenode relpages "
                        + "reltuples relhasindex relpersistence relkind relnatts relchecks "
                        + "relhasrules relhastriggers relispopulated relreplident",
                oid,
                name,
                schemaOid(schema),
                OWNER,
                index ? BTREE : rowsOfOwn ? HEAP : 0L,
                oid,
                index ? 1L : 0L,
                index ? 0f : -1f,
                rowsOfOwn,
                "p",
                kind,
                (long) attributes,
                (long) checks,
                kind.equals("v"),
                referring.contains(schema + "\0" + name),
                true,
                rowsOfOwn ? "d" : "n");
    }

    private void sequence(NumberSource sequence) {
        long oid = oid("relation", sequence.schema(), sequence.name());
        relationRow(oid, sequence.schema(), sequence.name(), "S", 3, 0);
        List<Long> numbers = sequence.startIncrementMinMaxCache();
        row(
                "pg_sequence",
                "seqrelid seqtypid seqstart seqincrement seqmin seqmax seqcache " + "seqcycle",
                oid,
                20L,
                numbers.get(0),
                numbers.get(1),
                numbers.get(2),
                numbers.get(3),
                numbers.get(4),
                sequence.cycles());
    }

    /** The sequence of an identity column depends on it. */
    private void owned(NumberSource sequence) {
        Definitions.Owner owner = sequence.owner();
        if (owner != null) {
            row(
                    "pg_depend",
                    "classid objid refclassid refobjid refobjsubid deptype",
                    PG_CLASS,
                    find(sequence.schema(), sequence.name()),
                    PG_CLASS,
                    find(sequence.schema(), owner.table()),
                    (long) owner.position(),
                    "i");
        }
    }

    private void relation(Relation relation) {
        long oid = oid("relation", relation.schema(), relation.name());
        String query = relation.query();
        int checks =
                (int) relation.restrictions().stream().filter(r -> r.rule() == Rule.CHECK).count();
        relationRow(
                oid,
                relation.schema(),
                relation.name(),
                query == null ? "r" : "v",
                relation.attributes().size(),
                checks);
        if (query != null) {
            views.put(oid, " " + query + ";");
        }
        describe(oid, PG_CLASS, 0, relation.comment());
        int number = 1;
        for (Attribute attribute : relation.attributes()) {
            attribute(oid, number, attribute);
            number++;
        }
        for (Restriction restriction : relation.restrictions()) {
            restriction(oid, relation, restriction);
        }
        for (SecondaryKey key : relation.keys()) {
            index(oid, relation, key.name(), key.parts(), key.unique(), false);
        }
    }

    private void describe(long oid, long in, int part, @Nullable String comment) {
        if (comment != null) {
            comments.put(oid + ":" + part, comment);
            row(
                    "pg_description",
                    "objoid classoid objsubid description",
                    oid,
                    in,
                    (long) part,
                    comment);
        }
    }

    private void attribute(long relation, int number, Attribute attribute) {
        long type = types.oid(attribute.type());
        TypeNames.PgType known = types.type(type);
        String value = defaultValue(attribute, type);
        boolean generated = attribute.generation() == Generation.EXPRESSION;
        row(
                "pg_attribute",
                "attrelid attname atttypid attstattarget attlen attnum attndims "
                        + "attcacheoff atttypmod attalign attstorage attcompression "
                        + "attnotnull atthasdef attidentity attgenerated attislocal "
                        + "attcollation",
                relation,
                attribute.name(),
                type,
                -1L,
                known == null ? -1L : Long.parseLong(known.field(2)),
                (long) number,
                known != null && known.isArray() ? 1L : 0L,
                -1L,
                (long) TypeNames.modifier(attribute.type()),
                "i",
                "p",
                "",
                !attribute.nullable(),
                value != null,
                switch (attribute.generation()) {
                    case IDENTITY_ALWAYS -> "a";
                    case IDENTITY_BY_DEFAULT -> "d";
                    case NONE, EXPRESSION -> "";
                },
                generated ? "s" : "",
                true,
                known == null ? 0L : Long.parseLong(known.field(13)));
        if (value != null) {
            row(
                    "pg_attrdef",
                    "oid adrelid adnum adbin",
                    oid("default", Long.toString(relation), Integer.toString(number)),
                    relation,
                    (long) number,
                    value);
        }
        describe(relation, PG_CLASS, number, attribute.comment());
    }

    /** A default as PostgreSQL shows it: text constants have a cast. */
    private @Nullable String defaultValue(Attribute attribute, long type) {
        String value = attribute.defaultValue();
        if (value == null) {
            return null;
        }
        if (value.equals("TRUE") || value.equals("FALSE")) {
            return value.toLowerCase(java.util.Locale.ROOT);
        }
        return value.startsWith("'") ? value + "::" + types.format(type, null) : value;
    }

    private void restriction(long relation, Relation of, Restriction restriction) {
        switch (restriction.rule()) {
            case PRIMARY, UNIQUE -> {
                boolean primary = restriction.rule() == Rule.PRIMARY;
                String name = ConstraintNames.shown(of, restriction);
                List<KeyPart> parts =
                        restriction.columns().stream().map(at -> new KeyPart(at, false)).toList();
                long index = index(relation, of, name, parts, true, primary);
                uniqueIndexes.putIfAbsent(relation + ":" + restriction.columns(), index);
                constraint(
                        relation,
                        of,
                        restriction,
                        primary ? "p" : "u",
                        index,
                        (primary ? "PRIMARY KEY" : "UNIQUE")
                                + " ("
                                + DefinitionText.columns(of, restriction.columns())
                                + ")");
            }
            case CHECK ->
                    constraint(
                            relation,
                            of,
                            restriction,
                            "c",
                            0,
                            DefinitionText.check(restriction.expression()));
            case REFERENCE -> {
                // After all relations are known.
            }
        }
    }

    private void references(Relation of, Map<String, Relation> byName) {
        for (Restriction restriction : of.restrictions()) {
            Target target = restriction.target();
            Relation other =
                    target == null ? null : byName.get(target.schema() + "\0" + target.table());
            if (target != null && other != null) {
                long relation = find(of.schema(), of.name());
                long referred = find(target.schema(), target.table());
                String prefix =
                        target.schema().equals("public")
                                ? ""
                                : DefinitionText.quote(other.schema()) + ".";
                String text =
                        "FOREIGN KEY ("
                                + DefinitionText.columns(of, restriction.columns())
                                + ") REFERENCES "
                                + prefix
                                + DefinitionText.quote(other.name())
                                + "("
                                + DefinitionText.columns(other, target.columns())
                                + ")"
                                + DefinitionText.action(" ON UPDATE ", target.onUpdate())
                                + DefinitionText.action(" ON DELETE ", target.onDelete());
                long index = uniqueIndexes.getOrDefault(referred + ":" + target.columns(), 0L);
                constraint(relation, of, restriction, "f", index, text);
            }
        }
    }

    private void constraint(
            long relation,
            Relation of,
            Restriction restriction,
            String kind,
            long index,
            String definition) {
        String name = ConstraintNames.shown(of, restriction);
        long oid = oid("constraint", of.schema(), of.name(), name);
        constraints.put(oid, definition);
        Target target = restriction.target();
        row(
                "pg_constraint",
                "oid conname connamespace contype convalidated conrelid conindid "
                        + "confrelid confupdtype confdeltype confmatchtype conislocal "
                        + "connoinherit conkey confkey conbin",
                oid,
                name,
                schemaOid(of.schema()),
                kind,
                true,
                relation,
                index,
                target == null ? 0L : find(target.schema(), target.table()),
                target == null ? " " : DefinitionText.code(target.onUpdate()),
                target == null ? " " : DefinitionText.code(target.onDelete()),
                target == null ? " " : "s",
                true,
                true,
                DefinitionText.longs(restriction.columns()),
                target == null ? null : DefinitionText.longs(target.columns()),
                restriction.expression());
        for (int i = 0; i < restriction.columns().size(); i++) {
            row(
                    "pg_constraint_keys",
                    "oid attnum refnum ord n",
                    oid,
                    (long) restriction.columns().get(i),
                    target == null ? null : (Object) (long) target.columns().get(i),
                    (long) i + 1,
                    (long) i + 1);
        }
    }

    private long find(String schema, String name) {
        for (Named named : relations.values()) {
            if (named.schema().equals(schema) && named.name().equals(name)) {
                return named.oid();
            }
        }
        return 0;
    }

    private long index(
            long table,
            Relation of,
            String name,
            List<KeyPart> parts,
            boolean unique,
            boolean primary) {
        long oid = oid("relation", of.schema(), name);
        relationRow(oid, of.schema(), name, "i", parts.size(), 0);
        List<String> texts = new ArrayList<>();
        List<String> columns = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            KeyPart part = parts.get(i);
            Attribute attribute = of.attributes().get(part.position() - 1);
            columns.add(DefinitionText.quote(attribute.name()));
            texts.add(DefinitionText.quote(attribute.name()) + (part.descending() ? " DESC" : ""));
            row(
                    "pg_index_keys",
                    "indexrelid attnum opclass option ord n",
                    oid,
                    (long) part.position(),
                    OPERATOR_CLASS,
                    DefinitionText.option(part),
                    (long) i,
                    (long) i + 1);
            row(
                    "pg_attribute",
                    "attrelid attname atttypid attnum atttypmod attidentity " + "attgenerated",
                    oid,
                    attribute.name(),
                    types.oid(attribute.type()),
                    (long) i + 1,
                    (long) TypeNames.modifier(attribute.type()),
                    "",
                    "");
        }
        List<String> definition = new ArrayList<>();
        definition.add(
                "CREATE "
                        + (unique ? "UNIQUE " : "")
                        + "INDEX "
                        + DefinitionText.quote(name)
                        + " ON "
                        + DefinitionText.quote(of.schema())
                        + "."
                        + DefinitionText.quote(of.name())
                        + " USING btree ("
                        + String.join(", ", texts)
                        + ")");
        definition.addAll(columns);
        indexes.put(oid, definition);
        Long[] zeros = new Long[parts.size()];
        Arrays.fill(zeros, 0L);
        row(
                "pg_index",
                "indexrelid indrelid indnatts indnkeyatts indisunique indisprimary "
                        + "indimmediate indisvalid indisready indislive indkey indcollation "
                        + "indclass indoption",
                oid,
                table,
                (long) parts.size(),
                (long) parts.size(),
                unique,
                primary,
                true,
                true,
                true,
                true,
                DefinitionText.vector(parts.stream().map(KeyPart::position).toList()),
                DefinitionText.vector(List.of(zeros)),
                DefinitionText.vector(parts.stream().map(_ -> OPERATOR_CLASS).toList()),
                DefinitionText.vector(parts.stream().map(DefinitionText::option).toList()));
        return oid;
    }
}
