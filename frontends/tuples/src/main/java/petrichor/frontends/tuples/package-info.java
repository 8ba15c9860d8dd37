/**
 * Collections of tuples on the wire: {@code petrichor.tuples.v1} over gRPC and REST on the shared
 * port, with an OpenAPI document. Each server accepts all calls; the owner of the database executes
 * them.
 */
@NullMarked
package petrichor.frontends.tuples;

import org.jspecify.annotations.NullMarked;
