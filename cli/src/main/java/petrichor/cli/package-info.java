/**
 * The {@code petrichor} command line, with one class per command; {@link petrichor.cli.Petrichor}
 * lists them. Commands that need data are clients of google.datastore.v1: {@link
 * petrichor.cli.ServerAddress} connects to a running server or starts one in this process. Data
 * goes to standard output, messages to standard error.
 */
@NullMarked
package petrichor.cli;

import org.jspecify.annotations.NullMarked;
