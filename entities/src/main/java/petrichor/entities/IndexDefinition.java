package petrichor.entities;

import java.util.List;
import petrichor.base.PetrichorException;

/**
 * A composite index as declared in index.yaml. Equal definitions denote the same index.
 *
 * @param ancestor whether entities are also found by any of their ancestors
 * @param columns at least one; {@code __key__} is the key where it precedes other columns
 */
public record IndexDefinition(String kind, boolean ancestor, List<Column> columns) {

    /** One property of the index, in one direction. */
    public record Column(String property, SortOrder order) {
        public Column {
            if (property.isEmpty()) {
                throw PetrichorException.invalid("A column of an index must name a property.");
            }
        }

        public Column reversed() {
            return new Column(property, order.reversed());
        }
    }

    public IndexDefinition {
        columns = List.copyOf(columns);
        if (kind.isEmpty()) {
            throw PetrichorException.invalid("An index must name a kind.");
        }
        if (columns.isEmpty()) {
            throw PetrichorException.invalid(
                    "The index on kind \"{kind}\" must name at least one property.", "kind", kind);
        }
        if (columns.size() > Limits.INDEX_COLUMNS_MAX) {
            throw PetrichorException.invalid(
                    "The index on kind \"{kind}\" would have {columnsCount} properties; an index"
                            + " has at most "
                            + Limits.INDEX_COLUMNS_MAX
                            + ".",
                    "kind",
                    kind,
                    "columnsCount",
                    columns.size());
        }
    }

    /** The lines that declare this index in the list {@code indexes:} of index.yaml. */
    public String yaml() {
        StringBuilder lines = new StringBuilder("- kind: ").append(quoted(kind)).append('\n');
        if (ancestor) {
            lines.append("  ancestor: yes\n");
        }
        lines.append("  properties:\n");
        for (Column column : columns) {
            lines.append("  - name: ").append(quoted(column.property())).append('\n');
            if (column.order() == SortOrder.DESCENDING) {
                lines.append("    direction: desc\n");
            }
        }
        return lines.toString();
    }

    /** Quotes names that YAML could misinterpret. */
    private static String quoted(String name) {
        if (name.matches("[A-Za-z_][A-Za-z0-9_.-]*")
                && !name.matches("(?i)y|n|yes|no|on|off|true|false|null")) {
            return name;
        }
        return '"' + name.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
