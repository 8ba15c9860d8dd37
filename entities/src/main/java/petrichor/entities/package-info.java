/**
 * App Engine's data model as Datastore mode has it today: keys with ancestors, kinds, namespaces,
 * typed properties, indexes that are never stale, and queries that only ever walk indexes. The
 * vocabulary is that of google.datastore.v1, whose messages are used as plain data.
 */
@NullMarked
package petrichor.entities;

import org.jspecify.annotations.NullMarked;
