/**
 * What a datastore must give to carry Petrichor: named tables of byte-string rows in unsigned key
 * order, strongly consistent, and a durable step that is the commit point of a batch of
 * transactions. One module under {@code kv/} implements it per datastore; {@code kv/testkit} tells
 * its author when it is done.
 */
@NullMarked
package petrichor.kv;

import org.jspecify.annotations.NullMarked;
