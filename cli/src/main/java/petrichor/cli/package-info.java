/**
 * The {@code petrichor} command. One class per command; {@link petrichor.cli.Petrichor} lists them.
 * Commands that need data speak google.datastore.v1 to a server ({@link
 * petrichor.cli.ServerAddress} finds a running one or starts one inside this process), so there is
 * a single way to the data. Data goes to standard output, talk to standard error.
 */
@NullMarked
package petrichor.cli;

import org.jspecify.annotations.NullMarked;
