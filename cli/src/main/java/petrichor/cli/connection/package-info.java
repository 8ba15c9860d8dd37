/**
 * Connections to servers: {@link petrichor.cli.connection.ServerAddress} connects to a running
 * server or starts one in this process, {@link petrichor.cli.connection.ServerPage} calls its pages
 * below {@code /petrichor/v1}.
 */
@NullMarked
package petrichor.cli.connection;

import org.jspecify.annotations.NullMarked;
