/**
 * Runs this server in front of another Datastore endpoint: {@link
 * petrichor.server.upstream.UpstreamService} connects to it, {@link
 * petrichor.server.upstream.UpstreamPage} moves its databases here.
 */
@NullMarked
package petrichor.server.upstream;

import org.jspecify.annotations.NullMarked;
