/**
 * The configuration: its keys, where their values come from, and the values that the parts of the
 * server read. {@link petrichor.server.config.ServerConfig} is all of it.
 */
@NullMarked
package petrichor.server.config;

import org.jspecify.annotations.NullMarked;
