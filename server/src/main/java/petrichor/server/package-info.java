/**
 * Assembles the house: reads the configuration, opens the store and what stands on it, and serves
 * it on one port. {@link petrichor.server.Server} is the beginning and the end of everything.
 */
@NullMarked
package petrichor.server;

import org.jspecify.annotations.NullMarked;
