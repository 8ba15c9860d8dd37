/**
 * Connects jobs with the datastore: the entities of a query as a source, read from a snapshot
 * ({@link petrichor.jobs.entities.QuerySource}), and a kind as a sink ({@link
 * petrichor.jobs.entities.EntitySink}). Both speak the Datastore API like any other client, through
 * {@code movement}.
 *
 * <p>A field contains the property of its name. The field {@code __key__} contains the entity's
 * name (TEXT), its id (INT64), or its whole key (BYTES, Datastore's own encoding of it).
 */
@NullMarked
package petrichor.jobs.entities;

import org.jspecify.annotations.NullMarked;
