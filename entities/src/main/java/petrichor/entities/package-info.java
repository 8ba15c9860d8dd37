/**
 * The entity layer: App Engine's data model as in today's Datastore mode, with keys with ancestors,
 * kinds, namespaces, typed properties, strongly consistent indexes, and queries that only read
 * indexes. The vocabulary is that of google.datastore.v1, whose messages are used as plain data.
 */
@NullMarked
package petrichor.entities;

import org.jspecify.annotations.NullMarked;
