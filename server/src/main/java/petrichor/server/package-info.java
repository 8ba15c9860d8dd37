/**
 * Assembles the server: reads the configuration, opens the store and the layers above it, and
 * serves them on one port. {@link petrichor.server.Server} is the entry point.
 */
@NullMarked
package petrichor.server;

import org.jspecify.annotations.NullMarked;
