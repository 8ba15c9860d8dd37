package petrichor.sql;

import petrichor.tables.ColumnType;

/** A column of a result. */
public record ResultColumn(String name, ColumnType type) {}
