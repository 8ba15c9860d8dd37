/**
 * MongoDB as a datastore, over its wire protocol: a table is a collection, a row is a document
 * whose {@code _id} is the key, as text that sorts as the key's bytes do ({@link
 * petrichor.kv.mongodb.KeyText}).
 *
 * <p>The durable step is an insert, which fails if the document is there. Rows that follow a commit
 * are put by replacements that also compare versions, where the server does that in one step;
 * FerretDB does not, and is used by one server of ours only ({@link
 * petrichor.kv.mongodb.VersionedReplacement}). {@link petrichor.kv.mongodb.MongoStore} is the face.
 */
@NullMarked
package petrichor.kv.mongodb;

import org.jspecify.annotations.NullMarked;
