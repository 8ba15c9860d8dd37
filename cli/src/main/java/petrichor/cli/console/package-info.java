/**
 * The console of a command: messages and progress on standard error ({@link
 * petrichor.cli.console.Terminal}), data on standard output, lines of JSON, exit codes.
 */
@NullMarked
package petrichor.cli.console;

import org.jspecify.annotations.NullMarked;
