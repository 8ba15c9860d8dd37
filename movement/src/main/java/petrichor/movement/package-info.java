/**
 * Moves entities between databases and files. {@link petrichor.movement.EntityExport} writes a
 * database as newline JSON, all of it as of one moment; {@link petrichor.movement.EntityImport}
 * writes what an {@link petrichor.movement.EntitySource} yields, be it such a file ({@link
 * petrichor.movement.JsonLines}) or a folder that Google's managed export left behind ({@link
 * petrichor.movement.ManagedExport}).
 *
 * <p>The other side is always spoken to through the public API ({@link
 * petrichor.movement.DatastoreClient}), so everything here works against any server of
 * google.datastore.v1 and relies on nothing private.
 */
@NullMarked
package petrichor.movement;

import org.jspecify.annotations.NullMarked;
