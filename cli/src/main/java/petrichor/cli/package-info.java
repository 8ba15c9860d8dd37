/**
 * The {@code petrichor} command line, with one class per command; {@link petrichor.cli.Petrichor}
 * lists them. This package assembles the commands and parses the line. Their packages correspond to
 * the groups of {@code petrichor help}, and do not depend on each other; {@code console} and {@code
 * connection} serve them all. Commands that need data are clients of google.datastore.v1. Data goes
 * to standard output, messages to standard error.
 */
@NullMarked
package petrichor.cli;

import org.jspecify.annotations.NullMarked;
