/**
 * The SPI of datastores: named tables of byte-string rows in unsigned key order, strongly
 * consistent, and a durable step that is the commit point of a group commit. Each datastore has its
 * own module under {@code kv/}; {@code testing/conformance} contains the conformance tests.
 */
@NullMarked
package petrichor.kv;

import org.jspecify.annotations.NullMarked;
