@NullMarked
package petrichor.movement.duckdb;

import org.jspecify.annotations.NullMarked;
