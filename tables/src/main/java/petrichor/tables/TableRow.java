package petrichor.tables;

import org.jspecify.annotations.Nullable;

/**
 * A row of a table.
 *
 * @param key its key in the store; identifies it
 * @param values in the order of the table's columns
 */
public record TableRow(byte[] key, @Nullable Object[] values) {}
