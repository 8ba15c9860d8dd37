/** Live migrations over HTTP: {@link petrichor.server.migrations.MigrationPage}. */
@NullMarked
package petrichor.server.migrations;

import org.jspecify.annotations.NullMarked;
