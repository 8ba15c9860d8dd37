package petrichor.sql.h2;

import org.jspecify.annotations.Nullable;
import petrichor.sql.OnConflict;

/**
 * A statement for H2.
 *
 * @param lazy whether the rows of a query are computed as they are read
 * @param conflict what an INSERT does about rows that exist; null to fail
 */
public record ExecutableText(String text, boolean lazy, @Nullable OnConflict conflict) {}
