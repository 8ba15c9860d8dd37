/**
 * Replication of databases to other deployments: streams, which servers of the source run, and the
 * page at the target.
 */
@NullMarked
package petrichor.server.replication;

import org.jspecify.annotations.NullMarked;
