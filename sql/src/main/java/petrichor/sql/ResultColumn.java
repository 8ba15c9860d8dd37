package petrichor.sql;

import petrichor.tables.ColumnType;
import petrichor.tables.DataType;

/** A column of a result. */
public record ResultColumn(String name, ColumnType type) {
    static ResultColumn text(String name) {
        return new ResultColumn(name, ColumnType.of(DataType.TEXT));
    }
}
