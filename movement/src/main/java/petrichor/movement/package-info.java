/**
 * Exports and imports of entities. {@link petrichor.movement.EntityExport} writes a database as
 * newline JSON at one read time; {@link petrichor.movement.EntityImport} writes the entities of an
 * {@link petrichor.movement.EntitySource}, either such a file ({@link
 * petrichor.movement.JsonLines}) or the folder of a managed export of Google's ({@link
 * petrichor.movement.ManagedExport}).
 *
 * <p>All access is through the public API ({@link petrichor.client.DatastoreClient}), or through an
 * {@link petrichor.client.EntityTarget} in the server's own process, so that everything works with
 * any server of google.datastore.v1.
 */
@NullMarked
package petrichor.movement;

import org.jspecify.annotations.NullMarked;
