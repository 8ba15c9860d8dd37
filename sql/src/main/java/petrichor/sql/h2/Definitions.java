package petrichor.sql.h2;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.h2.command.query.Query;
import org.h2.constraint.Constraint;
import org.h2.constraint.ConstraintReferential;
import org.h2.constraint.ConstraintUnique;
import org.h2.engine.Database;
import org.h2.expression.Expression;
import org.h2.index.Index;
import org.h2.result.SortOrder;
import org.h2.schema.Schema;
import org.h2.schema.Sequence;
import org.h2.table.Column;
import org.h2.table.IndexColumn;
import org.h2.table.Table;
import org.h2.table.TableView;
import org.h2.util.HasSQL;
import org.jspecify.annotations.Nullable;
import petrichor.tables.ColumnType;
import petrichor.tables.SequenceOptions;

/** The definitions of one version of the catalog, as plain values; immutable. */
public record Definitions(
        List<String> schemas, List<Relation> relations, List<NumberSource> sequences) {

    /** An identity column; {@code position} counts from 1. */
    public record Owner(String table, int position) {}

    /**
     * A sequence.
     *
     * @param owner the column whose values it generates; null for one of its own
     */
    public record NumberSource(
            String schema,
            String name,
            @Nullable Owner owner,
            List<Long> startIncrementMinMaxCache,
            boolean cycles) {}

    public record Attribute(
            String name,
            ColumnType type,
            boolean nullable,
            @Nullable String defaultValue,
            Generation generation,
            @Nullable String comment) {}

    /** Where the values of a column come from. */
    public enum Generation {
        NONE,
        IDENTITY_ALWAYS,
        IDENTITY_BY_DEFAULT,
        EXPRESSION
    }

    /** A column of a key, by its position from 1. */
    public record KeyPart(int position, boolean descending) {}

    public record SecondaryKey(String name, boolean unique, List<KeyPart> parts) {}

    public enum Rule {
        PRIMARY,
        UNIQUE,
        CHECK,
        REFERENCE
    }

    /** What a foreign key refers to. */
    public record Target(
            String schema, String table, List<Integer> columns, String onDelete, String onUpdate) {}

    public record Restriction(
            String name,
            Rule rule,
            List<Integer> columns,
            @Nullable String expression,
            @Nullable Target target) {}

    /**
     * @param query of a view; null for a table
     */
    public record Relation(
            String schema,
            String name,
            @Nullable String query,
            @Nullable String comment,
            List<Attribute> attributes,
            List<SecondaryKey> keys,
            List<Restriction> restrictions) {
        public boolean view() {
            return query != null;
        }
    }

    public Definitions {
        schemas = List.copyOf(schemas);
        relations = List.copyOf(relations);
        sequences = List.copyOf(sequences);
    }

    public static Definitions of(H2Catalog catalog) {
        catalog.entities().refresh();
        Database database = catalog.database();
        List<Relation> relations = new ArrayList<>();
        List<NumberSource> sequences = new ArrayList<>();
        List<String> schemas = new ArrayList<>();
        for (Schema schema : database.getAllSchemasNoMeta()) {
            if (schema.getName().equals("pg_catalog")) {
                continue;
            }
            schemas.add(schema.getName());
            for (Table table : schema.getAllTablesAndViews(null)) {
                relations.add(relation(table));
                for (Column column : table.getColumns()) {
                    Sequence identity = column.getSequence();
                    if (identity != null) {
                        sequences.add(
                                identity(table, column, catalog.sequences().options(identity)));
                    }
                }
            }
            for (Sequence sequence : schema.getAllSequences()) {
                if (!sequence.getBelongsToTable()) {
                    sequences.add(
                            source(
                                    schema.getName(),
                                    sequence.getName(),
                                    null,
                                    catalog.sequences().options(sequence)));
                }
            }
        }
        relations.sort(Comparator.comparing(Relation::schema).thenComparing(Relation::name));
        sequences.sort(
                Comparator.comparing(NumberSource::schema).thenComparing(NumberSource::name));
        return new Definitions(schemas, relations, sequences);
    }

    /** The sequence of a column, with the name that PostgreSQL gives it. */
    private static NumberSource identity(Table table, Column column, SequenceOptions options) {
        return source(
                table.getSchema().getName(),
                table.getName() + "_" + column.getName() + "_seq",
                new Owner(table.getName(), column.getColumnId() + 1),
                options);
    }

    private static NumberSource source(
            String schema, String name, @Nullable Owner owner, SequenceOptions options) {
        return new NumberSource(
                schema,
                name,
                owner,
                List.of(options.start(), options.increment(), options.min(), options.max(), 1L),
                options.cycle());
    }

    private static Relation relation(Table table) {
        String query = null;
        if (table instanceof TableView view) {
            Query defined = view.getQuery();
            query =
                    defined == null
                            ? view.getQuerySQL()
                            : defined.getPlanSQL(HasSQL.QUOTE_ONLY_WHEN_REQUIRED);
        }
        List<Attribute> attributes = new ArrayList<>();
        for (Column column : table.getColumns()) {
            attributes.add(attribute(column));
        }
        List<Restriction> restrictions = new ArrayList<>();
        List<Index> constrained = new ArrayList<>();
        Iterable<Constraint> constraints = table.getConstraints();
        for (Constraint constraint : constraints == null ? List.<Constraint>of() : constraints) {
            if (constraint.getTable().equals(table)) {
                restrictions.add(restriction(constraint));
                if (constraint instanceof ConstraintUnique) {
                    constrained.add(constraint.getIndex());
                }
            }
        }
        List<SecondaryKey> keys = new ArrayList<>();
        List<Index> indexes = query != null ? List.of() : table.getIndexes();
        for (Index index : indexes == null ? List.<Index>of() : indexes) {
            boolean own =
                    !index.getIndexType().isScan()
                            && index.getCreateSQL() != null
                            && !index.getIndexType().getBelongsToConstraint()
                            && !constrained.contains(index);
            if (own) {
                keys.add(
                        new SecondaryKey(
                                index.getName(),
                                index.getIndexType().isUnique(),
                                parts(index.getIndexColumns())));
            }
        }
        return new Relation(
                table.getSchema().getName(),
                table.getName(),
                query,
                table.getComment(),
                attributes,
                keys,
                restrictions);
    }

    private static Attribute attribute(Column column) {
        Expression value = column.getDefaultExpression();
        Generation generation = Generation.NONE;
        String text = value == null ? null : sql(value);
        if (column.isIdentity()) {
            generation =
                    column.isGeneratedAlways()
                            ? Generation.IDENTITY_ALWAYS
                            : Generation.IDENTITY_BY_DEFAULT;
            text = null;
        } else if (column.isGenerated()) {
            generation = Generation.EXPRESSION;
        }
        return new Attribute(
                column.getName(),
                Values.type(column.getType()),
                column.isNullable(),
                text,
                generation,
                column.getComment());
    }

    private static String sql(Expression expression) {
        return expression.getSQL(HasSQL.QUOTE_ONLY_WHEN_REQUIRED);
    }

    private static List<KeyPart> parts(IndexColumn[] columns) {
        List<KeyPart> parts = new ArrayList<>();
        for (IndexColumn part : columns) {
            boolean descending = (part.sortType & SortOrder.DESCENDING) != 0;
            parts.add(new KeyPart(part.column.getColumnId() + 1, descending));
        }
        return parts;
    }

    private static List<Integer> positions(IndexColumn[] columns) {
        return parts(columns).stream().map(KeyPart::position).toList();
    }

    private static Restriction restriction(Constraint constraint) {
        String name = constraint.getName();
        return switch (constraint.getConstraintType()) {
            case PRIMARY_KEY, UNIQUE -> {
                IndexColumn[] columns = ((ConstraintUnique) constraint).getColumns();
                boolean primary = constraint.getConstraintType() == Constraint.Type.PRIMARY_KEY;
                yield new Restriction(
                        name, primary ? Rule.PRIMARY : Rule.UNIQUE, positions(columns), null, null);
            }
            case REFERENTIAL -> {
                ConstraintReferential reference = (ConstraintReferential) constraint;
                Table target = reference.getRefTable();
                yield new Restriction(
                        name,
                        Rule.REFERENCE,
                        positions(reference.getColumns()),
                        null,
                        new Target(
                                target.getSchema().getName(),
                                target.getName(),
                                positions(reference.getRefColumns()),
                                reference.getDeleteAction().getSqlName(),
                                reference.getUpdateAction().getSqlName()));
            }
            case CHECK, DOMAIN -> {
                List<Integer> columns = new ArrayList<>();
                for (Column column : constraint.getReferencedColumns(constraint.getTable())) {
                    columns.add(column.getColumnId() + 1);
                }
                columns.sort(Comparator.naturalOrder());
                yield new Restriction(
                        name, Rule.CHECK, columns, sql(constraint.getExpression()), null);
            }
        };
    }
}
