/**
 * The bundled API {@code datastore_v3}, which App Engine's SDKs call (Python db and ndb, Go, Java).
 * It shares entities, transactions and indexes with the Datastore v1 front end: every message is
 * translated to google.datastore.v1 and back.
 *
 * <p>{@link petrichor.frontends.appengine.datastore.DatastoreV3} dispatches the methods. Two parts
 * of the old protocol have no counterpart in v1: a transaction receives its writes before the
 * commit, so {@link petrichor.frontends.appengine.datastore.OpenTransactions} buffers them; and a
 * query continues by a number, so {@link petrichor.frontends.appengine.datastore.Continuation} adds
 * the rest of the query to the message that contains the number.
 */
@NullMarked
package petrichor.frontends.appengine.datastore;

import org.jspecify.annotations.NullMarked;
