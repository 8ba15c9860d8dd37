/**
 * Moves between stores over HTTP: of databases ({@link petrichor.server.migrations.MigrationPage})
 * and of ranges of rows ({@link petrichor.server.migrations.RingPage}).
 */
@NullMarked
package petrichor.server.migrations;

import org.jspecify.annotations.NullMarked;
