/**
 * The Datastore API as a client calls it: {@link petrichor.client.DatastoreClient} makes blocking
 * calls over one connection to any server of google.datastore.v1, and {@link
 * petrichor.client.DatabaseName} names the database of a call. What only writes entities takes an
 * {@link petrichor.client.EntityTarget}, so that it can also write to the database of its own
 * process. {@link petrichor.client.ChangeFeedClient} reads the change feed of a database; package
 * {@code tuples} has the client of collections of tuples.
 */
@NullMarked
package petrichor.client;

import org.jspecify.annotations.NullMarked;
