/**
 * Stored entities for backups and restores: {@link petrichor.server.backups.RowsPage} takes
 * requests over HTTP, and {@link petrichor.server.backups.RowsService} executes them at the owner
 * of the database.
 */
@NullMarked
package petrichor.server.backups;

import org.jspecify.annotations.NullMarked;
