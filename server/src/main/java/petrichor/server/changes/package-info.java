/**
 * The change feed over HTTP: {@link petrichor.server.changes.ChangePages} streams commits as
 * server-sent events and manages consumers; {@link petrichor.server.changes.ChangeService} reads
 * the feed at the owner of the database, wherever the client is connected.
 */
@NullMarked
package petrichor.server.changes;

import org.jspecify.annotations.NullMarked;
