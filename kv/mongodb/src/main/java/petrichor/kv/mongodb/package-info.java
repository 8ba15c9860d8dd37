/**
 * MongoDB as a datastore, over its wire protocol: a table is a collection, a row is a document
 * whose {@code _id} is the key, as text that sorts like the key's bytes ({@link
 * petrichor.kv.mongodb.KeyText}).
 *
 * <p>The durable step is an insert, which fails if the document exists. Rows of a commit are
 * applied by replacements that also compare versions, if the server does that atomically; FerretDB
 * does not, and may be used by only one Petrichor server ({@link
 * petrichor.kv.mongodb.VersionedReplacement}). {@link petrichor.kv.mongodb.MongoStore} is the
 * store.
 */
@NullMarked
package petrichor.kv.mongodb;

import org.jspecify.annotations.NullMarked;
